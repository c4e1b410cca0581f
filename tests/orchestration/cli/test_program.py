"""`spotter program`: the library, and own files."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coach_agent.programmes.files import ProgrammeError, library, parse_programme
from orchestration.cli import programme_dialogue
from orchestration.cli.app import app
from orchestration.config.new_profile import NewProfile
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
)
from orchestration.storage.warehouse import open_warehouse

PAGE = Path(__file__).parents[3] / "docs" / "programmes.md"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["program", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_all_programmes_are_listed() -> None:
    listed = json.loads(run("list", "--json"))
    assert [each["name"] for each in listed] == list(library())
    assert all(name in run("list") for name in library())


def test_a_programme_is_shown_with_loads_and_volume() -> None:
    """A training max of 157.5 kg; each bench press counts for triceps and shoulders by half."""
    shown = json.loads(run("show", "531", "--number", "squat=175", "--weeks", "3", "--json"))
    squat = next(each for each in shown["sessions"] if each["day"] == "Squat")
    groups = squat["exercises"][0]["groups"]
    assert [each["weight_kg"] for each in groups] == [102.5, 117.5, 135]
    muscles = {each["muscle"]: each for each in shown["weekly_hard_sets"]}
    # Three bench sets and three of dips on each of two days.
    assert muscles["chest"] == {"muscle": "chest", "sets": 9, "low": 4, "high": 18}
    text = run("show", "531", "--number", "squat=175")
    assert "Squat (Barbell): 1x5 102.5 kg, 1x5 117.5 kg, 1x5+ 135 kg" in text
    assert "chest: " in text


@pytest.mark.parametrize(
    "number", ["sqat=100", "squat=heavy", "squat", "squat=0", "squat=nan", "squat=501"]
)
def test_a_wrong_number_is_reported(number: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(number)):
        run("show", "531", "--number", number)


def test_an_own_file_is_shown_and_its_problems_have_lines(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    parse_programme(example, PAGE, built_in_titles())
    own = tmp_path / "own.toml"
    own.write_text(example, encoding="utf-8")
    assert "Squat (Barbell): 1x5 90 kg" not in run("show", str(own))
    assert "Squat (Barbell): 1x5 65 kg, 1x5+ 85 kg" in run(
        *("show", str(own), "--number", "squat=111", "--weeks", "1")
    )
    own.write_text(example.replace("Bench Press (Barbell)", "Bench Pres (Barbell)"))
    with pytest.raises(ProgrammeError, match=r"own.toml, line \d+: .*Did you mean 'Bench Press"):
        run("show", str(own))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(athletes))
    return athletes


def test_a_programme_is_built_from_options_and_kept_as_a_file(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    options = ("--days", "2", "--minutes", "45", "--lack", "barbell", "--save", str(path))
    text = run("new", *options, "--pain", "right shoulder:moderate")
    assert "Monday: Full body A" in text
    assert "(Barbell)" not in text
    assert "Compromises" in text
    programme = parse_programme(path.read_text(encoding="utf-8"), path, built_in_titles())
    assert programme.days_per_week == 2
    with pytest.raises(SettingsError, match="exists"):
        run("new", "--save", str(path))


def test_a_profile_says_what_no_option_says(home: Path) -> None:
    (home / "me.toml").write_text(
        'id = "me"\nsession_minutes = 50\ngoal = { kind = "strength" }\n'
        'avoid = ["Squat (Barbell)"]\n'
        'equipment = { plate_pairs_kg = "none" }\n[pain]\n"left knee" = "mild"\n'
    )
    request = json.loads(run("new", "--days", "4", "--json"))["request"]
    assert request == {
        "days": 4,
        "minutes": 50,
        "goal": "strength",
        "level": "novice",
        "lacks": ["barbell"],
        "pain": [{"part": "left knee", "level": "mild"}],
        "avoid": ["Squat (Barbell)"],
        "prefer": [],
        "liked": [],
        "disliked": [],
        "responses": [],
        "weeks_to_event": None,
        "days_in_last_week": 7,
    }


def test_weekly_sets_follow_the_response_to_volume(home: Path, tmp_path: Path) -> None:
    """The reason is a note of the programme, so its published version keeps it."""
    (home / "me.toml").write_text('id = "me"\n')
    options = ("--days", "4", "--minutes", "75", "--level", "intermediate")
    with open_warehouse(load_settings().warehouse) as con:
        con.execute("""
            create schema marts;
            create table marts.fct_volume_response as
            select
                'me' as athlete_id, 'quadriceps' as muscle_group, 'more_helps' as verdict,
                8 as period_count, 0.3 as slope_pct, 0.1 as lower_pct, 0.5 as upper_pct,
                4.0 as least_weekly_sets, 20.0 as most_weekly_sets,
                null::date as next_change_date
        """)
    path = tmp_path / "mine.toml"
    text = run("new", *options, "--save", str(path))
    [note] = [line for line in text.splitlines() if line.startswith("- Quadriceps:")]
    assert "In your log it gained more with more sets: +0.30 % in 4 weeks" in note
    programme = parse_programme(path.read_text(encoding="utf-8"), path, built_in_titles())
    assert programme.notes[-1] == note.removeprefix("- ")


def test_changes_in_words_are_options_too(home: Path) -> None:
    options = ("new", "--days", "3", "--json")
    rows = json.loads(
        run(*options, "--change", "no barbell rows, 45 minutes", "--change", "4 days")
    )
    assert rows == json.loads(
        run(
            *("new", "--days", "4", "--minutes", "45", "--json"),
            *("--avoid", "Bent Over Row (Barbell)", "--avoid", "Pendlay Row (Barbell)"),
        )
    )
    assert (rows["request"]["days"], rows["request"]["minutes"]) == (4, 45)
    with pytest.raises(SettingsError, match="--change: I do not understand 'make it nice'"):
        run(*options, "--change", "4 days, make it nice")


def in_terminal(monkeypatch: pytest.MonkeyPatch, answers: list[str], *options: str) -> str:
    """Return the output of `program new` with these lines typed."""
    monkeypatch.setattr(programme_dialogue, "is_terminal", lambda: True)
    typed = "".join(f"{each}\n" for each in answers)
    result = CliRunner().invoke(
        app, ["program", "new", *options], input=typed, catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.output


def test_in_a_terminal_it_asks_builds_changes_and_saves(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other, same = (tmp_path / f"{name}.toml" for name in ("mine", "other", "same"))
    limits = "no kettlebells, left knee hurts a bit"
    run(
        *("new", "--days", "4", "--goal", "hypertrophy", "--level", "intermediate"),
        *("--change", limits, "--change", "no squats", "--save", str(same)),
    )
    path.write_text("occupied")
    questions = ["9", "four times a week", "an hour", "size", "intermediate", limits]
    changes = ["undo", "4 days", "no flurbs", "3 days", "undo", "no squats", "done"]
    output = in_terminal(monkeypatch, [*questions, *changes, str(path), str(other)])
    assert "days: input should be less than or equal to 7" in output
    assert "That is so already." in output
    assert "There is nothing to undo." in output
    assert "No programme has an exercise 'flurbs'" in output
    assert "- days: 4 → 3" in output
    assert "- days: 3 → 4" in output
    assert "- avoid: none → Belt Squat (Machine)" in output
    assert f"{path} exists" in output
    assert path.read_text() == "occupied"
    assert other.read_text() == same.read_text()


def test_it_asks_only_for_what_neither_option_nor_profile_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "me.toml").write_text(
        'id = "me"\nsession_minutes = 50\ngoal = { kind = "strength" }\npain = { neck = "mild" }\n'
        'equipment = { plate_pairs_kg = "none" }\n'
    )
    output = in_terminal(monkeypatch, ["", ""], "--days", "2", "--level", "novice")
    assert "Training days" not in output
    assert "Minutes of" not in output
    assert "Goal:" not in output
    assert "Missing equipment" not in output
    assert "Strength, 2 days" in output
    output = in_terminal(monkeypatch, ["3", "advanced", "", ""])
    assert "Training days a week [3]" in output
    assert "Experience: novice, intermediate or advanced [novice]" in output
    assert "Strength, 3 days" in output


def test_without_an_account_a_programme_is_entered_by_hand(home: Path) -> None:
    """`publish --yes` asked for a mode that such a profile may not have."""
    (home / "me.toml").write_text(NewProfile("me", account="none").text())
    assert "Enter the days in your app yourself" in run("publish", "five-by-five")
    with pytest.raises(SettingsError, match="There is no Hevy account to create routines in"):
        run("publish", "five-by-five", "--yes")


def test_a_new_profile_states_neither_goal_nor_equipment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that an import writes has the defaults of both."""
    (home / "me.toml").write_text(NewProfile("me", timezone="UTC").text())
    output = in_terminal(monkeypatch, ["2", "", "health", "", "dumbbells only", "", ""])
    assert "Goal:" in output
    assert "Missing equipment or pain" in output
    assert "Health, 2 days" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--avoid", "Sqat (Barbell)"), "Did you mean 'Squat"),
        (("--lack", "barbel"), "Did you mean 'barbell'?"),
        (("--pain", "nose:mild"), "must be a part of the body"),
        (("--event", "2020-01-01"), "within a year"),
    ],
)
def test_a_wrong_wish_is_reported(home: Path, options: tuple[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        run("new", *options)


def test_a_table_becomes_a_programme_file(home: Path, tmp_path: Path) -> None:
    [example] = re.findall(r"```csv\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    source, saved = tmp_path / "mine.csv", tmp_path / "mine.toml"
    source.write_text(f"\ufeff{example}", encoding="utf-8")
    text = run("import", str(source), "--save", str(saved), "--minutes", "60")
    assert "Squat (Barbell): 4x6 at 75 %" in text
    shown = run("show", str(saved), "--weeks", "2", "--number", "squat-barbell=100")
    assert "Squat (Barbell): 5x5 80 kg, 1x5+ 70 kg" in shown
    with pytest.raises(SettingsError, match="exists"):
        run("import", str(source), "--save", str(saved))
    source.write_bytes(example.replace("Monday", "Montäg").encode("latin-1"))
    with pytest.raises(SettingsError, match="is not UTF-8"):
        run("import", str(source), "--save", str(tmp_path / "other.toml"))
    source.write_text(example.replace("4x6", "4 of 6"), encoding="utf-8")
    with pytest.raises(ProgrammeError, match=r"mine\.csv, line 2"):
        run("import", str(source), "--save", str(tmp_path / "other.toml"))
    assert not (tmp_path / "other.toml").exists()


def test_a_number_for_an_exercise_is_for_all_of_its_lifts(home: Path, tmp_path: Path) -> None:
    """Friday's squat had no load: its lift has a name of its own."""
    path = tmp_path / "mine.toml"
    run("new", "--days", "3", "--level", "novice", "--goal", "strength", "--save", str(path))
    for number in ("squat (barbell)=60", "squat_barbell=60"):
        text = run("show", str(path), "--weeks", "1", "--number", number)
        loads = [line for line in text.splitlines() if "Squat (Barbell):" in line]
        assert len(loads) > 1
        assert all(line.endswith("60 kg") for line in loads)
    with pytest.raises(SettingsError, match=re.escape("Did you mean 'Squat (Barbell)'?")):
        run("show", str(path), "--number", "Sqat (Barbell)=60")


def test_a_number_of_its_own_comes_first() -> None:
    numbers = ("--number", "squat=100", "--number", "squat_light=80")
    text = run("show", "gzclp", "--weeks", "2", *numbers)
    loads = [line.rsplit(" ", 2)[1] for line in text.splitlines() if "Squat (Barbell):" in line]
    assert loads[:2] == ["85", "40"]


def test_the_whole_programme_is_shown_with_its_weeks_and_end(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    built = run("new", "--days", "2", "--level", "advanced", "--save", str(path))
    text = run("show", str(path))
    weeks = ["Week 1: Build, 3 in reserve", "Weeks 2 to 3: Build, 2 in reserve", "Week 5: Easy"]
    for line in weeks:
        assert line in built.splitlines()
        assert line in text.splitlines()
    assert "\nWeek 10\n" in text
    assert "it is over" not in text
    past = run("show", str(path), "--weeks", "12")
    assert "\nWeek 11\n" not in past
    assert "After week 10 it is over." in past
    assert "Weeks 2 to 10: add --weeks 10" in run("show", str(path), "--weeks", "1")
    rows = json.loads(run("show", str(path), "--weeks", "12", "--json"))
    assert len(rows["sessions"]) == 20
    assert rows["weeks"][3:5] == [
        {"week": 4, "block": "Build", "reserve": 1},
        {"week": 5, "block": "Easy", "reserve": None},
    ]


def test_only_muscles_with_a_range_have_one(home: Path) -> None:
    text = run("new", "--days", "3", "--goal", "strength")
    lines = dict(line.strip().split(": ", 1) for line in text.splitlines() if ": " in line)
    assert "4 to 10" in lines["chest"]
    assert "to" not in lines["forearms"]


def test_publish_shows_what_it_would_send(home: Path, tmp_path: Path) -> None:
    (home / "me.toml").write_text('id = "me"\n')
    path = tmp_path / "mine.toml"
    run("new", "--days", "2", "--goal", "strength", "--save", str(path))
    text = run("publish", str(path), "--number", "Squat (Barbell)=60")
    assert "Would create 2 routines in Hevy:\nFull body A\n  Squat (Barbell): " in text
    assert "60 kg" in text
    assert "add --yes" in text


def test_a_secret_in_a_note_of_a_programme_is_not_sent(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes went to Hevy and into the tables as typed."""
    (home / "me.toml").write_text('id = "me"\n')
    [example] = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(example.replace("rest_s = 180", 'rest_s = 180\nnote = "key marker-7f3a91"'))
    monkeypatch.setenv("HEVY_API_KEY", "marker-7f3a91")
    shown = json.loads(run("publish", str(path), "--json"))
    notes = [each.get("notes") for routine in shown["routines"] for each in routine["exercises"]]
    assert "key ***" in notes


def test_an_event_has_its_day_and_the_last_week_no_training(home: Path, tmp_path: Path) -> None:
    """The seventh week begins two days before the event."""
    event = datetime.now(UTC).date() + timedelta(days=44)
    options = ("--goal", "strength", "--event", event.isoformat())
    path = tmp_path / "mine.toml"
    text = run("new", "--days", "3", *options, "--save", str(path))
    assert "\nWeek 7\n  No training\n" in run("show", str(path))
    assert f"Event: {event:%A} {event.day} {event:%B %Y}, if week 1 begins today" in text
    assert "Event:" not in run("new", "--days", "3")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--days", "3", "--level", "novice"), "linear-novice"),
        (("--days", "3", "--level", "novice", "--lack", "barbell"), None),
        (("--days", "3", "--level", "novice", "--lack", "rack"), None),
        (("--days", "3", "--level", "novice", "--avoid", "Squat (Barbell)"), None),
        (("--days", "3", "--level", "novice", "--pain", "lower back:moderate"), None),
        (("--days", "3", "--level", "novice", "--goal", "health"), None),
        (("--days", "4", "--level", "intermediate", "--change", "meet in 10 weeks"), None),
        (
            (
                *("--days", "4", "--level", "intermediate", "--minutes", "90"),
                *("--goal", "strength", "--change", "meet in 10 weeks"),
            ),
            "powerlifting-peak",
        ),
    ],
)
def test_a_published_programme_that_fits_better_is_named(
    home: Path, options: tuple[str, ...], name: str | None
) -> None:
    text = run("new", *options)
    assert ("Published, with" in text) == (name is not None)
    assert name is None or f"spotter program show {name}" in text
