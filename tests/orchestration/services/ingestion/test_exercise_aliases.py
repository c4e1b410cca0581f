"""Proposals for the titles of an athlete's files, and aliases in the profile."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from coach_agent.profile.model import ProfileError
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.records import Record
from orchestration.cli.app import app
from orchestration.config.profile_edits import add_aliases
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.ingestion.exercise_aliases import exercise_titles, read_proposals
from orchestration.storage.warehouse import open_warehouse

NOW = datetime(2026, 3, 5, tzinfo=UTC)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    """Return raw tables with one workout of three titles: one known, one misspelt, one foreign."""
    con = duckdb.connect()
    create_raw_tables(con)
    land_workout(con)
    return con


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the profile of the only athlete of a home without records."""
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    path = athletes / "me.toml"
    path.write_text('id = "me"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(athletes))
    with open_warehouse(load_settings().warehouse) as con:
        create_raw_tables(con)
    return path


def land_workout(
    con: duckdb.DuckDBPyConnection,
    exercises: Sequence[tuple[str, float, int]] = (
        ("Squat (Barbell)", 100, 1),
        ("Bench Pres", 80, 3),
        ("Wyciskanie", 80, 2),
    ),
) -> None:
    payload = {
        "id": "w1",
        "title": "A",
        "start_time": "2026-03-04T18:00:00+00:00",
        "end_time": None,
        "exercises": [
            {"index": at, "title": title, "sets": [{"weight_kg": kg, "reps": 5}] * count}
            for at, (title, kg, count) in enumerate(exercises)
        ],
    }
    records = [Record("w1", json.dumps(payload))]
    land(con, "hevy_workouts", "me", records, now=NOW, run_id="test", origin="csv")


def test_unknown_titles_get_proposals_and_aliases_need_none(
    con: duckdb.DuckDBPyConnection,
) -> None:
    bench, foreign = read_proposals(con, "me", {})
    assert (bench.title, bench.set_count) == ("Bench Pres", 3)
    assert bench.exercise is not None
    assert bench.exercise.startswith("Bench Press")
    assert (foreign.title, foreign.exercise) == ("Wyciskanie", None)
    aliases = {"bench  pres": "Bench Press (Barbell)"}
    assert [one.title for one in read_proposals(con, "me", aliases)] == ["Wyciskanie"]


def test_aliases_are_added_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "me.toml"
    path.write_text('id = "me"  # mine\n')
    add_aliases(path, {'A "=" b': "Squat (Barbell)"})
    profile = add_aliases(path, {"Bench Pres": "Bench Press (Barbell)"})
    assert profile.exercise_aliases == {
        'A "=" b': "Squat (Barbell)",
        "Bench Pres": "Bench Press (Barbell)",
    }
    assert "# mine" in path.read_text()
    before = path.read_text()
    with pytest.raises(ProfileError, match="is itself an alias"):
        add_aliases(path, {"Bank": "Bench Pres"})
    assert path.read_text() == before


def test_an_alias_means_an_exercise_of_the_catalogue_or_of_the_athlete(
    con: duckdb.DuckDBPyConnection,
) -> None:
    titles = exercise_titles(con, "me")
    assert {"Bench Press (Barbell)", "Wyciskanie"} <= set(titles)
    assert "Bench Press (Barbel)" not in titles


@pytest.mark.parametrize(
    ("meant", "message"),
    [
        ("Bench Press (Barbel)", "There is no exercise .* Did you mean 'Bench Press .Barbell.'"),
        ("Zzzzz", "There is no exercise 'Zzzzz'.$"),
    ],
)
def test_an_alias_of_no_exercise_is_refused(path: Path, meant: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        CliRunner().invoke(
            app, ["aliases", "accept", "Supino", "--as", meant], catch_exceptions=False
        )
    assert path.read_text() == 'id = "me"\n'


def test_proposals_are_joined_only_as_they_were_seen(path: Path) -> None:
    """A page shows them, then a file adds a title that nobody has seen."""
    seen = json.loads(CliRunner().invoke(app, ["aliases", "list", "--json"]).stdout)
    assert seen["proposals"] == []
    with open_warehouse(load_settings().warehouse) as con:
        land_workout(con)
    accept = ["aliases", "accept", "--all", "--if-sha256", seen["proposals_sha256"]]
    with pytest.raises(SettingsError, match="The proposals have changed since"):
        CliRunner().invoke(app, accept, catch_exceptions=False)
    assert path.read_text() == 'id = "me"\n'


def test_accepting_all_leaves_out_what_is_not_sure(path: Path) -> None:
    """All proposals were joined, also those of one of two equally similar exercises."""
    with open_warehouse(load_settings().warehouse) as con:
        land_workout(con, [("Leg curl", 40, 2), ("Spazieren", 10, 1)])
    accepted = CliRunner().invoke(app, ["aliases", "accept", "--all"], catch_exceptions=False)
    assert accepted.stdout.splitlines() == [
        'Left out: "Leg curl" is perhaps "Seated Leg Curl (Machine)"',
        "Accept each that is right: spotter aliases accept TITLE, or name it with --as.",
        "There are no sure proposals.",
    ]
    assert path.read_text() == 'id = "me"\n'
