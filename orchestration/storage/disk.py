"""The disk that a home is on."""

import shutil
from pathlib import Path

# A page of a database and what a file system needs for its own books.
_TOO_LITTLE = 64 * 1024


def is_full(folder: Path) -> bool:
    """Whether nothing more can be written there; a folder that is not there yet is not."""
    return folder.exists() and shutil.disk_usage(folder).free < _TOO_LITTLE


def full_disk_text(home: Path) -> str:
    """What to tell of it, whatever failed first: libraries tell it in ways of their own."""
    return (
        f"The disk of {home} is full. Make room and do it again: what was there before still "
        "stands, and the next run does what is left to do."
    )
