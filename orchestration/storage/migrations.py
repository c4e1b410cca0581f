"""What brings a warehouse of an older version up to this one, one step after another.

`meta.migrations` has a row for each step that a warehouse has behind it; the highest number is
the version of its schema. A warehouse without that table is from before there were numbers. Each
step is a transaction of its own with its row in it, so that a kill leaves it undone or done.

To change a table of `raw` or `coach`: change how it is made, and append a step here that does the
same to tables which have rows. Tables that a step does not find are made as they are now, so the
steps after it say `if not exists`. dbt looks after its own: it rebuilds every fact whose rules are
others than those it was built with, and gives snapshots their new columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import duckdb

from coach_agent.store.schema import create_coach_tables
from coach_agent.verification.chain import PAYLOADS_SEALED, SEALED
from hevy_connector.raw.tables import create_raw_tables


class WarehouseNewerError(Exception):
    """The warehouse was made by a newer version of Spotter; the text says what to do."""


@dataclass(frozen=True)
class Migration:
    """A step: its number is its place in `MIGRATIONS`, from 1; `apply` begins no transaction."""

    name: str
    apply: Callable[[duckdb.DuckDBPyConnection], None]


def _number_publications(con: duckdb.DuckDBPyConnection) -> None:
    """The first version told publications of a routine apart by time alone."""
    columns: list[tuple[str]] = con.execute(
        """
        select column_name from duckdb_columns()
        where not internal and schema_name = 'coach' and table_name = 'publications'
        """
    ).fetchall()
    if not columns or ("publication_number",) in columns:
        return
    con.execute("""
        create temp table former_publications as
        select
            *,
            row_number() over (
                partition by athlete_id, routine_id order by staged_at, publication_id
            ) as publication_number
        from coach.publications
    """)
    con.execute("drop table coach.publications")
    create_coach_tables(con)
    con.execute("insert into coach.publications by name from temp.former_publications")
    con.execute("drop table temp.former_publications")


def _make_what_is_missing(con: duckdb.DuckDBPyConnection) -> None:
    """Tables and columns that versions without a number came to have."""
    had_sync_log = bool(_tables(con, "raw", "sync_log"))
    create_raw_tables(con)
    create_coach_tables(con)
    if not had_sync_log:
        con.execute("""
            insert into raw.sync_log
            select athlete_id, entity, last_complete_at from raw.sync_state
        """)


MIGRATIONS = (
    Migration("publications are numbered within their routine", _number_publications),
    Migration("tables and columns from before there were numbers", _make_what_is_missing),
    Migration("files that were imported are known by their content", create_raw_tables),
    Migration(PAYLOADS_SEALED, create_coach_tables),
    Migration("prompts and answers of language models are stored", create_coach_tables),
    Migration("rejected texts of language models are stored", create_coach_tables),
    Migration("notes and red flags of check-ins are stored", create_coach_tables),
    Migration(SEALED, create_coach_tables),
)
SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(con: duckdb.DuckDBPyConnection) -> int:
    """The version of a warehouse's schema; 0 if it is from before there were numbers."""
    try:
        rows: list[tuple[int]] = con.execute(
            "select coalesce(max(version), 0) from meta.migrations"
        ).fetchall()
    except duckdb.CatalogException:
        return 0
    return rows[0][0]


def is_current(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether a warehouse needs no step.

    Raises:
        WarehouseNewerError: it knows steps that this version does not.
    """
    found = schema_version(con)
    if found > SCHEMA_VERSION:
        raise WarehouseNewerError(
            f"The warehouse has schema {found}, made by a newer version of Spotter than this one, "
            f"which knows schemas up to {SCHEMA_VERSION}. Update Spotter, or restore a backup from "
            "before the update; nothing was changed."
        )
    return found == SCHEMA_VERSION


def migrate(
    con: duckdb.DuckDBPyConnection, migrations: tuple[Migration, ...] = MIGRATIONS
) -> list[str]:
    """Take the steps that a warehouse has not behind it; returns their names."""
    done = schema_version(con)
    for number, migration in enumerate(migrations[done:], start=done + 1):
        con.execute("begin")
        try:
            migration.apply(con)
            _record(con, number, migration)
            con.execute("commit")
        except BaseException:
            con.execute("rollback")
            raise
    return [migration.name for migration in migrations[done:]]


def create_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of a new warehouse, which has every step behind it."""
    create_raw_tables(con)
    create_coach_tables(con)
    for number, migration in enumerate(MIGRATIONS, start=1):
        _record(con, number, migration)


def _record(con: duckdb.DuckDBPyConnection, number: int, migration: Migration) -> None:
    con.execute("create schema if not exists meta")
    con.execute("""
        create table if not exists meta.migrations (
            version integer primary key,
            name varchar not null,
            spotter_version varchar not null,
            applied_at timestamp not null
        )
    """)
    con.execute(
        "insert into meta.migrations values ($1, $2, $3, now() at time zone 'UTC')",
        [number, migration.name, _spotter_version()],
    )


@cache
def _spotter_version() -> str:
    """Return the installed version, which is read from the metadata of the package."""
    return version("spotter")


def _tables(con: duckdb.DuckDBPyConnection, schema: str, table: str) -> list[tuple[str]]:
    found: list[tuple[str]] = con.execute(
        """
        select table_name from duckdb_tables()
        where
            not internal and schema_name = $1 and table_name = $2
            and database_name = current_database()
        """,
        [schema, table],
    ).fetchall()
    return found
