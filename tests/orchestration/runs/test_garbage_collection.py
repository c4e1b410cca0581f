"""Garbage collection is rare inside the block and normal afterwards; no cycle leaks."""

import gc
import weakref

import pytest

from orchestration.runs.garbage_collection import rare_collection


class Node:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.me = self


def test_it_is_as_before_afterwards_whatever_happened() -> None:
    before = gc.get_threshold()
    inside = []

    def fail() -> None:
        with rare_collection():
            inside.append((gc.get_threshold() > before, gc.get_freeze_count() > 0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert inside == [(True, True)]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_cycles_are_still_found() -> None:
    nodes = []
    with rare_collection():
        node = Node()
        gone = weakref.ref(node)
        del node
        while gone() is not None and len(nodes) < 10_000_000:
            nodes.append([])
    assert gone() is None
