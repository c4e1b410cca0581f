"""Messages of a blocked `spotter run`: another run does its work only if it is a run."""

import json
import os
import sys
from pathlib import Path

import pytest

from orchestration.cli import app as cli
from orchestration.storage.file_lock import inheritable_lock


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a home with one athlete, ann, and no active process."""
    (tmp_path / "ann.toml").write_text('id = "ann"\n[hevy]\naccount = "none"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    return tmp_path / "home"


def beside(who: str, home: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    """Return the exit code of a run during this kind of work; this process holds no lock."""
    monkeypatch.setattr(sys, "argv", ["spotter", "run", *options])
    lock = inheritable_lock(home / "run.lock", who)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    os.close(lock)
    return int(ended.value.code or 0)


@pytest.mark.parametrize("who", ["spotter run", "Dagster's run 0123"])
def test_beside_a_run_nothing_is_begun_and_all_is_well(
    who: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside(who, home, monkeypatch) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"A run is in progress: {who} (process ")
    assert "nothing was started" in told


def test_a_program_hears_of_the_run_as_json(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside("spotter run", home, monkeypatch, "--json") == 0
    assert json.loads(capsys.readouterr().out)["run_id"] is None


@pytest.mark.parametrize("who", ["spotter compact", "spotter backup", "spotter restore"])
def test_beside_other_work_a_run_is_refused(
    who: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside(who, home, monkeypatch) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{who} (process " in " ".join(told.err.split())
    assert "try again later" in " ".join(told.err.split())


def test_deletions_are_not_accepted_by_a_run_that_does_not_know_of_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside("spotter run", home, monkeypatch, "--accept-deletions", "ann") == 2
    assert capsys.readouterr().out == ""


def test_deletions_are_accepted_of_athletes_who_are_there(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside("spotter run", home, monkeypatch, "--accept-deletions", "zoe") == 2
    assert "There is no athlete 'zoe'" in " ".join(capsys.readouterr().err.split())
