"""`spotter what-if`: changes, errors, and the report on a file."""

import json
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coach_agent.evaluation.what_if import ReplayedSession, Work, summarize
from orchestration.cli.app import app
from orchestration.cli.views.what_if import latest_table
from orchestration.config.settings import SettingsError
from tests.coach.evaluation.logs import invented_export


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "workouts.csv"
    path.write_text(invented_export(sessions=12))
    return path


def run(export: Path, *arguments: str) -> Result:
    few = ("--past", "2", "--weeks", "1", "--lifters", "2")
    return CliRunner().invoke(
        app, ["what-if", "--csv", str(export), *few, *arguments], catch_exceptions=False
    )


def test_a_new_programme_is_compared_with_the_present_routines(export: Path) -> None:
    before = export.read_bytes()
    done = run(export, "--set", "days=2", "--set", "goal.kind=strength", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["programme"] == "Strength, 2 days"
    assert report["changes"] == ["days=2", "goal.kind=strength"]
    assert report["changed_ahead"]["sessions_a_week"] == 2
    assert report["now"]["done"] == report["changed"]["done"]
    assert report["now_ahead"]["gain_pct"]["low"] <= report["now_ahead"]["gain_pct"]["high"]
    assert len(report["limits"]) == 4
    assert [each.name for each in export.parent.iterdir()] == [export.name]
    assert export.read_bytes() == before
    again = run(export, "--set", "days=2", "--set", "goal.kind=strength", "--json")
    assert again.stdout == done.stdout


def test_the_text_says_what_it_cannot_know(export: Path) -> None:
    told = run(export, "--set", "pain.knee=severe").output
    assert "What if: pain.knee=severe (your present routines)" in told
    assert "Compared with the work done, the rules now ask for" in told
    assert "without sleep, food, technique" in told


def test_a_programme_of_the_library_can_be_tried(export: Path) -> None:
    report = json.loads(run(export, "--program", "gzclp", "--json").stdout)
    assert report["programme"] == "GZCLP"


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (Work("Squat", 3, 82.5, 5, is_uniform=True), "3 × 5 × 82.5 kg"),
        (Work("Squat", 3, 82.5, 5, is_uniform=False), "3 sets, top 5 × 82.5 kg"),
        (Work("Push Up", 3, None, 12, is_uniform=False), "3 sets, top 12"),
        (Work("Plank", 2, None, None, is_uniform=True), "2"),
    ],
)
def test_sets_of_different_loads_are_not_shown_as_equal(work: Work, text: str) -> None:
    session = ReplayedSession(
        day=date(2026, 5, 4),
        done=(),
        done_muscles={},
        done_minutes=None,
        routine="A",
        prescribed=(work,),
    )
    table = latest_table(summarize(date(2026, 5, 4), 1, (session,)), "kg")
    assert table is not None
    assert list(table.columns[1].cells) == [text]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "Say what to change: --set KEY=VALUE, or --program NAME."),
        (("--set", "days"), "--set days: write KEY=VALUE, as in --set days=3."),
        (("--set", "dys=3"), "--set dys=3: there is no key 'dys'. Did you mean 'days'?"),
        (("--set", "days=9"), "--set days=9: must be a number from 1 to 7."),
        (
            ("--set", "level=novise"),
            "--set level=novise: must be one of novice, intermediate, advanced. "
            "Did you mean 'novice'?",
        ),
        (("--set", "goal.knd=strength"), "--set: unknown key goal.knd; did you mean kind?"),
        (
            ("--set", "goal.kind=strenght"),
            "--set: goal.kind = 'strenght': must be 'strength', 'hypertrophy' or 'both'",
        ),
        (
            ("--program", "gzclp", "--set", "days=3"),
            "--set days: the programme of --program has its own days.",
        ),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value) or "nothing",
)
def test_a_wrong_change_is_one_error(
    export: Path, arguments: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(SettingsError) as error:
        run(export, *arguments)
    assert str(error.value) == problem
