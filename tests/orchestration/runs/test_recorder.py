"""Reads and records of several threads share an opening of the warehouse; their errors do not."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event
from typing import Any

import duckdb
import pytest

from orchestration.runs.recorder import Recorder
from orchestration.storage.warehouse import WarehouseBusyError
from tests.waiting import wait_until

Work = Callable[[duckdb.DuckDBPyConnection], Any]


class Warehouse:
    """A database in memory that counts what is done with it; it opens when `may_open` is set."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con
        self.may_open = Event()
        self.fault: Exception | None = None
        self.openings = self.turns = 0
        con.execute("create table notes (text varchar)")

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        self.openings += 1
        assert self.may_open.wait(60)
        if self.fault is not None:
            raise self.fault
        yield self.con

    @contextmanager
    def turn(self) -> Iterator[None]:
        self.turns += 1
        yield

    def together(self, works: Sequence[Work], *, reads: bool = False) -> list[Future[Any]]:
        """Return the ended results of works that all waited for the same opening."""
        recorder = Recorder(self.connect, self.turn)
        do = recorder.read if reads else recorder.write
        with ThreadPoolExecutor(len(works)) as pool:
            results = []
            for number, work in enumerate(works, start=1):
                results.append(pool.submit(do, work))
                wait_until(lambda: recorder._waiting.qsize() == number, "waiting")  # noqa: B023
            self.may_open.set()
        return results

    @property
    def notes(self) -> list[str]:
        rows = self.con.execute("select text from notes order by text").fetchall()
        return [text for (text,) in rows]


@pytest.fixture
def warehouse() -> Iterator[Warehouse]:
    with closing(duckdb.connect()) as con:
        yield Warehouse(con)


def writing(text: str) -> Work:
    def work(con: duckdb.DuckDBPyConnection) -> str:
        con.execute("insert into notes values ($1)", [text])
        return f"{text} is written"

    return work


def failing(text: str) -> Work:
    def work(con: duckdb.DuckDBPyConnection) -> None:
        writing(text)(con)
        raise ValueError(text)

    return work


def test_what_waits_for_the_same_opening_shares_it_and_each_gets_its_result(
    warehouse: Warehouse,
) -> None:
    results = warehouse.together([writing("a"), writing("b"), writing("c")])
    assert [each.result() for each in results] == ["a is written", "b is written", "c is written"]
    assert warehouse.notes == ["a", "b", "c"]
    assert (warehouse.openings, warehouse.turns) == (1, 1)


def test_reads_take_no_turn(warehouse: Warehouse) -> None:
    def count(con: duckdb.DuckDBPyConnection) -> Any:
        return con.execute("select count(*) from notes").fetchone()

    results = warehouse.together([count, count], reads=True)
    assert [each.result() for each in results] == [(0,), (0,)]
    assert (warehouse.openings, warehouse.turns) == (1, 0)


def test_an_error_of_one_is_not_an_error_of_the_others_and_leaves_nothing(
    warehouse: Warehouse,
) -> None:
    before, fault, after = warehouse.together([writing("a"), failing("b"), writing("c")])
    assert (before.result(), after.result()) == ("a is written", "c is written")
    with pytest.raises(ValueError, match="b"):
        fault.result()
    assert warehouse.notes == ["a", "c"]


def test_the_warehouse_that_does_not_open_is_asked_once_for_all(warehouse: Warehouse) -> None:
    warehouse.fault = WarehouseBusyError("held")
    for each in warehouse.together([writing("a"), writing("b")]):
        with pytest.raises(WarehouseBusyError):
            each.result()
    assert warehouse.openings == 1
    assert warehouse.notes == []


def test_work_after_an_error_is_done(warehouse: Warehouse) -> None:
    warehouse.may_open.set()
    recorder = Recorder(warehouse.connect)
    with pytest.raises(ValueError, match="a"):
        recorder.write(failing("a"))
    assert recorder.write(writing("b")) == "b is written"
    assert warehouse.notes == ["b"]
