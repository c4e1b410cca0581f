"""Processes that end with the one that began them, when it is asked to end or killed."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, RLock, Thread
from types import FrameType

_ASKS_TO_END = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PATIENCE_S = 30.0


class AskedToEndError(Exception):
    """This process was asked to end, and its workers have ended.

    `code` is the exit code by which a shell tells of the signal.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(
            f"Asked to end ({signal.Signals(signum).name}): the workers have ended. "
            "What they did is kept, and the next run does the rest."
        )
        self.code = 128 + signum


class WorkerProcesses:
    """Runs processes for several threads, and ends them all once.

    `patience_s` is how long they have to end by themselves then.
    """

    def __init__(self, patience_s: float = _PATIENCE_S) -> None:
        # A handler of signals may come upon the thread that holds it.
        self._lock = RLock()
        self._at_work: set[subprocess.Popen[str]] = set()
        self._asked_by: int | None = None
        self._is_asked, self._is_urgent = Event(), Event()
        # Begun now: a handler of signals may begin no thread.
        Thread(target=self._insist, args=[patience_s], daemon=True).start()

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, with what it printed; its input ends if this process does.

        Raises:
            AskedToEndError: all were ended, or this one was not begun any more.
        """
        with _input_of_a_worker() as from_us:
            with self._lock:
                self._require_nobody_asked()
                # In a session of its own, so that no terminal interrupts it besides.
                worker = subprocess.Popen(  # noqa: S603 - our own
                    command,
                    stdin=from_us,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
                self._at_work.add(worker)
            try:
                out, err = worker.communicate()
            finally:
                with self._lock:
                    self._at_work.remove(worker)
        self._require_nobody_asked()
        return subprocess.CompletedProcess(command, worker.returncode, out, err)

    def end(self, signum: int) -> None:
        """Ask all to end; who does not go in time is made to, with all that it started.

        Asked a second time, nobody has time any more.
        """
        with self._lock:
            if self._asked_by is not None:
                self._is_urgent.set()
                return
            self._asked_by = signum
            for worker in self._at_work:
                worker.terminate()
        self._is_asked.set()

    def _insist(self, patience_s: float) -> None:
        self._is_asked.wait()
        self._is_urgent.wait(patience_s)
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            for worker in self._at_work:
                with suppress(ProcessLookupError):
                    os.killpg(worker.pid, signal.SIGKILL)

    def _require_nobody_asked(self) -> None:
        if self._asked_by is not None:
            raise AskedToEndError(self._asked_by)


@contextmanager
def _input_of_a_worker() -> Iterator[int]:
    """Where nothing is to be read, until whoever was to write is gone."""
    to_read, to_write = os.pipe()
    try:
        yield to_read
    finally:
        os.close(to_write)
        os.close(to_read)


def end_with_input(patience_s: float = _PATIENCE_S) -> None:
    """Have this process asked to end when its standard input does, and made to if it does not go.

    Who began it holds the other end of that, and may have been killed before it could ask.
    """

    def end() -> None:
        # One that was closed from the start has ended, too.
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(patience_s)
        os._exit(128 + signal.SIGTERM)

    Thread(target=end, daemon=True).start()


@contextmanager
def end_when_asked(workers: WorkerProcesses) -> Iterator[None]:
    """End them when this process, of which this is the main thread, is asked to end meanwhile."""

    def end(signum: int, frame: FrameType | None) -> None:
        workers.end(signum)

    before = {number: signal.getsignal(number) for number in _ASKS_TO_END}
    for number, handler in before.items():
        # Who is begun with nohup stays when its terminal goes.
        if number != signal.SIGHUP or handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
