"""What takes long to make and many tests begin from: made once for all workers of a run."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

Once = Callable[[str, Callable[[Path], None]], Path]


def once_for_all(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """A function that makes a folder under a name unless another worker has, and gives its path.

    Nobody may change the folder afterwards; a test that would takes a copy.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder = shared / name
        is_made = shared / f"{name}.made"
        with FileLock(shared / f"{name}.lock"):
            if not is_made.exists():
                # What another worker failed to make fails here for the same reason.
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                is_made.touch()
        return folder

    return made
