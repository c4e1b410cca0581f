"""Number of CPUs available to this process, which a container may limit, and processes on them."""

import math
import os
import signal
from pathlib import Path

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Linux's CPU quota of a container: microseconds of CPU time, or max, per period."""


def processor_count(quota: Path = QUOTA) -> int:
    """Return the number of usable CPUs, at least one.

    The CPU affinity of the process, limited by its container's quota, rounded up.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    usable = bound or 1
    try:
        work, period = quota.read_text().split()
    except FileNotFoundError:
        return usable
    return usable if work == "max" else min(usable, math.ceil(int(work) / int(period)))


def end_on_sigterm() -> None:
    """Let SIGTERM end this process of a pool, also if its parent ignores the signal.

    A pool with a killed process ends the others by it and waits for them. One of them may be
    writing a result that nobody reads any more.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
