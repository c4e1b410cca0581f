"""One nightly run of a home at a time, whoever starts it: the command line or Dagster."""

from contextlib import AbstractContextManager
from pathlib import Path

from orchestration.lib.file_lock import file_lock

LOCK_FILE = "run.lock"
COMMANDS_RUN, DAGSTERS_RUN = "spotter run", "Dagster's run"
"""How those who hold the lock for a run are called; others do something else."""

# As long as Dagster lets a run last.
_LONGEST_WAIT_S = 7200.0


def run_lock(home: Path, who: str, *, is_waiting: bool) -> AbstractContextManager[None]:
    """Hold the home for a nightly run; `is_waiting` for its turn, or not at all.

    Raises:
        LockedError: another run holds it.
    """
    wait_s = _LONGEST_WAIT_S if is_waiting else 0.0
    return file_lock(home / LOCK_FILE, who, wait_s=wait_s)


def is_run(holder: str) -> bool:
    """Whether who holds the lock is a run, by what it says of itself."""
    return holder.startswith((f"{COMMANDS_RUN} ", f"{DAGSTERS_RUN} "))
