"""Event log storage in SQLite with persistent connections."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from alembic.runtime.migration import MigrationContext
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool


class PooledSqliteEventLogStorage(SqliteEventLogStorage):
    """Dagster's SQLite event log with one connection per file, for commands that run one job.

    Dagster's own storage opens and closes a file for each of the 1,900 writes of a nightly run;
    each close checkpoints and deletes the write-ahead log, which takes a quarter of the run's time.
    No transaction outlasts an event, so servers can write concurrently.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        self._asset_key_columns: set[str] = set()
        super().__init__(*arguments, **named)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "PooledSqliteEventLogStorage":
        """Create the storage from Dagster's configuration."""
        return cls(inst_data=inst_data, **config_value)

    def dispose(self) -> None:
        """Close all connections."""
        super().dispose()
        with self._db_lock:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()

    def has_table(self, table_name: str) -> bool:
        """Return true if the index has this table; a positive result is cached."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        """Return true if the table of asset keys has this column; a positive result is cached."""
        is_known = column_name in self._asset_key_columns
        if not is_known and super()._has_asset_key_col_on_connection(conn, column_name):
            self._asset_key_columns.add(column_name)
        return column_name in self._asset_key_columns

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock, self._engine(shard).begin() as connection:
            yield connection

    def _engine(self, shard: str) -> Engine:
        """Return the cached engine of a file, created if missing; the caller holds the lock."""
        if shard not in self._engines:
            engine = create_engine(
                self.conn_string_for_shard(shard),
                poolclass=StaticPool,
                # The lock ensures one thread at a time.
                connect_args={
                    "timeout": SQLITE_BUSY_TIMEOUT_SECONDS,
                    "check_same_thread": False,
                },
            )
            with engine.connect() as connection:
                is_initialised = MigrationContext.configure(connection).get_current_revision()
            # Otherwise each known file would cost the import of all of Dagster's migrations.
            if not is_initialised:
                self._initdb(engine)
            with engine.connect() as connection:
                # With a write-ahead log the database stays consistent after a power cut without a
                # sync per commit; at most the last events are lost.
                connection.exec_driver_sql("pragma synchronous = normal")
            self._engines[shard] = engine
        return self._engines[shard]
