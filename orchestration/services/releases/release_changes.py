"""Continue the former release: copy its database, and replace only the rows that differ.

A night changes a few rows in a hundred. To find them costs a hash of each row, here and in the
warehouse, which is a tenth of writing all of them. Rows are compared as a whole, so the result does
not depend on how the warehouse changed: by a build, a migration or by hand. Two rows with the same
hash count as equal; with 25 million rows, of which a million change, one in a million such nights
has a pair of different ones.

A table is written anew if its definition or a comment changed, if more than half of its rows did,
or if deleted rows take up a third of it. A release is written anew if the former file has a damaged
block, is of another storage version, or consists of free blocks to a quarter. So a file stays below
three times the size of one that is written anew: twice before the night, and tables written anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import duckdb

from hevy_connector.raw.transactions import transaction
from orchestration.dbt.mart_definitions import MartDefinition
from orchestration.services.releases.release_database import (
    RELEASE_STORAGE_VERSION,
    attach_copy,
    source_of,
)
from orchestration.storage.block_checksums import damage_in

REWRITTEN_EVERY = 28
"""Releases. Files of unchanged tables are shared until then, and so is a damage of one of them."""

_MOST_CHANGED_RATIO = 0.5
_MOST_DELETED_RATIO = 0.5
_MOST_FREE_RATIO = 1 / 4

Definition = tuple[str, str | None, Mapping[str, str]]
"""The statement that creates a table, its comment and those of its columns."""


@dataclass(frozen=True)
class Continued:
    """Row counts of the tables that equal the warehouse's; those in `unchanged` had the same rows
    in the former release.
    """

    row_counts: Mapping[str, int]
    unchanged: frozenset[str]


NOTHING = Continued({}, frozenset())


@dataclass(frozen=True)
class _Difference:
    """The rows of a table that the former release has too many (`gone`) and too few (`new`)."""

    row_count: int
    gone: int
    new: int
    deleted: int  # rows that take up space in the former file, with those that go
    is_exact: bool

    @property
    def is_large(self) -> bool:
        changed = self.gone + self.new
        return (
            changed > _MOST_CHANGED_RATIO * self.row_count
            or self.deleted > _MOST_DELETED_RATIO * self.row_count
        )


def continue_release(
    con: duckdb.DuckDBPyConnection,
    former: Path,
    database: Path,
    marts: Sequence[MartDefinition],
) -> Continued:
    """Copy the former database and make its tables equal to the marts of the attached warehouse.

    Tables that have to be written anew are missing in the copy. If all of them have to, there is no
    copy.

    Raises:
        duckdb.Error, OSError: the copy is incomplete.
    """
    wanted = _wanted_definitions(con, marts)
    if not _copy_intact(former, database):
        database.unlink()
        return NOTHING
    with attach_copy(con, database):
        is_usable = _is_usable(con)
        continued = _update_tables(con, marts, wanted) if is_usable else NOTHING
    if not is_usable:
        database.unlink()
    return continued


def _update_tables(
    con: duckdb.DuckDBPyConnection,
    marts: Sequence[MartDefinition],
    wanted: Mapping[str, Definition],
) -> Continued:
    present = _definitions(con)
    differences: dict[str, _Difference] = {}
    # An index refuses a key that was deleted in the same transaction.
    with transaction(con):
        con.execute("create temp table new_rows (mart varchar, row_id bigint)")
        for mart in marts:
            if present.get(mart.name) == wanted[mart.name]:
                difference = _difference(con, mart)
                if difference.is_exact and not difference.is_large:
                    differences[mart.name] = difference
                    _delete_gone(con, mart, difference)
        for name in sorted(set(present) - set(differences)):
            con.execute(f'drop table marts.main."{name}"')
    with transaction(con):
        for mart in marts:
            if mart.name in differences and differences[mart.name].new:
                _insert_new(con, mart)
        con.execute("drop table new_rows")
    return Continued(
        {name: each.row_count for name, each in differences.items()},
        frozenset(name for name, each in differences.items() if not each.gone and not each.new),
    )


def _difference(con: duckdb.DuckDBPyConnection, mart: MartDefinition) -> _Difference:
    """Compare the rows of a table by their hashes, which stay in temporary tables.

    Rows that occur several times can hide a change, and are found by the sums of the hashes.
    """
    for name, table in (("former_rows", f'marts.main."{mart.name}"'), ("rows", source_of(mart))):
        con.execute(
            f"create or replace temp table {name} as "  # noqa: S608 - a mart
            f"select rowid as row_id, hash(each) as digest from {table} as each"
        )
    for name, some, others in (("gone", "former_rows", "rows"), ("new", "rows", "former_rows")):
        con.execute(
            f"create or replace temp table {name} as from {some} anti join {others} using (digest)"
        )
    totals: list[tuple[int, int, int]] = [
        con.execute(
            "select count(*), coalesce(sum(digest), 0), coalesce(max(row_id) + 1, 0) "  # noqa: S608
            f"from {name}"
        ).fetchall()[0]
        for name in ("former_rows", "gone", "new", "rows")
    ]
    former, gone, new, rows = totals
    return _Difference(
        row_count=rows[0],
        gone=gone[0],
        new=new[0],
        deleted=former[2] - former[0] + gone[0],
        is_exact=all(former[at] - gone[at] + new[at] == rows[at] for at in (0, 1)),
    )


def _delete_gone(
    con: duckdb.DuckDBPyConnection, mart: MartDefinition, difference: _Difference
) -> None:
    if difference.gone:
        con.execute(
            f'delete from marts.main."{mart.name}" where rowid in (select row_id from gone)'  # noqa: S608
        )
    if difference.new:
        con.execute("insert into new_rows select $1, row_id from new", [mart.name])


def _insert_new(con: duckdb.DuckDBPyConnection, mart: MartDefinition) -> None:
    con.execute(
        f'insert into marts.main."{mart.name}" from {source_of(mart)} '  # noqa: S608
        "where rowid in (select row_id from new_rows where mart = $1)",
        [mart.name],
    )


def _is_usable(con: duckdb.DuckDBPyConnection) -> bool:
    """Return false if the copy has another storage version, or much free space."""
    [(tags,)] = con.execute(
        "select tags from duckdb_databases() where database_name = 'marts'"
    ).fetchall()
    [(blocks, free)] = con.execute(
        "select total_blocks, free_blocks from pragma_database_size() where database_name = 'marts'"
    ).fetchall()
    is_same_version = str(tags["storage_version"]).startswith(RELEASE_STORAGE_VERSION)
    return is_same_version and free <= _MOST_FREE_RATIO * blocks


def _wanted_definitions(
    con: duckdb.DuckDBPyConnection, marts: Iterable[MartDefinition]
) -> dict[str, Definition]:
    """Return the definitions of the marts by name, as DuckDB writes them."""
    con.execute("attach ':memory:' as marts")
    for mart in marts:
        con.execute(mart.keyed_statement)
    statements = {name: statement for name, (statement, *_) in _definitions(con).items()}
    con.execute("detach marts")
    return {
        mart.name: (statements[mart.name], mart.description, dict(mart.columns)) for mart in marts
    }


def _definitions(con: duckdb.DuckDBPyConnection) -> dict[str, Definition]:
    """Return the definitions of the tables of the database `marts` by name."""
    tables: list[tuple[str, str, str | None]] = con.execute(
        "select table_name, sql, comment from duckdb_tables() where database_name = 'marts'"
    ).fetchall()
    columns: dict[str, dict[str, str]] = {name: {} for name, _, _ in tables}
    for name, column, text in con.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where database_name = 'marts' and comment is not null and table_name in (
            select table_name from duckdb_tables() where database_name = 'marts'
        )
    """).fetchall():
        columns[name][column] = text
    return {name: (statement, text, columns[name]) for name, statement, text in tables}


class _Copying:
    """A file that is copied as far as it is read."""

    def __init__(self, source: IO[bytes], target: IO[bytes]) -> None:
        self._source = source
        self._target = target

    def read(self, size: int, /) -> bytes:
        content = self._source.read(size)
        self._target.write(content)
        return content


def _copy_intact(source: Path, target: Path) -> bool:
    """Copy a database; return false if a block is damaged.

    Otherwise each later release would have the damage, too.
    """
    with source.open("rb") as reading, target.open("wb") as writing:
        return damage_in(_Copying(reading, writing)) is None
