"""Plugin of dbt-duckdb that attaches the lake; dbt's profile names this module."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from orchestration.config.lake import Lake, lake_of
from orchestration.config.settings import load_settings
from orchestration.storage.connection import disable_progress_bar
from orchestration.storage.lake.catalog import CATALOG_NAME, attach_lake

_built: list[Lake] = []


@contextmanager
def use_lake(lake: Lake) -> Iterator[None]:
    """Use this lake in dbt builds of this process."""
    _built.append(lake)
    try:
        yield
    finally:
        _built.pop()


class Plugin(BasePlugin):
    """Attach the lake, so that no key and no password is in a profile."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Attach the lake of the build, or of the settings if dbt was started manually."""
        disable_progress_bar(conn)
        attach_lake(conn, _built[-1] if _built else lake_of(load_settings().keys))

    def configure_cursor(self, cursor: Any) -> None:
        """Make the lake the default database."""
        cursor.execute(f"use {CATALOG_NAME}")
