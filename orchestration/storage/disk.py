"""Detect a full disk of a home."""

import shutil
from pathlib import Path

# Databases grow by blocks of up to 256 KiB: a write fails while less than one is still free.
_TOO_LITTLE = 1024 * 1024


def is_full(folder: Path) -> bool:
    """Return true if a database cannot grow there; false for a missing folder."""
    return folder.exists() and shutil.disk_usage(folder).free < _TOO_LITTLE


def full_disk_text(home: Path) -> str:
    """Return the message on a full disk, whatever failed first: libraries report it differently."""
    return (
        f"The disk of {home} is full. Free some space and try again: earlier data are "
        "unchanged, and the next run does the rest."
    )
