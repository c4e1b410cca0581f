"""One nightly run of a home at a time, whoever starts it: the command line or Dagster.

Beside a lake, runs for different shards of the athletes share the home: each keeps its shard to
itself, and whoever wants the whole home waits for all of them.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from orchestration.config.limits import LONGEST_RUN_S
from orchestration.runs.partitions import Shard
from orchestration.storage.file_lock import file_lock, in_turn

LOCK_FILE = "run.lock"
_TURNS_FILE = "writing.lock"
COMMANDS_RUN, DAGSTERS_RUN = "spotter run", "Dagster's run"
"""How those who hold the lock for a run are called; others do something else."""

Turn = Callable[[], AbstractContextManager[None]]
"""What holds the others back while one writes."""


LOCKS = {"code": "code.lock", "daemon": "daemon.lock", "ui": "ui.lock"}
"""Files of a home that Dagster's servers hold as long as they live."""


@contextmanager
def run_lock(
    home: Path, who: str, *, is_waiting: bool, shard: Shard | None = None
) -> Iterator[None]:
    """Hold the home, or a shard of it, for a run; `is_waiting` for its turn, or not at all.

    Raises:
        LockedError: another run holds it.
    """
    wait_s = LONGEST_RUN_S if is_waiting else 0.0
    with shard_lock(home / LOCK_FILE, who, wait_s=wait_s, shard=shard):
        yield


@contextmanager
def shard_lock(path: Path, who: str, *, wait_s: float, shard: Shard | None) -> Iterator[None]:
    """Hold the file for everybody, or share it and hold one shard's beside it.

    Raises:
        LockedError: another process held either for `wait_s` seconds.
    """
    if shard is None:
        with file_lock(path, who, wait_s=wait_s):
            yield
        return
    own = path.with_name(f"{path.stem}-{shard.number}-of-{shard.count}{path.suffix}")
    with (
        file_lock(path, who, wait_s=wait_s, is_shared=True),
        file_lock(own, who, wait_s=wait_s),
    ):
        yield


def writing_turn(home: Path, shard: Shard | None) -> Turn:
    """By what of a home's workers, each with a shard, one at a time writes to the lake.

    Their commits would conflict else, and each be begun again until it came to nothing.
    """
    if shard is None:
        return nullcontext
    return partial(in_turn, home / _TURNS_FILE, f"shard {shard}")


def is_run(holder: str) -> bool:
    """Whether who holds the lock is a run, by what it says of itself."""
    return holder.startswith((f"{COMMANDS_RUN} ", f"{DAGSTERS_RUN} "))
