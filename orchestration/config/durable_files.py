"""Write files that survive power loss and are private to their owner."""

import os
import stat
from collections.abc import Iterable
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


def close_to_others(home: Path, own: Iterable[Path]) -> None:
    """Remove the access of others to a home of an earlier version, and so to all that is in it.

    The folder is such a home if it is empty or has one of the paths `own`. Folders that serve
    others, too, stay as they are: the user's own home folder, and one with the sticky bit. What
    cannot be changed is left to `spotter doctor`.
    """
    with suppress(OSError):
        if not is_open_to_others(home) or _serves_others(home):
            return
        if any(each.exists() for each in own) or not any(home.iterdir()):
            home.chmod(home.stat().st_mode & 0o7777 & ~_OTHERS)


def _serves_others(folder: Path) -> bool:
    is_sticky = bool(folder.stat().st_mode & stat.S_ISVTX)
    return is_sticky or folder.resolve() == Path(os.path.expanduser("~")).resolve()  # noqa: PTH111


def is_open_to_others(path: Path) -> bool:
    """Return true if others than its owner have access to an existing file or folder."""
    return path.exists() and bool(path.stat().st_mode & _OTHERS)
