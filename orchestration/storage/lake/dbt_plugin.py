"""What dbt loads to work on the lake: its profile names this module as a plugin of dbt-duckdb."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from orchestration.config.lake import Lake
from orchestration.config.settings import lake_of, load_settings
from orchestration.storage.connection import be_silent
from orchestration.storage.lake.catalog import CATALOG_NAME, attach_lake

_built: list[Lake] = []


@contextmanager
def built_lake(lake: Lake) -> Iterator[None]:
    """Let dbt in this process work on this lake."""
    _built.append(lake)
    try:
        yield
    finally:
        _built.pop()


class Plugin(BasePlugin):
    """Attaches the lake, so that no key and no password is in a profile."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Attach the lake of the build, or that of the settings if dbt was called by hand."""
        be_silent(conn)
        attach_lake(conn, _built[-1] if _built else lake_of(load_settings().keys))

    def configure_cursor(self, cursor: Any) -> None:
        """Make the lake the database of names without one."""
        cursor.execute(f"use {CATALOG_NAME}")
