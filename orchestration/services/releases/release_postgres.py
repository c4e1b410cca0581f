"""Publish a release into a schema of PostgreSQL, for BI tools.

A release is one transaction. Tables with changed content are emptied by DELETE and filled again, so
PostgreSQL's row versions isolate readers: a statement sees the former or the new release, an open
REPEATABLE READ transaction sees one release until it ends, and readers and the writer do not wait
for each other. TRUNCATE and DROP wait for readers and block them, and an open snapshot would see an
empty table afterwards. The same holds for a schema that is filled aside and renamed: its tables are
newer than the snapshot.

Only a table with changed columns is dropped and created again, in the same transaction. If a reader
holds it for longer than `_LOCK_TIMEOUT_S`, nothing is published.

The table `manifest_tables` of the schema has the hashes by which changes are found.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from orchestration.config.postgres import (
    PostgresError,
    PostgresLockedError,
    PostgresTableMissingError,
    connect_postgres,
    copy_into,
)
from orchestration.config.release_postgres import ReleasePostgres
from orchestration.services.queries.sql_session import open_release

if TYPE_CHECKING:
    from sqlalchemy import Connection

HASHES = "manifest_tables"
"""Table of the schema with the hashes of the others."""

# Queries wait behind a lock that waits for a reader, so it does not wait for long.
_LOCK_TIMEOUT_S = 5
_BATCH_ROWS = 20_000

_TYPES = {
    "BOOLEAN": "boolean",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "DOUBLE": "double precision",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
}
_JSON = "jsonb"
_KEYS = ("PRIMARY KEY", "UNIQUE")

_FORMER = "Readers keep the former content, and the next run tries again"
_RECONNECT = (
    "Start PostgreSQL, or fix SPOTTER_RELEASE_POSTGRES or SPOTTER_RELEASE_POSTGRES_PASSWORD; the "
    "next run tries again"
)

_HASH_TABLE = f"""
    create table if not exists {{schema}}.{HASHES} (
        table_name text primary key,
        definition_hash text not null,
        comments_hash text not null,
        content_hash text not null
    )
"""
_HASH_COMMENT = (
    f"comment on table {{schema}}.{HASHES} is 'One row per table that Spotter publishes in "
    "this schema, with hashes of its definition, comments and content.'"
)


class ReleasePostgresFailedError(Exception):
    """A release was not published to PostgreSQL; the schema has the former one.

    The message has the action to take and no password.
    """


@dataclass(frozen=True)
class PublishedTable:
    """A table of the schema. `is_written` is false if its content was equal already."""

    name: str
    row_count: int
    is_written: bool


@dataclass(frozen=True)
class _Column:
    name: str
    type: str  # of PostgreSQL
    is_nullable: bool
    comment: str | None


@dataclass(frozen=True)
class _Table:
    name: str
    columns: tuple[_Column, ...]
    keys: tuple[str, ...]
    comment: str | None
    row_count: int
    content_hash: str

    @property
    def body(self) -> str:
        """Return its columns and keys, as in a statement that creates it."""
        columns = (
            f"{_name(each.name)} {each.type}{'' if each.is_nullable else ' not null'}"
            for each in self.columns
        )
        return f"({', '.join((*columns, *self.keys))})"

    @property
    def hashes(self) -> tuple[str, str, str]:
        """Return the hashes of definition, comments and content."""
        comments = json.dumps([self.comment, *(each.comment for each in self.columns)])
        return _sha256(self.body), _sha256(comments), self.content_hash


def publish_to_postgres(database: Path, target: ReleasePostgres) -> tuple[PublishedTable, ...]:
    """Make the schema of the target equal to a released database, in one transaction.

    The schema is created if it is missing. Tables that are not in the release are dropped if an
    earlier release created them. The reader, if there is one, may select from all of them.

    Raises:
        ReleasePostgresFailedError: the schema is unchanged.
        SettingsError: the driver is not installed.
        ReleaseMissingError, duckdb.Error: the database is missing or damaged.
    """
    is_connected = False
    try:
        with open_release(database) as con:
            tables = _read_tables(con)
            with connect_postgres(target.url, target.password) as postgres:
                is_connected = True
                with postgres.begin():
                    written = _Publication(con, postgres, target).publish(tables)
    except PostgresLockedError as error:
        raise ReleasePostgresFailedError(
            f"The release was not published to {target}: another session, such as a reader "
            f"of a table with changed columns, held a lock for {_LOCK_TIMEOUT_S} s. {_FORMER}."
        ) from error
    except PostgresError as error:
        action = _FORMER if is_connected else _RECONNECT
        raise ReleasePostgresFailedError(
            f"The release was not published to {target}: {error}. {action}."
        ) from error
    return tuple(PublishedTable(each.name, each.row_count, each.name in written) for each in tables)


def published_release(target: ReleasePostgres) -> int | None:
    """Return the number of the release in the schema; None if there is none.

    Raises:
        PostgresError: the database does not answer, or refuses.
        SettingsError: the driver is not installed.
    """
    query = f"select release_number from {_name(target.schema)}.manifest"  # noqa: S608
    try:
        with connect_postgres(target.url, target.password) as postgres:
            number: int | None = postgres.exec_driver_sql(query).scalar_one_or_none()
            return number
    except PostgresTableMissingError:
        return None


class _Publication:
    """One transaction that makes the schema equal to the release."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, postgres: "Connection", target: ReleasePostgres
    ) -> None:
        self._con = con
        self._postgres = postgres
        self._target = target
        self._schema = _name(target.schema)

    def publish(self, tables: Sequence[_Table]) -> set[str]:
        """Return the names of the tables that were written."""
        self._execute(f"set local lock_timeout = '{_LOCK_TIMEOUT_S}s'")
        self._lock()
        self._ensure_schema()
        known = self._known_hashes()
        is_kept = {each.name: known.get(each.name, ("",))[0] == each.hashes[0] for each in tables}
        # Replaced tables are last, because they are locked for readers until the commit.
        ordered = sorted(tables, key=lambda each: (not is_kept[each.name], each.name))
        written = {each.name for each in ordered if self._publish_table(each, known.get(each.name))}
        for name in sorted(set(known) - set(is_kept)):
            self._drop(name)
        self._grant([HASHES, *is_kept])
        return written

    def _lock(self) -> None:
        [(is_free,)] = self._rows(
            "select pg_try_advisory_xact_lock(hashtext('spotter'), hashtext(%s))",
            self._target.schema,
        )
        if not is_free:
            raise PostgresError("another process is publishing to it")

    def _ensure_schema(self) -> None:
        # `create schema if not exists` needs the right to create one even if it exists.
        if not self._rows("select 1 from pg_namespace where nspname = %s", self._target.schema):
            self._execute(f"create schema {self._schema}")
        if HASHES not in self._tables_there():
            self._execute(_HASH_TABLE.format(schema=self._schema))
            self._execute(_HASH_COMMENT.format(schema=self._schema))

    def _tables_there(self) -> set[str]:
        found = self._rows(
            "select tablename from pg_tables where schemaname = %s", self._target.schema
        )
        return {str(name) for (name,) in found}

    def _known_hashes(self) -> dict[str, tuple[str, str, str]]:
        """Return the hashes of the tables that an earlier release created and that are there."""
        rows = self._rows(
            "select table_name, definition_hash, comments_hash, content_hash "  # noqa: S608
            f"from {self._schema}.{HASHES}"
        )
        there = self._tables_there()
        return {
            str(name): (str(definition), str(comments), str(content))
            for name, definition, comments, content in rows
            if name in there
        }

    def _publish_table(self, table: _Table, known: tuple[str, str, str] | None) -> bool:
        """Return true if the content was written."""
        if known == table.hashes:
            return False
        place = f"{self._schema}.{_name(table.name)}"
        definition, comments, content = known or ("", "", "")
        is_replaced = definition != table.hashes[0]
        is_written = is_replaced or content != table.hashes[2]
        if is_replaced:
            if known is not None:
                self._drop(table.name)
            self._execute(f"create table {place} {table.body}")
        elif is_written:
            self._execute(f"delete from {place}")  # noqa: S608 - a table of the release
        if is_written:
            self._copy(table, place)
        if is_replaced or comments != table.hashes[1]:
            self._execute(f"comment on table {place} is %s", table.comment)
            for column in table.columns:
                what = f"{place}.{_name(column.name)}"
                self._execute(f"comment on column {what} is %s", column.comment)
        self._forget(table.name)
        self._execute(
            f"insert into {self._schema}.{HASHES} values (%s, %s, %s, %s)",  # noqa: S608
            table.name,
            *table.hashes,
        )
        return is_written

    def _copy(self, table: _Table, place: str) -> None:
        names = ", ".join(_name(each.name) for each in table.columns)
        values = ", ".join(_copy_text(each) for each in table.columns)
        rows = self._con.execute(
            f"select concat_ws(chr(9), {values}) from {_name(table.name)}"  # noqa: S608
        )
        while batch := rows.fetchmany(_BATCH_ROWS):
            lines = "".join(f"{line}\n" for (line,) in batch)
            copy_into(self._postgres, f"copy {place} ({names}) from stdin", BytesIO(lines.encode()))

    def _drop(self, name: str) -> None:
        self._execute(f"drop table {self._schema}.{_name(name)}")
        self._forget(name)

    def _forget(self, name: str) -> None:
        self._execute(f"delete from {self._schema}.{HASHES} where table_name = %s", name)  # noqa: S608

    def _grant(self, names: Sequence[str]) -> None:
        """Grant the reader the rights that it lacks."""
        reader = self._target.reader
        if not reader:
            return
        [(has_schema,)] = self._rows(
            "select has_schema_privilege(%s, %s, 'usage')", reader, self._target.schema
        )
        if not has_schema:
            self._execute(f"grant usage on schema {self._schema} to {_name(reader)}")
        for name in names:
            table = f"{self._schema}.{_name(name)}"
            [(has_table,)] = self._rows(
                "select has_table_privilege(%s, %s, 'select')", reader, table
            )
            if not has_table:
                self._execute(f"grant select on {table} to {_name(reader)}")

    def _execute(self, statement: str, *parameters: object) -> None:
        self._postgres.exec_driver_sql(statement, parameters or None)

    def _rows(self, query: str, *parameters: object) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self._postgres.exec_driver_sql(query, parameters or None)]


def _read_tables(con: duckdb.DuckDBPyConnection) -> list[_Table]:
    """Return the tables of the release by name.

    Raises:
        ReleasePostgresFailedError: a type has no counterpart in PostgreSQL.
    """
    tables: list[tuple[str, str | None]] = con.execute(
        "select table_name, comment from duckdb_tables() where not internal order by table_name"
    ).fetchall()
    return [_read_table(con, name, comment) for name, comment in tables]


def _read_table(con: duckdb.DuckDBPyConnection, name: str, comment: str | None) -> _Table:
    columns: list[tuple[str, str, bool, str | None]] = con.execute(
        """
        select column_name, data_type, is_nullable, comment from duckdb_columns()
        where table_name = $1 and not internal
        order by column_index
        """,
        [name],
    ).fetchall()
    keys: list[tuple[str, list[str]]] = con.execute(
        """
        select constraint_type, constraint_column_names from duckdb_constraints()
        where table_name = $1 and constraint_type in ($2, $3)
        order by constraint_index
        """,
        [name, *_KEYS],
    ).fetchall()
    [(row_count, content_hash)] = con.execute(
        "select count(*), coalesce(sum(hash(each)::hugeint), 0)::varchar "  # noqa: S608
        f"from {_name(name)} as each"
    ).fetchall()
    return _Table(
        name=name,
        columns=tuple(
            _Column(column, _postgres_type(name, column, kind), is_nullable, text)
            for column, kind, is_nullable, text in columns
        ),
        keys=tuple(f"{kind.lower()} ({', '.join(map(_name, key))})" for kind, key in keys),
        comment=comment,
        row_count=row_count,
        content_hash=f"{row_count} {content_hash}",
    )


def _postgres_type(table: str, column: str, kind: str) -> str:
    """Return the type of PostgreSQL; structures, and lists of them, are JSON."""
    if kind.startswith("STRUCT("):
        return _JSON
    element = kind.removesuffix("[]")
    if element not in _TYPES:
        raise ReleasePostgresFailedError(
            f"The release was not published to PostgreSQL: {table}.{column} has the type {kind}, "
            "which has no counterpart there. Add one in "
            "orchestration/services/releases/release_postgres.py."
        )
    return _TYPES[element] + kind.removeprefix(element)


def _copy_text(column: _Column) -> str:
    r"""Return an expression of DuckDB for a value in the text format of PostgreSQL's COPY.

    Null is `\N`. The character NUL, which PostgreSQL's texts cannot have, is left out.
    """
    value = _name(column.name)
    if column.type == _JSON:
        # The pattern consumes whole escapes, so an escaped backslash before "u0000" is kept.
        text = rf"regexp_replace(to_json({value})::varchar, '\\u0000|(\\.)', '\1', 'g')"
    elif column.type.endswith("[]"):
        item = r"""replace(replace(item::varchar, '\', '\\'), '"', '\"')"""
        items = f"""[coalesce('"' || {item} || '"', 'NULL') for item in {value}]"""
        text = f"'{{' || array_to_string({items}, ',') || '}}'"
    else:
        text = f"{value}::varchar"
    text = f"replace({text}, chr(0), '')"
    for character, escape in (
        (r"'\'", r"\\"),
        ("chr(9)", r"\t"),
        ("chr(10)", r"\n"),
        ("chr(13)", r"\r"),
    ):
        text = f"replace({text}, {character}, '{escape}')"
    return rf"case when {value} is null then '\N' else {text} end"


def _name(identifier: str) -> str:
    escaped = identifier.replace('"', '""')
    return f'"{escaped}"'


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
