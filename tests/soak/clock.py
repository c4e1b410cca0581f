"""A clock of their own for processes, which the test that started them moves."""

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


class NoClockError(Exception):
    """This machine cannot build the clock; the text says why."""


class Clock:
    """Wall-clock time that jumps where it is told to, and passes as usual in between.

    Raises:
        NoClockError: there is no C compiler, or not Linux with the GNU C library under it.
    """

    def __init__(self, folder: Path, begins_at: datetime) -> None:
        self._file = folder / "clock"
        self._library = _built(folder)
        self.move_to(begins_at)

    @property
    def env(self) -> Mapping[str, str]:
        """What makes a process live by this clock, and all that it starts."""
        return {"LD_PRELOAD": str(self._library), "SPOTTER_SOAK_CLOCK": str(self._file)}

    def move_to(self, moment: datetime) -> None:
        """It is the aware `moment` now."""
        self._ahead_s = round(moment.timestamp() - time.time())
        content = self._ahead_s.to_bytes(8, "little", signed=True)
        if not self._file.exists():
            self._file.write_bytes(content)
            return
        # In place: it is mapped by all who live by it.
        with self._file.open("r+b", buffering=0) as file:
            file.write(content)

    def now(self) -> datetime:
        """What they take for the time."""
        return datetime.fromtimestamp(time.time() + self._ahead_s, UTC)


def require_compiler() -> str:
    """What builds the clock.

    Raises:
        NoClockError: there is none, or this is not Linux.
    """
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        raise NoClockError("a clock that can be moved needs Linux and a C compiler")
    return compiler


def _built(folder: Path) -> Path:
    compiler = require_compiler()
    library = folder / "clock.so"
    made = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, _SOURCE, "-ldl", "-lpthread"],
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        raise NoClockError(f"the clock could not be built: {made.stderr[-500:]}")
    return library
