"""Compare the state of two nights in their warehouses, and detect an invalid comparison."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

# Times of the machine differ between two nights, and so do the run ids and the reporter of a
# published routine: the publication or, if its run was killed before, a sync. The hashes include
# such times.
LEARNED = re.compile(
    r"(?<!started)(?<!ended)(?<!trained)_at$|_from$|_to$|\brun_id$|_snapshot_key$"
    r"|routine\w*\.origin$|^int_athlete(_inputs|s_observed)\.input_hash$"
    r"|^(plan_records|publications)\.sha256$"
)

# A row per attempt, of which killed workers need more.
TRIES = frozenset({"raw.sync_log", "coach.publication_events"})

_WITHOUT_DATA = frozenset({"meta", "state"})

Keys = Mapping[str, Sequence[Sequence[str]]]
"""The columns of each key, by table."""


@dataclass(frozen=True)
class Content:
    """A table's rows, the sums of their hashes, and the number of keys with several rows.

    `hashes` are by column, and of whole rows by the empty name; independent of order.
    """

    rows: int = 0
    hashes: Mapping[str, int] = field(default_factory=dict)
    doubled: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def keys_of(con: duckdb.DuckDBPyConnection) -> Keys:
    """Return the keys of a file's tables; in a lake its writers enforce them."""
    keys: dict[str, list[list[str]]] = {}
    for table, columns in con.execute(
        "select schema_name || '.' || table_name, constraint_column_names from duckdb_constraints()"
        " where constraint_type in ('PRIMARY KEY', 'UNIQUE') "
        "and database_name = current_database() order by all"
    ).fetchall():
        keys.setdefault(table, []).append(columns)
    return keys


def contents(con: duckdb.DuckDBPyConnection, keys: Keys) -> dict[str, Content]:
    """Return the content of each table by name; tables without athlete data are left out."""
    tables: list[tuple[str, str, list[str]]] = con.execute("""
        select schema_name, table_name, list(column_name order by column_index)
        from duckdb_columns()
        inner join duckdb_tables() as tables using (database_name, schema_name, table_name)
        where database_name = current_database() and not tables.internal and not tables.temporary
        group by all order by all
    """).fetchall()
    return {
        f"{schema}.{table}": _content(con, schema, table, columns, keys)
        for schema, table, columns in tables
        if schema not in _WITHOUT_DATA and not table.startswith("manifest")
    }


def _content(
    con: duckdb.DuckDBPyConnection, schema: str, table: str, columns: Sequence[str], keys: Keys
) -> Content:
    name, place = f"{schema}.{table}", f'"{schema}"."{table}"'
    doubled = {}
    for key in keys.get(name, ()):
        # As in a file's keys, nulls are never equal.
        is_whole = " and ".join(f'"{column}" is not null' for column in key)
        listed = ", ".join(f'"{column}"' for column in key)
        groups = f"from {place} where {is_whole} group by {listed} having count(*) > 1"
        found = con.execute(f"select count(*) from (select 1 {groups})").fetchone()
        if found and found[0]:
            doubled[", ".join(key)] = int(found[0])
    if name in TRIES:
        return Content(doubled=doubled, left_out=("*",))
    kept = [column for column in columns if not LEARNED.search(f"{table}.{column}")]
    row = ", ".join(f'"{column}"' for column in kept)
    sums = ", ".join(
        f"coalesce(sum(hash({each})::hugeint), 0)"
        for each in (f"row({row})", *(f'"{column}"' for column in kept))
    )
    (found,) = con.execute(f"select count(*), {sums} from {place}").fetchall()
    return Content(
        rows=found[0],
        hashes=dict(zip(("", *kept), found[1:], strict=True)),
        doubled=doubled,
        left_out=tuple(column for column in columns if column not in kept),
    )


def differences(
    expected: Mapping[str, Content], found: Mapping[str, Content], where: str
) -> list[str]:
    """Return the differences and the keys with several rows, one line each."""
    lines = [
        f"{where}: {table} is on one side only" for table in sorted(set(expected) ^ set(found))
    ]
    for table in sorted(set(expected) & set(found)):
        ours, theirs = expected[table], found[table]
        for key, count in [*ours.doubled.items(), *theirs.doubled.items()]:
            lines.append(f"{where}: {table} has {count} values of ({key}) in several rows")
        if ours.rows != theirs.rows:
            lines.append(f"{where}: {table} has {theirs.rows} rows, not {ours.rows}")
        elif ours.hashes != theirs.hashes:
            columns = [
                name or "which values stand together"
                for name in sorted({*ours.hashes, *theirs.hashes}, reverse=True)
                if ours.hashes.get(name) != theirs.hashes.get(name)
            ]
            alone = columns[:-1] or columns
            lines.append(f"{where}: {table} differs in {', '.join(sorted(alone))}")
    return lines


def disturbances_missing(
    killed: int, crashes: int, nights: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return why the nights are no proof or are incomplete, one line each."""
    lines = []
    if killed == 0:
        lines.append("no run was killed")
    if crashes == 0:
        lines.append("the catalog's server did not crash")
    for number, night in enumerate(nights, 1):
        if "crashed" in night:
            lines.append(f"night {number} ended without a report: {night['crashed']}")
    if not nights or nights[-1].get("failed") != {}:
        lines.append(f"the last of {len(nights)} nights left something undone")
    return lines
