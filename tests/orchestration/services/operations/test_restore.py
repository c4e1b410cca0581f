"""Restoring a backup loses no data, and an incomplete one changes nothing."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from orchestration.config.settings import Settings
from orchestration.services.operations.backup_archive import BackupError
from orchestration.services.operations.doctor import restores
from orchestration.services.operations.restore import restore_backup
from orchestration.storage.file_lock import LockedError, inheritable_lock
from orchestration.storage.migrations import SCHEMA_VERSION, WarehouseNewerError, schema_version
from orchestration.storage.warehouse import open_warehouse
from orchestration.storage.warehouse_damage import WarehouseDamagedError
from tests.former_versions import FORMER_VERSIONS, make_former_warehouse
from tests.orchestration.homes import NOW, PROFILE, everything, rewritten, settings_of, workouts


def test_what_is_there_is_not_overwritten_unless_asked_and_then_put_aside(
    backup: Path, lived_in: Settings
) -> None:
    with open_warehouse(lived_in.warehouse_path) as con:
        con.execute(
            "insert into marts.fct_workout (workout_id, started_at) "
            "values ('later', '2026-03-03 17:00:00')"
        )
    before = everything(lived_in.home)
    with pytest.raises(BackupError, match="--replace"):
        restore_backup(lived_in, backup, NOW, print, is_replacing=False)
    assert everything(lived_in.home) == before
    restored = restore_backup(lived_in, backup, NOW, print, is_replacing=True)
    assert restored.former_home is not None
    assert everything(restored.former_home) == before
    assert workouts(lived_in.release_path) == [("w",)]


@pytest.mark.parametrize("damaged", ["warehouse.duckdb", "warehouse.duckdb.wal"])
def test_a_damaged_warehouse_is_replaced_and_put_aside(
    backup: Path, lived_in: Settings, damaged: str
) -> None:
    (lived_in.home / damaged).write_bytes(b"nothing that can be read " * 1000)
    with pytest.raises(WarehouseDamagedError), open_warehouse(lived_in.warehouse_path):
        pass
    restored = restore_backup(lived_in, backup, NOW, print, is_replacing=True)
    assert workouts(lived_in.release_path) == [("w",)]
    with open_warehouse(lived_in.warehouse_path) as con:
        assert con.execute("select count(*) from marts.fct_workout").fetchall() == [(1,)]
    assert restored.former_home is not None
    assert (restored.former_home / damaged).read_bytes().startswith(b"nothing")


def test_nothing_is_published_while_a_home_is_put_in_the_place_of_another(
    backup: Path, lived_in: Settings
) -> None:
    """A concurrent approval was recorded in the replaced warehouse."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from orchestration.storage.file_lock import LockedError, file_lock\n"
        "try:\n"
        "    with file_lock(Path(sys.argv[1]), 'an approval'):\n"
        "        print('free')\n"
        "except LockedError as error:\n"
        "    print(error.holder)\n"
    )
    lock = lived_in.warehouse_path.with_name("publishing.lock")

    def who_publishes() -> str:
        command = [sys.executable, "-c", code, str(lock)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    told: dict[str, str] = {}

    def ask(step: str) -> None:
        told[step] = who_publishes()

    restore_backup(lived_in, backup, NOW, ask, is_replacing=True)
    assert "release" in told
    assert all(holder.startswith("spotter restore (process") for holder in told.values())
    assert who_publishes() == "free\n"
    aside = lived_in.home.glob("before-*/publishing.lock")
    assert not list(aside), "a lock that is held was moved away, and another one is free"


@pytest.mark.parametrize("name", ["daemon.lock", "code.lock", "ui.lock"])
def test_a_home_that_dagster_serves_is_not_replaced(
    name: str, backup: Path, lived_in: Settings
) -> None:
    """Servers continue with their open files, wherever those are moved."""
    before = everything(lived_in.home)
    lock = inheritable_lock(lived_in.home / name, "spotter serve")
    with pytest.raises(BackupError, match=r"serves this home \(spotter serve \(process .*Stop it"):
        restore_backup(lived_in, backup, NOW, print, is_replacing=True)
    assert everything(lived_in.home) == before
    os.close(lock)
    begun: list[str] = []

    def begin(_: str) -> None:
        with pytest.raises(LockedError, match="spotter restore"):
            inheritable_lock(lived_in.home / name, "spotter serve")
        begun.append(name)

    restore_backup(lived_in, backup, NOW, begin, is_replacing=True)
    assert begun


def test_locks_and_files_that_wait_to_be_imported_stay_where_they_are(
    backup: Path, lived_in: Settings
) -> None:
    """Without the folder, Dagster starts without its sensor."""
    lock = lived_in.home / "dagster.lock"
    lock.touch()
    before = lock.stat().st_ino
    waiting = lived_in.import_folder / "kim" / "new.csv"
    waiting.parent.mkdir(parents=True)
    waiting.write_text("sets")
    restored = restore_backup(lived_in, backup, NOW, print, is_replacing=True)
    assert restored.former_home is not None
    assert waiting.read_text() == "sets"
    assert lock.stat().st_ino == before


def test_what_stands_in_a_home_without_a_warehouse_is_kept(backup: Path, tmp_path: Path) -> None:
    there = settings_of(tmp_path / "new")
    there.home.mkdir(parents=True)
    (there.home / "notes.txt").write_text("mine")
    restored = restore_backup(there, backup, NOW, print, is_replacing=False)
    assert restored.former_home is not None
    assert (restored.former_home / "notes.txt").read_text() == "mine"


def test_a_profile_that_differs_is_left_and_the_other_put_beside_it(
    backup: Path, tmp_path: Path
) -> None:
    there = settings_of(tmp_path / "new")
    there.athletes_dir.mkdir()
    own = there.athletes_dir / "kim.toml"
    own.write_text("# mine\n")
    restored = restore_backup(there, backup, NOW, print, is_replacing=False)
    assert restored.kept_profiles == (own,)
    assert own.read_text() == "# mine\n"
    assert own.with_name("kim.toml.from-backup").read_text() == PROFILE


def flipped(name: str, content: bytes) -> tuple[str, bytes]:
    if name != "home/warehouse.duckdb":
        return name, content
    return name, content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]


def newer(name: str, content: bytes) -> tuple[str, bytes]:
    if name != "backup.json":
        return name, content
    told = {**json.loads(content), "format": 3, "spotter_version": "9.0"}
    return name, json.dumps(told).encode()


def escaping(name: str, content: bytes) -> tuple[str, bytes]:
    if name == "backup.json":
        return name, content.replace(b"athletes/kim.toml", b"athletes/../kim.toml")
    return name.replace("athletes/kim", "athletes/../kim"), content


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (flipped, "damaged"),
        (newer, r"version 9\.0"),
        (escaping, "no complete backup"),
        (lambda name, content: (f"x{name}", content), "no complete backup"),
        (
            lambda name, content: None if name == "backup.json" else (name, content),
            "no complete backup",
        ),
        (
            lambda name, content: None if name.endswith("one.db") else (name, content),
            "no complete backup",
        ),
    ],
    ids=["a bit flipped", "newer", "outside", "other names", "no contents", "a file missing"],
)
def test_a_backup_that_is_not_whole_changes_nothing(
    change: Callable[[str, bytes], tuple[str, bytes] | None],
    told: str,
    backup: Path,
    lived_in: Settings,
    tmp_path: Path,
) -> None:
    before = everything(lived_in.home)
    with pytest.raises(BackupError, match=told):
        restore_backup(lived_in, rewritten(backup, change), NOW, print, is_replacing=True)
    assert everything(lived_in.home) == before
    assert not (tmp_path / "old" / "kim.toml").exists()


@pytest.mark.parametrize("content", [b"", b"no tar at all" * 100, None])
def test_what_is_no_backup_is_refused(
    content: bytes | None, lived_in: Settings, backup: Path, tmp_path: Path
) -> None:
    file = tmp_path / "other.tar"
    file.write_bytes(backup.read_bytes()[:20000] if content is None else content)
    before = everything(lived_in.home)
    with pytest.raises(BackupError, match="no complete backup"):
        restore_backup(lived_in, file, NOW, print, is_replacing=True)
    assert everything(lived_in.home) == before


def test_a_missing_file_is_told(lived_in: Settings, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="There is no file"):
        restore_backup(lived_in, tmp_path / "none.tar", NOW, print, is_replacing=True)


def test_a_backup_of_an_earlier_version_is_one_of_this_version_when_restored(
    backup: Path, tmp_path: Path
) -> None:
    former = tmp_path / "former.duckdb"
    make_former_warehouse(FORMER_VERSIONS[0], former)
    old = with_warehouse(backup, former)
    there = settings_of(tmp_path / "new")
    restore_backup(there, old, NOW, print, is_replacing=False)
    with duckdb.connect(there.warehouse_path, read_only=True) as con:
        assert schema_version(con) == SCHEMA_VERSION
        assert con.execute("select count(*) from coach.decisions").fetchall() == [(1,)]


def test_a_backup_of_a_newer_version_changes_nothing(
    lived_in: Settings, backup: Path, tmp_path: Path
) -> None:
    newer = tmp_path / "newer.duckdb"
    with open_warehouse(newer) as con:
        con.execute("insert into meta.migrations values (99, 'of later', '9.0.0', now())")
    before = everything(lived_in.home)
    with pytest.raises(WarehouseNewerError, match="Update Spotter"):
        restore_backup(lived_in, with_warehouse(backup, newer), NOW, print, is_replacing=True)
    assert everything(lived_in.home) == before


def with_warehouse(backup: Path, warehouse: Path) -> Path:
    """Return the backup with another warehouse in it."""
    content = warehouse.read_bytes()
    digest = hashlib.sha256(content).hexdigest()

    def change(name: str, told: bytes) -> tuple[str, bytes]:
        if name == "home/warehouse.duckdb":
            return name, content
        if name == "backup.json":
            contents = json.loads(told)
            contents["files"]["home/warehouse.duckdb"] = digest
            return name, json.dumps(contents).encode()
        return name, told

    return rewritten(backup, change)


def test_a_killed_restore_leaves_a_warehouse_and_the_next_one_makes_it_good(
    lived_in: Settings, backup: Path
) -> None:
    with open_warehouse(lived_in.warehouse_path) as con:
        con.execute("insert into marts.fct_workout (workout_id, started_at) values ('later', null)")
    code = f"""
import os, signal
from datetime import UTC, datetime
from pathlib import Path
from orchestration.services.operations.restore import restore_backup
from orchestration.config.settings import load_settings
Path.replace = lambda self, target: (
    os.kill(os.getpid(), signal.SIGKILL) if "warehouse" in target.name
    else os.replace(self, target)
)
now = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
settings = load_settings({{}}, Path({str(lived_in.home.parents[1])!r}))
restore_backup(settings, Path({str(backup)!r}), now, print, is_replacing=True)
"""
    died = subprocess.run([sys.executable, "-c", code], check=False)
    assert died.returncode == -signal.SIGKILL
    with open_warehouse(lived_in.warehouse_path, read_only=True) as con:
        assert con.execute("select count(*) from marts.fct_workout").fetchall() == [(2,)]
    assert "restore" in {each.name for each in restores(lived_in)}
    later = NOW + timedelta(minutes=1)
    restore_backup(lived_in, backup, later, print, is_replacing=True)
    with open_warehouse(lived_in.warehouse_path, read_only=True) as con:
        assert con.execute("select count(*) from marts.fct_workout").fetchall() == [(1,)]
    assert [each.name for each in restores(lived_in)] == ["put aside"]


def test_a_writer_of_before_is_waited_for_and_its_words_are_put_aside_with_the_rest(
    lived_in: Settings, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys, duckdb\n"
        f"con = duckdb.connect({str(lived_in.warehouse_path)!r})\n"
        "print('open', flush=True)\n"
        "sys.stdin.readline()\n"
        "con.execute(\"insert into marts.fct_workout (workout_id) values ('said')\")\n"
        "con.close()\n"
    )
    command, piped = [sys.executable, "-c", code], subprocess.PIPE
    pause = time.sleep
    with subprocess.Popen(command, stdin=piped, stdout=piped, text=True) as kim:
        assert kim.stdout is not None
        assert kim.stdin is not None
        assert kim.stdout.readline() == "open\n"

        def let_go(seconds: float) -> None:
            """The restore waits now: the writer may write."""
            kim.stdin.write("\n")
            kim.stdin.flush()
            monkeypatch.setattr("orchestration.storage.warehouse.time.sleep", pause)
            pause(seconds)

        monkeypatch.setattr("orchestration.storage.warehouse.time.sleep", let_go)
        restored = restore_backup(lived_in, backup, NOW, print, is_replacing=True)
        assert kim.wait() == 0
    assert restored.former_home is not None
    former = restored.former_home / "warehouse.duckdb"
    for path, count in ((former, 2), (lived_in.warehouse_path, 1)):
        with open_warehouse(path, read_only=True) as con:
            told = con.execute("select count(*) from marts.fct_workout").fetchall()
        assert told == [(count,)], path
