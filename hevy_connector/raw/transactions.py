"""Transactions, with retries on write conflicts."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import duckdb

T = TypeVar("T")

CONFLICT_TRIES = 8
"""Attempts before a conflict with other writers is an error."""

_FIRST_PAUSE_S = 0.05
_CONFLICT = "Transaction conflict"

_log = logging.getLogger(__name__)


class _Counter:
    """Number of write conflicts in this process."""

    count = 0


def conflict_count() -> int:
    """Return the number of commits of this process that failed with a conflict and were retried."""
    return _Counter.count


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run the block in a transaction: commit at its end, roll back on any exception."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def run_in_transaction(
    con: duckdb.DuckDBPyConnection, work: Callable[[], T], *, tries: int = CONFLICT_TRIES
) -> T:
    """Run `work` in one transaction and return its result; retry on a write conflict.

    Several processes write to a lake concurrently; of two that changed the same file, the later one
    retries. So `work` reads its inputs inside the transaction and keeps no state of a failed
    attempt.

    Raises:
        duckdb.TransactionException: every attempt conflicted.
    """

    def once() -> T:
        with transaction(con):
            return work()

    return retry_on_conflict(once, tries=tries)


def retry_on_conflict(work: Callable[[], T], *, tries: int = CONFLICT_TRIES) -> T:
    """Run `work`, which commits by itself and can be repeated; retry it on a write conflict.

    Raises:
        duckdb.TransactionException: every attempt conflicted.
    """
    pause_s = _FIRST_PAUSE_S
    for left in reversed(range(tries)):
        try:
            return work()
        except duckdb.TransactionException as error:
            if left == 0 or _CONFLICT not in str(error):
                raise
            _Counter.count += 1
            _log.info("Write conflict; %s attempts left.", left)
        # Jitter, so that the retries do not coincide.
        time.sleep(pause_s * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        pause_s *= 2
    raise AssertionError("unreachable")
