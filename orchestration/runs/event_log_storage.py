"""Dagster's history of events, in the SQLite files that its own storage reads and writes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool


class KeptOpenEventLogStorage(SqliteEventLogStorage):
    """The history with each of its files opened once, for a command that runs one job or listens.

    Dagster's own storage opens and closes a file for each of a night's 1,900 writes; as nobody
    else has it open, each closing moves the write-ahead log into the file and deletes it. That is
    a quarter of a night's work. No transaction outlasts an event, so servers write beside it.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        super().__init__(*arguments, **named)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "KeptOpenEventLogStorage":
        """As Dagster makes it from its configuration."""
        return cls(inst_data=inst_data, **config_value)

    def dispose(self) -> None:
        """Close the files."""
        super().dispose()
        with self._db_lock:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()

    def has_table(self, table_name: str) -> bool:
        """Whether the index has this table; looked up, at each asset, only until it has."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock, self._engine(shard).begin() as connection:
            yield connection

    def _engine(self, shard: str) -> Engine:
        """The kept engine of a file, which is made if it is missing; the caller holds the lock."""
        if shard not in self._engines:
            engine = create_engine(
                self.conn_string_for_shard(shard),
                poolclass=StaticPool,
                # The lock sees to it that one thread at a time has the connection.
                connect_args={
                    "timeout": SQLITE_BUSY_TIMEOUT_SECONDS,
                    "check_same_thread": False,
                },
            )
            self._initdb(engine)
            with engine.connect() as connection:
                # A write-ahead log is whole after a power cut without waiting for the disk at each
                # commit; only the last events can be missing, as they would be a moment earlier.
                connection.exec_driver_sql("pragma synchronous = normal")
            self._engines[shard] = engine
        return self._engines[shard]
