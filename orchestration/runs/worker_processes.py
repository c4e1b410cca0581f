"""Worker processes that end with their parent, when it is stopped or killed."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, RLock, Thread
from types import FrameType

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_GRACE_S = 30.0


class StopRequestedError(Exception):
    """This process was asked to stop, and its workers have ended.

    `code` is the exit code that shells use for the signal.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(
            f"Asked to end ({signal.Signals(signum).name}): the workers have ended. "
            "What they did is kept, and the next run does the rest."
        )
        self.code = 128 + signum


class WorkerProcesses:
    """Run processes for several threads, and stop them all once.

    `grace_s` is the grace period before they are killed.
    """

    def __init__(self, grace_s: float = _GRACE_S) -> None:
        # Reentrant: a signal handler may interrupt the thread that holds it.
        self._lock = RLock()
        self._at_work: set[subprocess.Popen[str]] = set()
        self._asked_by: int | None = None
        self._is_asked, self._is_urgent = Event(), Event()
        # Started now: a signal handler must not start threads.
        Thread(target=self._insist, args=[grace_s], daemon=True).start()

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command and capture its output; its stdin is closed when this process ends.

        Raises:
            StopRequestedError: all workers were stopped, or this one was not started.
        """
        with _input_of_a_worker() as from_us:
            with self._lock:
                self._require_nobody_asked()
                # In its own session, so that a terminal does not interrupt it as well.
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
        """Stop all workers; after the grace period they are killed with their children.

        A second call ends the grace period.
        """
        with self._lock:
            if self._asked_by is not None:
                self._is_urgent.set()
                return
            self._asked_by = signum
            for worker in self._at_work:
                worker.terminate()
        self._is_asked.set()

    def _insist(self, grace_s: float) -> None:
        self._is_asked.wait()
        self._is_urgent.wait(grace_s)
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            for worker in self._at_work:
                with suppress(ProcessLookupError):
                    os.killpg(worker.pid, signal.SIGKILL)

    def _require_nobody_asked(self) -> None:
        if self._asked_by is not None:
            raise StopRequestedError(self._asked_by)


@contextmanager
def _input_of_a_worker() -> Iterator[int]:
    """Yield a read descriptor without data that reports EOF when this process ends."""
    to_read, to_write = os.pipe()
    try:
        yield to_read
    finally:
        os.close(to_write)
        os.close(to_read)


def stop_at_end_of_input(grace_s: float = _GRACE_S) -> None:
    """Stop this process when its stdin ends, and kill it after the grace period.

    The parent holds the other end and may be killed without stopping its workers.
    """

    def end() -> None:
        # A stdin closed from the start counts as ended.
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(grace_s)
        os._exit(128 + signal.SIGTERM)

    Thread(target=end, daemon=True).start()


@contextmanager
def stop_on_signal(workers: WorkerProcesses) -> Iterator[None]:
    """Stop the workers when this process, in its main thread, receives a stop signal."""

    def end(signum: int, frame: FrameType | None) -> None:
        workers.end(signum)

    before = {number: signal.getsignal(number) for number in _STOP_SIGNALS}
    for number, handler in before.items():
        # A process started with nohup ignores SIGHUP.
        if number != signal.SIGHUP or handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
