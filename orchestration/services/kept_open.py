"""The warehouse kept open from one use to the next, but never while Hevy is asked.

A file takes a thirtieth of a second to open and to close, which a publication would do nine times.
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


class KeptOpen:
    """A warehouse for several uses in a row; whoever makes it closes it."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._open = ExitStack()
        self._con: duckdb.DuckDBPyConnection | None = None

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection, opened if it is not open; it stays so unless the use goes wrong.

        Raises:
            What `connect` raises that it was made of, also for an error of the use.
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
        """Let other processes have the warehouse until it is used again."""
        self._con = None
        self._open.close()


def _closed_meanwhile(
    method: Callable[Concatenate[HevyClient, P], T],
) -> Callable[Concatenate["ServiceBetweenUses", P], T]:
    @wraps(method)
    def call(self: "ServiceBetweenUses", /, *args: P.args, **kwargs: P.kwargs) -> T:
        self.warehouse.close()
        return method(self.client, *args, **kwargs)

    return call


class ServiceBetweenUses:
    """What publishing asks of Hevy, with the warehouse closed: an answer may take long."""

    def __init__(self, client: HevyClient, warehouse: KeptOpen) -> None:
        self.client, self.warehouse = client, warehouse

    routine = _closed_meanwhile(HevyClient.routine)
    update_routine = _closed_meanwhile(HevyClient.update_routine)
    routines = _closed_meanwhile(HevyClient.routines)
    routine_folders = _closed_meanwhile(HevyClient.routine_folders)
    create_routine_folder = _closed_meanwhile(HevyClient.create_routine_folder)
    create_routine = _closed_meanwhile(HevyClient.create_routine)
