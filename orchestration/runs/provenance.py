"""Provenance of data: the run and the code version."""

import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from orchestration.config.locations import CODE_ROOT


@dataclass(frozen=True)
class Provenance:
    """Run and code version. `git_commit` is None outside a git checkout."""

    run_id: str
    git_commit: str | None
    spotter_version: str


def provenance_of(run_id: str) -> Provenance:
    """Return the provenance of data produced by a run of this code."""
    return Provenance(run_id, git_commit(CODE_ROOT), version("spotter"))


def git_commit(folder: Path) -> str | None:
    """Return the commit checked out at `folder`; None if it is no checkout or git is missing.

    A project unpacked inside another repository has none: that commit is not ours.
    """
    git = shutil.which("git")
    if git is None:
        return None
    asked = subprocess.run(  # noqa: S603 - our own arguments
        [git, "-C", str(folder), "rev-parse", "--show-toplevel", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode != 0:
        return None
    top, commit = asked.stdout.splitlines()
    return commit if Path(top).resolve() == folder.resolve() else None
