"""The machine of a measurement, for its report."""

import os
import platform
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """Date, processor, cores, memory in GB, and the load before the measurement began.

    Without `/proc`, as on macOS, the processor is its architecture.
    """

    measured_on: date
    processor: str
    cores: int
    memory_gb: float
    load: float

    def __str__(self) -> str:
        """Return all of it in one line."""
        return (
            f"{self.measured_on:%d %B %Y}, {self.cores} cores of {self.processor}, "
            f"{self.memory_gb:.0f} GB, load {self.load:.1f} before"
        )


def this_machine() -> Machine:
    """Return the machine as it is now."""
    return Machine(
        measured_on=datetime.now(UTC).date(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9,
        load=os.getloadavg()[0],
    )


def _processor() -> str:
    book = Path("/proc/cpuinfo")
    lines = book.read_text().splitlines() if book.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
