"""Who may work, and whose turn it is."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from orchestration.lib.file_lock import in_turn

WRITERS = 4
TURNS = 50


def test_in_turn_one_at_a_time_reads_and_writes(tmp_path: Path) -> None:
    count, lock, begin = tmp_path / "count", tmp_path / "of" / "turns.lock", Barrier(WRITERS)
    count.write_text("0")

    def add() -> None:
        begin.wait()
        for _ in range(TURNS):
            with in_turn(lock):
                count.write_text(str(int(count.read_text()) + 1))

    with ThreadPoolExecutor(WRITERS) as writers:
        for done in [writers.submit(add) for _ in range(WRITERS)]:
            done.result()
    assert count.read_text() == str(WRITERS * TURNS)
