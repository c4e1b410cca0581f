"""Migrate the schema of a warehouse from older versions, step by step.

`meta.migrations` has a row for each applied step; the highest number is the schema version. A
warehouse without that table predates the numbering. Each step is a transaction that includes its
row, so a kill leaves it completely undone or done.

To change a table of `raw` or `coach`: change its creation, and append a step here that changes
existing tables. Tables missing in a step are created in their current form, so later steps use `if
not exists`. dbt handles its own tables: it rebuilds every fact with changed rules, and adds new
columns to snapshots; a mart that is renamed or removed is dropped here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import duckdb

from coach_agent.store.schema import PAYLOADS_SEALED, SEALED, create_coach_tables
from hevy_connector.raw.tables import create_raw_tables


class WarehouseNewerError(Exception):
    """A newer version of Spotter created the warehouse; the message has the fix."""


@dataclass(frozen=True)
class Migration:
    """A step, numbered by its position in `MIGRATIONS` from 1; `apply` must not begin a
    transaction.
    """

    name: str
    apply: Callable[[duckdb.DuckDBPyConnection], None]


def _number_publications(con: duckdb.DuckDBPyConnection) -> None:
    """Number publications: the first version ordered those of a routine by time alone."""
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
    """Create the tables and columns added before steps were numbered."""
    had_sync_log = bool(_tables(con, "raw", "sync_log"))
    create_raw_tables(con)
    create_coach_tables(con)
    if not had_sync_log:
        con.execute("""
            insert into raw.sync_log
            select athlete_id, entity, last_complete_at from raw.sync_state
        """)


def _drop_renamed_marts(con: duckdb.DuckDBPyConnection) -> None:
    """Drop tables that dbt builds under another name now, so that no release has them twice."""
    con.execute("drop table if exists marts.fct_rejected_record")


MIGRATIONS = (
    Migration("publications are numbered within their routine", _number_publications),
    Migration("tables and columns from before there were numbers", _make_what_is_missing),
    Migration("files that were imported are known by their content", create_raw_tables),
    Migration(PAYLOADS_SEALED, create_coach_tables),
    Migration("prompts and answers of language models are stored", create_coach_tables),
    Migration("rejected texts of language models are stored", create_coach_tables),
    Migration("notes and red flags of check-ins are stored", create_coach_tables),
    Migration(SEALED, create_coach_tables),
    Migration("recovery and body data are stored", create_raw_tables),
    Migration("programmes and their routines are stored", create_coach_tables),
    Migration("session RPEs are stored", create_coach_tables),
    Migration("memories are stored", create_coach_tables),
    Migration("sessions of endurance are stored", create_raw_tables),
    Migration("marts that were renamed are gone", _drop_renamed_marts),
    Migration("followed programmes are recorded", create_coach_tables),
    Migration("proposed actions are stored", create_coach_tables),
    Migration("mentions of memories in notes are stored", create_coach_tables),
)
SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(con: duckdb.DuckDBPyConnection) -> int:
    """Return the schema version of a warehouse; 0 if it predates the numbering."""
    try:
        rows: list[tuple[int]] = con.execute(
            "select coalesce(max(version), 0) from meta.migrations"
        ).fetchall()
    except duckdb.CatalogException:
        return 0
    return rows[0][0]


def is_current(con: duckdb.DuckDBPyConnection) -> bool:
    """Return true if a warehouse needs no step.

    Raises:
        WarehouseNewerError: it has steps that this version lacks.
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
    """Apply the pending steps of a warehouse; returns their names."""
    done = schema_version(con)
    for number, migration in enumerate(migrations[done:], start=done + 1):
        con.execute("begin")
        try:
            migration.apply(con)
            _record(con, {number: migration})
            con.execute("commit")
        except BaseException:
            con.execute("rollback")
            raise
    return [migration.name for migration in migrations[done:]]


def create_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the tables of a new warehouse, with every step marked as applied."""
    create_raw_tables(con)
    create_coach_tables(con)
    _record(con, dict(enumerate(MIGRATIONS, start=1)))


def _record(con: duckdb.DuckDBPyConnection, applied: Mapping[int, Migration]) -> None:
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
        """
        insert into meta.migrations
        select unnest($1), unnest($2), $3, now() at time zone 'UTC'
        """,
        [list(applied), [each.name for each in applied.values()], _spotter_version()],
    )


@cache
def _spotter_version() -> str:
    """Return the installed version from the package metadata."""
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
