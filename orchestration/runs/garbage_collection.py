"""Python's search for reference cycles, where there is much to look at and nothing to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS_BETWEEN = 200_000
"""New objects between two looks at them; Python's own 700 suit a program that makes few."""


def collect_rarely() -> None:
    """Look for cycles rarely from now on, and not at all among what is there already.

    What a coach reads and decides are trees of many small objects, without a cycle. To look at all
    of them again for each few hundred that come took more than half of the time of reading them.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN)


@contextmanager
def collected_rarely() -> Iterator[None]:
    """`collect_rarely` inside; outside as it was."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
