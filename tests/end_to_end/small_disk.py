"""A home on a separate file system, which can be filled up and made read-only.

Linux gives a process a mount namespace: its mounts are invisible to other processes.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.world import SPOTTER, Home

_ROOM_MB = 400
_CHUNK = b"\0" * (1 << 20)

# A world is copied to the new file system; Dagster's files may stay on the old one.
_MOUNT = """
mount -t tmpfs -o size="$3m" tmpfs "$2" || exit
echo mounted
set -e
cp -a "$1/." "$2"
if [ "$4" = apart ]; then
    mount --bind "$1/home/dagster" "$2/home/dagster"
fi
echo copied
read -r _
"""


class NoMountsError(Exception):
    """This machine permits no mounts; the text gives the reason."""


@dataclass(frozen=True)
class SmallDisk:
    """The file system, held by a waiting process; `home` is its path for commands inside."""

    home: Home
    holder: int

    @property
    def around(self) -> list[str]:
        """Return the prefix of a command that uses it."""
        pid = str(self.holder)
        return ["nsenter", "--target", pid, "--user", "--mount", "--preserve-credentials", "--"]

    def copy(self) -> Home:
        """Copy the current home to the old file system."""
        folder = Path(tempfile.mkdtemp(dir=self.home.folder.parent))
        assert self.do("cp", "-a", f"{self.home.folder}/.", folder).returncode == 0
        return Home(folder, self.home.hevy_url)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run the whole nightly job."""
        return self.do(SPOTTER, "run")

    def do(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command of ours, or one of the system, inside."""
        return subprocess.run(
            [*self.around, *command],
            env=self.home.env,
            capture_output=True,
            text=True,
        )

    def fill(self) -> None:
        """Fill the disk completely."""
        with self._filler.open("wb", buffering=0) as file:
            for chunk in (_CHUNK, _CHUNK[:4096]):
                try:
                    while file.write(chunk) == len(chunk):
                        pass
                except OSError:
                    continue
        assert shutil.disk_usage(self._filler.parent).free == 0

    def make_room(self) -> None:
        """Free the filled space."""
        self._filler.unlink()

    @property
    def _filler(self) -> Path:
        return Path(f"/proc/{self.holder}/root{self.home.folder}/filler")


@contextmanager
def small_disk(world: Home, folder: Path, *, history_apart: bool = False) -> Iterator[SmallDisk]:
    """Copy a world to a file system of 400 MB, mounted at the folder.

    With `history_apart` Dagster's files are on another file system.

    Raises:
        NoMountsError: this machine does not permit it.
    """
    folder.mkdir()
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        raise NoMountsError("unshare and nsenter (util-linux) are not installed")
    history = "apart" if history_apart else "within"
    mount = ["sh", "-c", _MOUNT, "sh", world.folder, folder, str(_ROOM_MB), history]
    holder = subprocess.Popen(
        ["unshare", "--map-root-user", "--mount", *mount],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    if holder.stdout.readline() != "mounted\n":
        raise NoMountsError(f"this machine lets nobody mount: {holder.communicate()[1].strip()}")
    try:
        assert holder.stdout.readline() == "copied\n"
        yield SmallDisk(Home(folder, world.hevy_url, world.extra), holder.pid)
    finally:
        holder.communicate("\n")
