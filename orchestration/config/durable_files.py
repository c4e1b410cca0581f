"""Files that survive a loss of power, and that only their owner reads."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

UMASK = 0o077
"""With it, new files and folders are their owner's alone, also those that libraries make."""

_OTHERS = 0o077


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one step: after a kill or a loss of power it is the former or the new one.

    An existing file keeps its mode, and a symbolic link its target's place. A new file is its
    owner's alone.

    Raises:
        OSError: it cannot be written; the former file is as it was.
    """
    target = path.resolve()
    mode = 0o666 & ~UMASK
    with suppress(FileNotFoundError):
        mode = target.stat().st_mode & 0o7777
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as draft:
        name = Path(draft.name)
        try:
            draft.write(content)
            draft.flush()
            os.fchmod(draft.fileno(), mode)
            os.fsync(draft.fileno())
            name.replace(target)
        except BaseException:
            name.unlink(missing_ok=True)
            raise
    sync(target.parent)


def sync(path: Path) -> None:
    """Write a file's content, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Write all files and names below a folder to the disk."""
    for path in [*folder.rglob("*"), folder]:
        if not path.is_symlink():
            sync(path)


def close_to_others(home: Path) -> None:
    """Take from everybody but the owner what an earlier version let them do with a home.

    A home whose own folder is closed has been through this: that is changed last. What cannot be
    changed, because it is gone or somebody else's, is left to `spotter doctor`.
    """
    if not is_open_to_others(home):
        return
    for path in [*home.rglob("*"), home]:
        with suppress(OSError):
            if not path.is_symlink() and is_open_to_others(path):
                path.chmod(path.stat().st_mode & 0o7777 & ~_OTHERS)


def is_open_to_others(path: Path) -> bool:
    """Return whether others than its owner have access to an existing file or folder."""
    return path.exists() and bool(path.stat().st_mode & _OTHERS)
