"""The warehouse connection stays open between uses, but not during requests to Hevy."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import duckdb
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.client.limits import RetryPolicy
from hevy_connector.errors import HevyUnavailableError
from orchestration.services.kept_open import ClosingService, ReusedConnection
from orchestration.storage.warehouse import CatalogLostError, open_warehouse
from tests.ports import free_port

ONCE = 1
TWICE = 2


class Openings:
    """Opens a warehouse and counts the openings."""

    def __init__(self, path: Path) -> None:
        self.path, self.count, self.errors = path, 0, list[str]()

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        self.count += 1
        with open_warehouse(self.path) as con:
            try:
                yield con
            except duckdb.Error as error:
                self.errors.append(str(error))
                raise CatalogLostError("Gone.") from error


@pytest.fixture
def openings(tmp_path: Path) -> Openings:
    return Openings(tmp_path / "warehouse.duckdb")


def is_free(path: Path) -> bool:
    """Return whether no connection of this process is open: a file has only one access mode."""
    try:
        duckdb.connect(path, read_only=True).close()
    except duckdb.ConnectionException:
        return False
    return True


def test_uses_in_a_row_are_of_one_opening_that_ends(openings: Openings) -> None:
    with closing(ReusedConnection(openings.connect)) as warehouse:
        with warehouse.connect() as con:
            con.execute("create table seen (number integer)")
        with warehouse.connect() as con:
            con.execute("from seen")
        assert openings.count == ONCE
        assert not is_free(openings.path)
    assert is_free(openings.path)


def test_it_is_closed_while_hevy_is_asked(openings: Openings) -> None:
    free: list[bool] = []

    class Asked(HevyClient):
        def _wait_for(self, call):  # type: ignore[no-untyped-def]
            free.append(is_free(openings.path))
            return super()._wait_for(call)

    key = "00000000-0000-4000-8000-000000000000"
    url = f"http://127.0.0.1:{free_port()}"
    with (
        Asked(key, base_url=url, retry=RetryPolicy(attempts=1)) as client,
        closing(ReusedConnection(openings.connect)) as warehouse,
    ):
        service = ClosingService(client, warehouse)
        asks: list[Callable[[], object]] = [
            partial(service.routine, "a"),
            service.routines,
            service.routine_folders,
        ]
        for ask in asks:
            with warehouse.connect() as con:
                con.execute("select 1")
            with pytest.raises(HevyUnavailableError):
                ask()
        assert free == [True] * len(asks)
        assert openings.count == len(asks)


def test_an_error_of_a_use_closes_it_and_is_told_as_the_opener_tells_it(openings: Openings) -> None:
    with closing(ReusedConnection(openings.connect)) as warehouse:
        with pytest.raises(CatalogLostError), warehouse.connect() as con:
            con.execute("from nowhere")
        assert is_free(openings.path)
        assert "nowhere" in openings.errors[0]
        with warehouse.connect() as con:
            assert con.execute("select 1").fetchall() == [(1,)]
        assert openings.count == TWICE
