"""The database of a release, attached as `marts` next to the warehouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from orchestration.dbt.mart_definitions import MartDefinition
from orchestration.storage.connection import quoted_path

# The oldest DuckDB that can read the copy.
RELEASE_STORAGE_VERSION = "v1.2.0"


@contextmanager
def attach_copy(con: duckdb.DuckDBPyConnection, database: Path) -> Iterator[None]:
    """Attach the copy as `marts`, created if missing; everything is in its file on exit."""
    version = "" if database.exists() else f" (storage_version '{RELEASE_STORAGE_VERSION}')"
    con.execute(f"attach '{quoted_path(database)}' as marts{version}")
    yield
    con.execute("checkpoint marts")
    con.execute("detach marts")


def source_of(mart: MartDefinition) -> str:
    """Return the name of a mart's table in the attached warehouse."""
    return f'warehouse.marts."{mart.name}"'
