"""The `spotter` command in a terminal of its own, for dialogues."""

import codecs
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MAIN = "from orchestration.cli.app import main; main()"


class Terminal:
    """A running command; `shown` is its output so far."""

    def __init__(self, process: subprocess.Popen[bytes], side: int) -> None:
        self.shown = ""
        self._process = process
        self._side = side
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def wait_for(self, text: str, timeout_s: float = 300) -> None:
        """Read until the output that was not yet answered contains `text`."""
        end = time.monotonic() + timeout_s
        while text not in self.shown:
            assert self._read(end), f"no {text!r} in:\n{self.shown}"

    def answer(self, prompt: str, text: str, *, is_hidden: bool = False) -> None:
        """Type a line at a prompt; a hidden prompt discards what was typed before it hides."""
        self.wait_for(prompt)
        end = time.monotonic() + 60
        while is_hidden and termios.tcgetattr(self._side)[3] & termios.ECHO:
            assert time.monotonic() < end, "the terminal still shows what is typed"
            time.sleep(0.01)
        self.shown = ""
        os.write(self._side, f"{text}\n".encode())

    def end(self, timeout_s: float = 600) -> int:
        """Read to the end of the command and return its exit code."""
        end = time.monotonic() + timeout_s
        while self._read(end):
            pass
        return self._process.wait(timeout=60)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._side], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"nothing for too long after:\n{self.shown}"
        try:
            chunk = os.read(self._side, 65536)
        except OSError:  # Linux reports the end of the other side as an error
            return False
        self.shown += self._decoder.decode(chunk)
        return bool(chunk)


@contextmanager
def spotter_in_terminal(
    folder: Path, environ: Mapping[str, str], *arguments: str
) -> Iterator[Terminal]:
    """Run `spotter` in a terminal of 120 columns; it is killed at the end of the context.

    An empty variable in `environ` hides one of `.env`.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", "TERM": "dumb", **environ},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
