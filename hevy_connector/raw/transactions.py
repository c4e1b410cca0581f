"""All or nothing of what belongs together, and once more where another writer was first."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import duckdb

T = TypeVar("T")

CONFLICT_TRIES = 8
"""How often something is begun before a conflict with other writers is an error."""

_FIRST_PAUSE_S = 0.05
_CONFLICT = "Transaction conflict"

_log = logging.getLogger(__name__)


class _Counter:
    """How many conflicts this process met."""

    count = 0


def conflict_count() -> int:
    """How many commits of this process met a conflict and were begun again."""
    return _Counter.count


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what happens inside, or nothing of it if anything goes wrong."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def committed(
    con: duckdb.DuckDBPyConnection, work: Callable[[], T], *, tries: int = CONFLICT_TRIES
) -> T:
    """What `work` returns, once it is committed in one transaction.

    On a lake several processes write at the same time, and who changed the same file last begins
    again: so `work` reads what it depends on inside, and keeps nothing of a try that failed.

    Raises:
        duckdb.TransactionException: others were first each time.
    """

    def once() -> T:
        with transaction(con):
            return work()

    return again_after_conflict(once, tries=tries)


def again_after_conflict(work: Callable[[], T], *, tries: int = CONFLICT_TRIES) -> T:
    """What `work` returns, which commits for itself and can be done again after a conflict.

    Raises:
        duckdb.TransactionException: others were first each time.
    """
    pause_s = _FIRST_PAUSE_S
    for left in reversed(range(tries)):
        try:
            return work()
        except duckdb.TransactionException as error:
            if left == 0 or _CONFLICT not in str(error):
                raise
            _Counter.count += 1
            _log.info("Another writer was first; %s tries are left.", left)
        # Not all of them come back at the same moment.
        time.sleep(pause_s * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        pause_s *= 2
    raise AssertionError("unreachable")
