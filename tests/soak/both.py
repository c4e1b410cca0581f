"""Two worlds in parallel, one with faults and one without."""

import json
import random
import signal
import sys
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.soak.days import Day, pass_days, world_in
from tests.soak.report import state_of
from tests.soak.servers import processes_of, until


@dataclass(frozen=True)
class Life:
    """The days of a world, and its final state."""

    days: tuple[Day, ...]
    state: dict[str, Any]


def live_both(folder: Path, days: int, seed: int) -> tuple[Life, Life]:
    """Run the disturbed and the undisturbed world; `seed` determines the faults.

    Each day is written to `days.jsonl` in the folder as it ends.

    Raises:
        AssertionError: a fault did not heal, or a process or lock was left behind.
    """
    asked = [(folder / "disturbed", days, seed), (folder / "undisturbed", days, None)]
    with get_context("spawn").Pool(2, end_on_request) as pool:
        disturbed, undisturbed = pool.starmap(_live, asked, chunksize=1)
    return disturbed, undisturbed


def end_on_request() -> None:
    """Handle SIGTERM: stop the started processes before this process exits."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def _live(folder: Path, days: int, seed: int | None) -> Life:
    passed: list[Day] = []

    def on_day(day: Day) -> None:
        passed.append(day)
        with (folder.parent / "days.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"world": folder.name, **asdict(day)}) + "\n")

    folder.mkdir()
    with world_in(folder, days) as world:
        pass_days(world, days, None if seed is None else random.Random(seed), on_day)  # noqa: S311
        world.servers.stop()
        _require_all_ended(folder / "home")
        # Nothing that was killed holds a lock: this begins at once.
        assert "A run is in progress" not in world.spotter("run")
        return Life(tuple(passed), state_of(world))


def _require_all_ended(home: Path) -> None:
    """Assert that every process of that home ends by itself after the servers.

    Python's resource tracker outlives its parent until it has read the end of the pipe.
    """
    left: list[str] = []

    def has_ended() -> bool:
        left[:] = processes_of(home)
        return not left

    try:
        until(has_ended, "all processes to end", 30)
    except AssertionError as late:
        raise AssertionError(f"left behind: {left}") from late
