"""A simulated clock for processes, controlled by the test."""

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


class NoClockError(Exception):
    """This machine cannot build the clock; the text gives the reason."""


class Clock:
    """Wall-clock time that jumps on request, and passes as usual in between.

    Raises:
        NoClockError: there is no C compiler, or not Linux with the GNU C library.
    """

    def __init__(self, folder: Path, begins_at: datetime) -> None:
        self._file = folder / "clock"
        self._library = _built(folder)
        self.move_to(begins_at)

    @property
    def env(self) -> Mapping[str, str]:
        """Return the environment variables that apply the clock to a process and its children."""
        return {"LD_PRELOAD": str(self._library), "SPOTTER_SOAK_CLOCK": str(self._file)}

    def move_to(self, moment: datetime) -> None:
        """Set the clock to an aware time."""
        self._ahead_s = round(moment.timestamp() - time.time())
        content = self._ahead_s.to_bytes(8, "little", signed=True)
        if not self._file.exists():
            self._file.write_bytes(content)
            return
        # In place: all processes with this clock have mapped it.
        with self._file.open("r+b", buffering=0) as file:
            file.write(content)

    def now(self) -> datetime:
        """Return the time of the clock."""
        return datetime.fromtimestamp(time.time() + self._ahead_s, UTC)


def require_compiler() -> str:
    """Return the compiler for the clock.

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
