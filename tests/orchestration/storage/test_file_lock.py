"""Exclusive locks and turns."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from orchestration.runs.lock import write_lock
from orchestration.runs.partitions import Partition
from orchestration.storage.file_lock import serialized

WRITERS = 4
TURNS = 50


def test_in_turn_one_at_a_time_reads_and_writes(tmp_path: Path) -> None:
    count, lock, begin = tmp_path / "count", tmp_path / "of" / "turns.lock", Barrier(WRITERS)
    count.write_text("0")

    def add() -> None:
        begin.wait()
        for _ in range(TURNS):
            with serialized(lock, "a writer"):
                count.write_text(str(int(count.read_text()) + 1))

    with ThreadPoolExecutor(WRITERS) as writers:
        for done in [writers.submit(add) for _ in range(WRITERS)]:
            done.result()
    assert count.read_text() == str(WRITERS * TURNS)


def test_who_waited_too_long_for_a_turn_goes_on_and_says_for_whom(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lock = tmp_path / "turns.lock"
    with serialized(lock, "partition 1-of-2"), serialized(lock, "partition 2-of-2", timeout_s=0.1):
        assert "partition 1-of-2 (process " in lock.read_text()
    [said] = caplog.messages
    assert said.startswith("Waited 0 s, and waits no longer: partition 1-of-2 (process ")
    caplog.clear()
    with serialized(lock, "partition 2-of-2"):
        assert lock.read_text().startswith("partition 2-of-2")
    assert caplog.messages == []


def test_runs_of_partitions_wait_for_one_another_and_a_run_of_the_home_for_none(
    tmp_path: Path,
) -> None:
    with write_lock(tmp_path, None)():
        assert list(tmp_path.iterdir()) == []
    with write_lock(tmp_path, Partition(1, 2))():
        [lock] = tmp_path.iterdir()
        with lock.open("a") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with write_lock(tmp_path, Partition(2, 2))():
        assert list(tmp_path.iterdir()) == [lock]
