"""Rooms of the product on the call stacks of a running program."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("hevy_connector", "health_connector", "coach_agent", "orchestration")
# They call a function of their caller: a conflict with another writer repeats it.
TRANSPARENT = {"hevy_connector/raw/transactions", "orchestration/runs/recorder"}

Stack = tuple[str, ...]
"""Modules from the outermost call to the innermost one, each once in a row."""


@contextmanager
def recorded_stacks() -> Iterator[set[Stack]]:
    """Yield the stacks of calls in the block, of all threads that begin in it."""
    found: set[Stack] = set()
    modules: dict[str, str | None] = {}

    def module_of(file: str) -> str | None:
        if file not in modules:
            path = Path(file)
            inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES
            name = path.relative_to(ROOT).with_suffix("").as_posix() if inside else None
            modules[file] = None if name in TRANSPARENT else name
        return modules[file]

    def observe(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or module_of(frame.f_code.co_filename) is None:
            return
        stack = []
        at: FrameType | None = frame
        while at is not None:
            # An argument that is read lazily is no call back to its author.
            is_argument = at.f_code.co_name == "<genexpr>"
            if not is_argument and (module := module_of(at.f_code.co_filename)) is not None:
                stack.append(module)
            at = at.f_back
        found.add(tuple(name for name, _ in groupby(reversed(stack))))

    threading.setprofile(observe)
    sys.setprofile(observe)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def room_of(module: str) -> str:
    """Return the folder of a module."""
    return module.rpartition("/")[0]


def rooms_of(stack: Stack) -> Stack:
    """Return the rooms of a stack, each once in a row."""
    return tuple(room for room, _ in groupby(map(room_of, stack)))


def returns_to_rooms(stacks: set[Stack]) -> set[Stack]:
    """Return the rooms of stacks that enter a room again after they left it."""
    return {rooms for rooms in map(rooms_of, stacks) if len(set(rooms)) < len(rooms)}


def detours(stacks: set[Stack], end: str) -> set[Stack]:
    """Return the stacks up to a module that take more than one step inside a room."""
    ways = {stack for stack in stacks if stack[-1] == end}
    assert ways, f"nothing called {end}"
    return {
        way for way in ways if any(len(list(group)) > 2 for _, group in groupby(way, key=room_of))
    }
