"""Every command of docs/importing.md works; as dry runs, which use the same code."""

import re
import tomllib
from pathlib import Path

import pytest

from coach_agent.profile.model import load_profile
from tests.end_to_end.exports import HEADER
from tests.end_to_end.imports import Imports
from tests.end_to_end.world import ROOT, new_home

TEXT = (ROOT / "docs" / "importing.md").read_text()

FILES = {
    "workout_data.csv": (
        f"{HEADER}"
        '"A","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Squat (Barbell)",,"",0,"normal",60,5,,,\n'
    ),
    "strong.csv": (
        "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,"
        "Workout Notes,RPE\n"
        '2026-03-02 18:02:45,"B",1h 4m,"Squat (Barbell)",1,65.0,8.0,0,0.0,"","",\n'
    ),
    "fitnotes.csv": (
        "Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment\n"
        "2026-03-05,Barbell Squat,Legs,70.0,kgs,6,,,,\n"
    ),
    "table.csv": "Datum;Übung;Gewicht;Wdh.;Art\n4.3.2026;Squat (Barbell);60,5;5;Aufwärmen\n",
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.M | re.S)


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Return the name and the arguments of each `spotter` command of a block."""
    found = []
    for line in block.splitlines():
        program, name, *arguments = line.split("  #")[0].split()
        assert program == ".venv/bin/spotter"
        found.append((name, arguments))
    return found


DIRECT, AFTERWARDS, MAPPED = (commands(block) for block in blocks("sh"))


@pytest.mark.long
@pytest.mark.parametrize(("name", "arguments"), [*DIRECT, *MAPPED])
def test_a_file_is_imported_as_told(tmp_path: Path, name: str, arguments: list[str]) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    (tmp_path / "mapping.toml").write_text(blocks("toml")[0])
    files = [one for one in arguments if one in FILES]
    paths = [str(tmp_path / one) if (tmp_path / one).exists() else one for one in arguments]
    done = home.spotter(name, *paths, "--dry-run")
    assert done.returncode == 0, done.stderr
    read = "1 rows read = 1 loaded + 0 known + 0 in the Hevy account"
    assert done.stdout.count(read) == len(files)
    assert not home.warehouse.exists()


def test_an_import_leads_to_a_plan_as_told(imports: Imports) -> None:
    assert imports.imported.returncode == 0, imports.imported.stderr
    assert "18 rows read = 18 loaded + 0 known + 0 in the Hevy account" in imports.imported.stdout
    assert AFTERWARDS == [("run", []), ("plan", ["show", "--athlete", "me"])]
    for done in (imports.ran, imports.shown):
        assert done.returncode == 0, done.stderr
        assert "your next workout" in done.stdout
        assert "preview only: no Hevy account connected" in done.stdout


def test_the_aliases_shown_can_be_used(tmp_path: Path) -> None:
    _, aliases = blocks("toml")
    path = tmp_path / "me.toml"
    path.write_text(f'id = "me"\n{aliases}')
    assert load_profile(path).exercise_aliases == tomllib.loads(aliases)["exercise_aliases"]


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("workout_data.csv", ["--timezone", "Mars/Base"], "'Mars/Base' is no time zone"),
        ("strong.csv", ["--weight-unit", "stone"], "'stone' is not one of 'kg', 'lb'"),
        ("strong.csv", [], "--weight-unit"),
    ],
    ids=["zone", "unit", "no unit"],
)
def test_a_wrong_option_is_told_and_nothing_is_written(
    tmp_path: Path, file: str, options: list[str], words: str
) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    (tmp_path / file).write_text(FILES[file])
    done = home.spotter("import-csv", tmp_path / file, "--athlete", "me", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in re.sub(r"\s*│\s*", " ", done.stderr)
    assert not home.warehouse.exists()
