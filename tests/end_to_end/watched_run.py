"""A run in its own process that is watched step by step."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tests.end_to_end.world import SPOTTER, Home

# In a process, because only processes of a mount namespace see its mounts. It first prints that it
# watches, and then that a run since has begun the step. It gives up after ten minutes: a run that
# ends before the step never begins it.
_WATCHER = """
import glob, sqlite3, sys, time

def histories():
    return set(glob.glob(sys.argv[1] + "/dagster/history/runs/*-*.db"))

connections, seen = {}, {}

def has_begun(file):
    try:
        if file not in connections:
            connections[file] = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        for event, is_start in connections[file].execute(
            "select id, dagster_event_type = 'STEP_START' and step_key = ? "
            "from event_logs where id > ? order by id",
            (sys.argv[2], seen.get(file, 0)),
        ):
            seen[file] = event
            if is_start:
                return True
    except sqlite3.OperationalError:
        pass  # The run has not made its tables yet.
    return False

before, deadline = histories(), time.monotonic() + 600
print("looks", flush=True)
while not any(map(has_begun, histories() - before)):
    if time.monotonic() > deadline:
        sys.exit("the step did not begin")
    time.sleep(0.02)
print("begun", flush=True)
"""


@contextmanager
def watched(home: Home, step: str, *, around: Sequence[str] = ()) -> Iterator[Callable[[], None]]:
    """Return a function that waits until a run within the block has begun the step.

    `around` is the prefix of the command that watches.
    """
    watcher = subprocess.Popen(
        [*around, sys.executable, "-I", "-c", _WATCHER, home.folder / "home", step],
        stdout=subprocess.PIPE,
        text=True,
    )
    output = watcher.stdout
    assert output is not None
    assert output.readline() == "looks\n"

    def wait() -> None:
        assert output.readline() == "begun\n"

    try:
        yield wait
    finally:
        watcher.kill()
        watcher.communicate()


@contextmanager
def run_until(home: Home, step: str, *, around: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a run and wait until it has begun the step; kill it at the end if it still runs.

    `around` is the prefix of the commands.
    """
    with watched(home, step, around=around) as wait_for_step:
        run = subprocess.Popen(
            [*around, SPOTTER, "run"],
            env=home.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_for_step()
            yield run
        finally:
            run.kill()
            run.communicate()
