"""A warehouse connection reused between calls, but closed during requests to Hevy.

Opening and closing a file takes about 1/30 s, and a publication would do it nine times.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import duckdb

from hevy_connector.client.client import HevyClient
from orchestration.storage.warehouse import Connect

P = ParamSpec("P")
T = TypeVar("T")


class ReusedConnection:
    """A warehouse connection for several uses in a row; the creator closes it."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._open = ExitStack()
        self._con: duckdb.DuckDBPyConnection | None = None

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield the connection, opening it if needed; an error in the block closes it.

        Raises:
            The errors of the `connect` function, also when an error in the block closes it.
        """
        if self._con is None:
            self._con = self._open.enter_context(self._connect())
        try:
            yield self._con
        except BaseException:
            self._con = None
            with self._open.pop_all():
                raise

    def close(self) -> None:
        """Release the warehouse for other processes until the next use."""
        self._con = None
        self._open.close()


def _close_before(
    method: Callable[Concatenate[HevyClient, P], T],
) -> Callable[Concatenate["ClosingService", P], T]:
    @wraps(method)
    def call(self: "ClosingService", /, *args: P.args, **kwargs: P.kwargs) -> T:
        self.warehouse.close()
        return method(self.client, *args, **kwargs)

    return call


class ClosingService:
    """Hevy client for publications that closes the warehouse before each request, which may be
    slow.
    """

    def __init__(self, client: HevyClient, warehouse: ReusedConnection) -> None:
        self.client, self.warehouse = client, warehouse

    routine = _close_before(HevyClient.routine)
    update_routine = _close_before(HevyClient.update_routine)
    routines = _close_before(HevyClient.routines)
    routine_folders = _close_before(HevyClient.routine_folders)
    create_routine_folder = _close_before(HevyClient.create_routine_folder)
    create_routine = _close_before(HevyClient.create_routine)
