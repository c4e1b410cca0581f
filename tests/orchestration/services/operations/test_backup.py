"""A backup is a consistent snapshot of all parts of a home."""

import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from orchestration.config.settings import Settings
from orchestration.services.operations.backup import write_backup
from orchestration.services.operations.backup_archive import BackupError
from orchestration.services.operations.restore import restore_backup
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import (
    WarehouseMissingError,
    open_warehouse,
)
from tests.orchestration.homes import NOW, PROFILE, settings_of, workouts


def test_a_restored_home_has_all_that_was_there(backup: Path, tmp_path: Path) -> None:
    there = settings_of(tmp_path / "new")
    restored = restore_backup(there, backup, NOW, print, is_replacing=False)
    assert restored.former_home is None
    assert restored.kept_profiles == ()
    assert workouts(there.release_path) == [("w",)]
    with open_warehouse(there.warehouse_path, read_only=True) as con:
        assert con.execute("select workout_id from marts.fct_workout").fetchall() == [("w",)]
    with closing(sqlite3.connect(there.dagster_home / "history" / "runs" / "one.db")) as con:
        assert con.execute("select text from event_logs").fetchall() == [("kept",)]
    assert (there.dagster_home / "dagster.yaml").read_text() == "telemetry: {}\n"
    assert (there.athletes_dir / "kim.toml").read_text() == PROFILE
    assert [path.name for path in there.home.iterdir() if path.name.startswith(".")] == []


def test_what_servers_write_meanwhile_is_whole_or_not_in_it(
    lived_in: Settings, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(lived_in.dagster_home / "history" / "runs" / "one.db")) as con:
        con.execute("insert into event_logs values ('committed')")
        con.commit()
        con.execute("insert into event_logs values ('not yet')")
        write_backup(lived_in, tmp_path / "busy.tar", NOW, print)
        con.commit()
    there = settings_of(tmp_path / "new")
    restore_backup(there, tmp_path / "busy.tar", NOW, print, is_replacing=False)
    with closing(sqlite3.connect(there.dagster_home / "history" / "runs" / "one.db")) as con:
        told = con.execute("select text from event_logs order by text").fetchall()
    assert told == [("committed",), ("kept",)]


def test_a_backup_is_its_owners_alone_and_has_no_key(
    lived_in: Settings, backup: Path, tmp_path: Path
) -> None:
    assert backup.stat().st_mode & 0o077 == 0
    with tarfile.open(backup) as tar:
        assert not [name for name in tar.getnames() if ".env" in name]


def test_no_run_and_no_writer_is_at_work_while_the_warehouse_is_copied(
    lived_in: Settings, tmp_path: Path
) -> None:
    code = (
        "import sys, duckdb\n"
        f"con = duckdb.connect({str(lived_in.warehouse_path)!r})\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "open\n"
        released: list[str] = []

        def let_go(step: str) -> None:
            released.append(step)
            if step == "warehouse":
                # The backup waits for the process that has it open.
                assert stranger.stdin is not None
                stranger.stdin.close()

        write_backup(lived_in, tmp_path / "waited.tar", NOW, let_go)
    assert released[0] == "warehouse"


def test_a_run_in_progress_keeps_a_backup_away(lived_in: Settings, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from orchestration.runs.lock import run_lock\n"
        f"with run_lock(Path({str(lived_in.home)!r}), 'a run', is_waiting=False):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match="a run"):
            write_backup(lived_in, tmp_path / "b.tar", NOW, print)
        assert run.stdin is not None
        run.stdin.close()
    assert not (tmp_path / "b.tar").exists()


def test_a_file_that_exists_is_not_overwritten(lived_in: Settings, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    file.write_text("mine")
    with pytest.raises(BackupError, match="exists already"):
        write_backup(lived_in, file, NOW, print)
    assert file.read_text() == "mine"
    with pytest.raises(BackupError, match="no folder"):
        write_backup(lived_in, tmp_path / "none" / "b.tar", NOW, print)


def test_a_home_without_a_warehouse_has_nothing_to_back_up(tmp_path: Path) -> None:
    there = settings_of(tmp_path / "new")
    with pytest.raises(WarehouseMissingError, match="spotter run"):
        write_backup(there, tmp_path / "b.tar", NOW, print)


def test_a_backup_that_fails_leaves_no_file(
    lived_in: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(BackupError, match="No space left"):
        write_backup(lived_in, tmp_path / "b.tar", NOW, print)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
