"""Tune Python's cyclic garbage collector for many objects without cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS_BETWEEN = 50_000
"""New objects between two collections; Python's default is 700."""


def collect_rarely() -> None:
    """Freeze existing objects and collect cycles rarely from now on.

    A coach's data are trees of many small objects without cycles. With the default threshold,
    collections took more than half of the time of reading them.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN)


@contextmanager
def rare_collection() -> Iterator[None]:
    """Apply `collect_rarely` inside the block and restore the settings afterwards."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
