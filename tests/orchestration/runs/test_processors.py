"""The number of processes follows the available processors."""

import os
import signal
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from orchestration.runs.processors import end_on_sigterm, processor_count


@pytest.fixture
def eight_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)


@pytest.mark.usefixtures("eight_of_the_machine")
@pytest.mark.parametrize(
    ("told", "count"),
    [
        (None, 8),
        ("max 100000\n", 8),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("5000 100000\n", 1),
        ("1600000 100000\n", 8),
    ],
)
def test_it_is_what_the_process_is_bound_to_and_its_quota_is_worth(
    tmp_path: Path, told: str | None, count: int
) -> None:
    quota = tmp_path / "cpu.max"
    if told is not None:
        quota.write_text(told)
    assert processor_count(quota) == count


def test_where_nothing_binds_a_process_it_has_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert processor_count(tmp_path / "cpu.max") == 64


def wait_to_be_ended(ready: Connection) -> None:
    """Initialise like a process of a pool, and wait."""
    end_on_sigterm()
    ready.send(None)
    signal.pause()


def test_a_process_of_a_pool_ends_by_sigterm_although_its_parent_ignores_it() -> None:
    """Bug: after a kill the pool waited forever for another process, which wrote its result."""
    former = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        ready, told = Pipe(duplex=False)
        process = get_context("spawn").Process(target=wait_to_be_ended, args=(told,))
        process.start()
    finally:
        signal.signal(signal.SIGTERM, former)
    ready.recv()
    process.terminate()
    process.join(60)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGTERM
