"""How many processors this process may use, which are fewer than the machine has in a container."""

import math
import os
from pathlib import Path

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Where Linux tells a container's share of time: microseconds of work, or max, in a period."""


def processor_count(quota: Path = QUOTA) -> int:
    """The processors that this process can keep busy, at least one.

    Those that it is bound to, and no more than its container's quota is worth, rounded up.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    usable = bound or 1
    try:
        work, period = quota.read_text().split()
    except FileNotFoundError:
        return usable
    return usable if work == "max" else min(usable, math.ceil(int(work) / int(period)))
