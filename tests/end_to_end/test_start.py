"""`spotter` without a command, its options, and unexpected errors."""

import sys
from pathlib import Path

import pytest

from orchestration.cli import app as cli
from tests.end_to_end.world import FirstNight, Home


def test_alone_it_shows_the_next_workout(first_night: FirstNight) -> None:
    home = Home(first_night.folder, "http://127.0.0.1:9")
    alone, asked = home.spotter(), home.spotter("plan", "show")
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout == asked.stdout


def test_alone_it_leads_whoever_begins(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    home.athletes.mkdir()
    profile = home.athletes / "me.toml"
    profile.write_text('id = "me"\n')
    told = home.spotter()
    assert told.returncode == 0, told.stderr
    assert "Nothing was read yet. Run: spotter run" in told.stdout
    profile.unlink()
    told = home.spotter()
    assert told.returncode == 0
    for step in ("spotter demo", "spotter init", "spotter import-csv"):
        assert step in told.stdout


def test_it_tells_its_version_and_completes_commands(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    assert home.spotter("--version").stdout.startswith("spotter ")
    asked = {"_SPOTTER_COMPLETE": "complete_bash", "COMP_WORDS": "spotter stat", "COMP_CWORD": "1"}
    completed = Home(home.folder, home.hevy_url, asked).spotter()
    assert completed.stdout.split() == ["status"]


@pytest.mark.parametrize("option", [(), ("--debug",)])
def test_an_error_that_nobody_foresaw_has_a_traceback_only_when_asked(
    option: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["spotter", *option, "--version"])

    def breaks(package: str) -> str:
        raise RuntimeError(f"{package} is on the moon")

    monkeypatch.setattr("orchestration.cli.commands.start.installed_version", breaks)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert "RuntimeError: spotter is on the moon" in told
    assert "spotter --debug" in told
    assert ("Traceback" in told) == bool(option)
