"""Locks of a home: for nightly runs, from the command line or Dagster, and for publications.

In a lake, runs of different partitions share the home: each locks its partition, and a lock of the
whole home waits for all of them.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from orchestration.config.limits import LONGEST_RUN_S
from orchestration.runs.partitions import Partition
from orchestration.storage.file_lock import file_lock, serialized

LOCK_FILE = "run.lock"
_PUBLICATION_LOCK_FILE = "publishing.lock"
_PUBLICATION_WAIT_S = 120.0
_TURNS_FILE = "writing.lock"
COMMANDS_RUN, DAGSTERS_RUN = "spotter run", "Dagster's run"
"""Prefixes of lock owners that are runs."""

WriteLock = Callable[[], AbstractContextManager[None]]
"""A lock around writes."""


LOCKS = {"code": "code.lock", "daemon": "daemon.lock", "ui": "ui.lock"}
"""Lock files of a home that Dagster's servers hold while they run."""


@contextmanager
def run_lock(
    home: Path, owner: str, *, is_waiting: bool, partition: Partition | None = None
) -> Iterator[None]:
    """Lock a home or one partition for a run; `is_waiting` waits for the lock.

    Raises:
        LockedError: another run holds it.
    """
    wait_s = LONGEST_RUN_S if is_waiting else 0.0
    with partition_lock(home / LOCK_FILE, owner, wait_s=wait_s, partition=partition):
        yield


def publication_lock(
    warehouse: Path, owner: str, partition: Partition | None = None
) -> AbstractContextManager[None]:
    """Lock for writes to Hevy: one process per home, others wait.

    In a lake, one process per partition of the athletes.

    Raises:
        LockedError: timeout after minutes.
    """
    path = warehouse.with_name(_PUBLICATION_LOCK_FILE)
    return partition_lock(path, owner, wait_s=_PUBLICATION_WAIT_S, partition=partition)


@contextmanager
def partition_lock(
    path: Path, owner: str, *, wait_s: float, partition: Partition | None
) -> Iterator[None]:
    """Lock a file exclusively, or share it and lock one partition exclusively.

    Raises:
        LockedError: timeout after `wait_s` seconds.
    """
    if partition is None:
        with file_lock(path, owner, wait_s=wait_s):
            yield
        return
    own = path.with_name(f"{path.stem}-{partition.number}-of-{partition.count}{path.suffix}")
    with (
        file_lock(path, owner, wait_s=wait_s, is_shared=True),
        file_lock(own, owner, wait_s=wait_s),
    ):
        yield


def write_lock(home: Path, partition: Partition | None) -> WriteLock:
    """Return the lock that serializes writes of a home's runs of partitions to the lake.

    Their commits would conflict otherwise, and retries would run out.
    """
    if partition is None:
        return nullcontext
    return partial(serialized, home / _TURNS_FILE, f"partition {partition}")


def is_run_owner(holder: str) -> bool:
    """Return true if the owner of the lock is a run."""
    return holder.startswith((f"{COMMANDS_RUN} ", f"{DAGSTERS_RUN} "))
