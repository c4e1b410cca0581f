"""Detect a full disk of a home."""

import shutil
from pathlib import Path

# A page of a database, and the metadata of a file system.
_TOO_LITTLE = 64 * 1024


def is_full(folder: Path) -> bool:
    """Return true if nothing can be written there; false for a missing folder."""
    return folder.exists() and shutil.disk_usage(folder).free < _TOO_LITTLE


def full_disk_text(home: Path) -> str:
    """Return the message on a full disk, whatever failed first: libraries report it differently."""
    return (
        f"The disk of {home} is full. Free some space and try again: earlier data are "
        "unchanged, and the next run does the rest."
    )
