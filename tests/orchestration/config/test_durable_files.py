"""Only the owner can read a home, whatever the umask is; edits keep a file's mode."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestration.config.durable_files import close_to_others, replace_file
from orchestration.config.profile_edits import edit_profile

SPOTTER = Path(sys.executable).with_name("spotter")


@pytest.fixture
def open_umask() -> Iterator[None]:
    former = os.umask(0)
    yield
    os.umask(former)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("open_umask")
def test_a_command_closes_an_existing_home_and_what_it_makes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "release" / "000001").mkdir(parents=True)
    (home / "release" / "000001" / "marts.duckdb").write_text("marts")
    (home / "release" / "000001" / "marts.duckdb").chmod(0o444)
    (home / "release" / "current").symlink_to("000001")
    (tmp_path / "athletes").mkdir()
    (tmp_path / "athletes" / "kim.toml").write_text('id = "kim"\n[hevy]\naccount = "none"\n')
    environment = {
        **os.environ,
        "SPOTTER_HOME": str(home),
        "SPOTTER_ATHLETES_DIR": str(tmp_path / "athletes"),
    }
    assert mode_of(home) == 0o777
    done = subprocess.run(
        [SPOTTER, "check-in", "--energy", "low"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert mode_of(home) == 0o700
    assert mode_of(home / "warehouse.duckdb") == 0o600
    assert mode_of(home / "release" / "000001" / "marts.duckdb") == 0o444


@pytest.mark.parametrize(
    ("names", "mode", "closed"),
    [
        ((), 0o755, 0o700),
        (("warehouse.duckdb", "notes.txt"), 0o755, 0o700),
        (("notes.txt",), 0o755, 0o755),
        (("warehouse.duckdb",), 0o1777, 0o1777),
    ],
    ids=["empty", "a home", "of others", "sticky"],
)
def test_only_a_home_is_closed(
    tmp_path: Path, names: tuple[str, ...], mode: int, closed: int
) -> None:
    for name in names:
        (tmp_path / name).touch()
    tmp_path.chmod(mode)
    close_to_others(tmp_path, [tmp_path / "warehouse.duckdb"])
    assert mode_of(tmp_path) == closed


def test_the_home_folder_of_the_user_is_not_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    warehouse = tmp_path / "warehouse.duckdb"
    warehouse.touch()
    tmp_path.chmod(0o755)
    close_to_others(tmp_path, [warehouse])
    assert mode_of(tmp_path) == 0o755


def test_what_is_no_folder_is_not_closed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o666)
    for path in (file, tmp_path / "none"):
        close_to_others(path, [])
    assert mode_of(file) == 0o666


@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400])
def test_a_replaced_file_keeps_its_mode_and_a_new_one_is_private(tmp_path: Path, mode: int) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("a")
    old.chmod(mode)
    for path in (old, new):
        replace_file(path, b"content")
        assert path.read_bytes() == b"content"
    assert stat.S_IMODE(old.stat().st_mode) == mode
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_a_replaced_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    target = tmp_path / "store" / "env"
    target.write_text("a")
    link = tmp_path / ".env"
    link.symlink_to(target)
    replace_file(link, b"b")
    assert link.is_symlink()
    assert target.read_bytes() == b"b"


def test_a_file_is_on_the_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace, fsync = Path.replace, os.fsync

    def noted_replace(self: Path, target: Path) -> Path:
        done.append("replace")
        return replace(self, target)

    def noted_fsync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    monkeypatch.setattr(Path, "replace", noted_replace)
    monkeypatch.setattr(os, "fsync", noted_fsync)
    replace_file(tmp_path / "new", b"content")
    assert done == ["file", "replace", "folder"]


def test_a_failed_write_leaves_the_former_file_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kim.toml"
    path.write_text("former")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new")
    assert path.read_text() == "former"
    assert [each.name for each in tmp_path.iterdir()] == ["kim.toml"]


def test_an_edited_profile_keeps_its_mode(tmp_path: Path) -> None:
    """It was replaced by a world-readable file."""
    path = tmp_path / "kim.toml"
    path.write_text('id = "kim"\n')
    path.chmod(0o600)
    edit_profile(path, ["goal.kind=strength"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
