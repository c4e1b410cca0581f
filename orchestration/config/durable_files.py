"""Write files that survive power loss and are private to their owner."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

UMASK = 0o077
"""With this umask new files and folders are private, also those created by libraries."""

_OTHERS = 0o077


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically: after a kill or a power loss it is the old or the new one.

    An existing file keeps its mode, and a symbolic link keeps its target. A new file is private to
    its owner.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
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
    """Sync a file's content, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync all files and entries below a folder to disk."""
    for path in [*folder.rglob("*"), folder]:
        if not path.is_symlink():
            sync(path)


def close_to_others(home: Path) -> None:
    """Remove the access of others to a home of an earlier version.

    The home's own folder is changed last, so a private folder marks a completed change. Files that
    cannot be changed are left to `spotter doctor`.
    """
    if not is_open_to_others(home):
        return
    for path in [*home.rglob("*"), home]:
        with suppress(OSError):
            if not path.is_symlink() and is_open_to_others(path):
                path.chmod(path.stat().st_mode & 0o7777 & ~_OTHERS)


def is_open_to_others(path: Path) -> bool:
    """Return true if others than its owner have access to an existing file or folder."""
    return path.exists() and bool(path.stat().st_mode & _OTHERS)
