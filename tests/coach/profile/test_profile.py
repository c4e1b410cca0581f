"""Values of a profile, and defaults of missing ones."""

import re
from datetime import date
from pathlib import Path

import pytest

from coach_agent.domain.constants.progression import TM_WAVE
from coach_agent.profile.model import AthleteProfile, load_profile, read_profiles
from coach_agent.profile.season import Season

DEMO = Path(__file__).parents[3] / "athletes" / "demo.toml"


def write(folder: Path, text: str, name: str = "one") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_id_is_enough(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, 'id = "one"'))
    assert (profile.name, profile.timezone, profile.routines) == ("one", "UTC", ())
    assert (profile.hevy.account, profile.hevy.api_key_env) == ("hevy", "HEVY_API_KEY")
    assert profile.hevy.webhook_token_env == "HEVY_WEBHOOK_TOKEN"  # noqa: S105
    assert (profile.publish.mode, profile.limits.jump_pct) == ("preview", 5)


@pytest.mark.parametrize("content", [b'\xef\xbb\xbfid = "one"\r\n', b'id = "one"\r\n'])
def test_a_file_may_be_of_any_editor(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one.toml").write_bytes(content)
    assert load_profile(tmp_path / "one.toml").id == "one"


def test_aliases_are_told_to_the_warehouse(tmp_path: Path) -> None:
    text = 'id = "one"\n[exercise_aliases]\nSupino = "Bench Press"\n"A  B" = "Curl"'
    assert load_profile(write(tmp_path, text)).public_payload()["exercise_aliases"] == [
        {"written_title": "A  B", "title": "Curl"},
        {"written_title": "Supino", "title": "Bench Press"},
    ]


def test_the_demo_profile_is_what_people_copy() -> None:
    profile = load_profile(DEMO)
    assert (profile.id, profile.hevy.account, profile.publish.mode) == ("demo", "simulator", "auto")
    assert profile.routines == ("Upper A", "Lower A", "Upper B", "Lower B")
    assert profile.exercises["Squat (Barbell)"].increment_kg == 2.5


def test_the_keys_shown_in_comments_can_be_used(tmp_path: Path) -> None:
    text = re.sub(r"^# (?=\[|\w+ += )", "", DEMO.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shown = load_profile(write(tmp_path, text, "demo"))
    default = AthleteProfile(id="demo")
    assert shown.hevy.api_key_env == default.hevy.api_key_env
    assert shown.hevy.webhook_token_env == default.hevy.webhook_token_env
    assert shown.gym.kettlebells_kg == default.gym.kettlebells_kg
    assert shown.limits == default.limits
    assert shown.exercises["EZ Bar Biceps Curl"].bar_kg == 10
    assert [phase.kind for phase in shown.phases] == ["base", "peak"]
    assert shown.exercises["Overhead Press (Barbell)"].wave == TM_WAVE.value
    assert len(shown.exercises["Leg Press (Machine)"].steps) == 2


def test_what_is_shown_as_another_way_can_be_used_instead(tmp_path: Path) -> None:
    lines = re.findall(r"^#   (.*)$", DEMO.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ways = [line for line in lines if re.match(r'\[|\w+ += |"[^"]+" = ', line)]
    shown = load_profile(write(tmp_path, "\n".join(['id = "one"', *ways])))
    assert set(shown.weekdays) == {"Upper A", "Lower A"}
    assert shown.gym.unit == "lb"


def test_everything_that_can_be_said_is_understood(tmp_path: Path) -> None:
    text = """
    id = "one"
    session_minutes = 60
    block_start = 2026-01-05
    place = "home"
    avoid = ["Upright Row (Barbell)"]

    [goal]
    kind = "strength"
    event = "Nationals"
    date = 2026-06-14

    [[phases]]
    kind = "base"
    weeks = 6
    [[phases]]
    kind = "peak"
    weeks = 3

    [deload]
    every_weeks = 5

    [coach]
    routines = ["Upper A", "Lower A"]

    [weekdays]
    "Upper A" = ["mon", "thu"]
    "Lower A" = ["tue"]

    [places.home]
    unit = "lb"
    bar_lb = 35
    [places.gym]
    machine_step_kg = 2.5

    [pain]
    "right shoulder" = "mild"

    [preferences]
    language = "de"
    swap = { "Bench Press (Barbell)" = ["Push Up"] }
    """
    profile = load_profile(write(tmp_path, text))
    assert [(phase.kind, phase.weeks) for phase in profile.phases] == [("base", 6), ("peak", 3)]
    assert profile.season == Season(
        block_start=date(2026, 1, 5),
        phases=profile.phases,
        event_date=date(2026, 6, 14),
        deload_mode="both",
        deload_every_weeks=5,
    )
    assert profile.gym.bar_kg == 35 * 0.45359237
    assert profile.places["gym"].in_kg().machine_step_kg == 2.5
    assert profile.weekdays == {"Upper A": ("mon", "thu"), "Lower A": ("tue",)}
    assert profile.coach.routines == ("Upper A", "Lower A")
    assert profile.pain == {"right shoulder": "mild"}
    assert profile.preferences.swap == {"Bench Press (Barbell)": ("Push Up",)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "reactive"),
        ("block_start = 2026-01-05", "both"),
        ('block_start = 2026-01-05\ndeload.mode = "never"', "never"),
        ('deload.mode = "reactive"', "reactive"),
    ],
)
def test_deloads_follow_the_calendar_once_it_has_a_beginning(
    tmp_path: Path, text: str, expected: str
) -> None:
    season = load_profile(write(tmp_path, f'id = "one"\n{text}')).season
    assert (season.deload_mode, season.deload_every_weeks) == (expected, 6)


def test_profiles_come_by_id_and_a_file_that_cannot_be_used_stops_no_other(tmp_path: Path) -> None:
    write(tmp_path, 'id = "b"', "b")
    write(tmp_path, 'id = "a"', "a")
    write(tmp_path, 'id = "x"\nfoo = 1', "x")
    write(tmp_path, "id = ", "y")
    profiles, problems = read_profiles(tmp_path)
    assert [profile.id for profile in profiles] == ["a", "b"]
    assert list(problems) == ["x", "y"]
    assert "foo" in problems["x"]
    assert str(tmp_path / "y.toml") in problems["y"]


def test_a_profile_is_parsed_again_only_after_a_change(tmp_path: Path) -> None:
    path = write(tmp_path, 'id = "a"', "a")
    ((before,), _) = read_profiles(tmp_path)
    ((unchanged,), _) = read_profiles(tmp_path)
    path.write_text('id = "a"\nname = "changed"', encoding="utf-8")
    ((changed,), _) = read_profiles(tmp_path)
    assert unchanged is before
    assert (before.name, changed.name) == ("a", "changed")


def test_the_warehouse_learns_no_name_of_a_secret() -> None:
    profile = AthleteProfile.model_validate({"id": "one", "hevy": {"api_key_env": "KIMS_HEVY_KEY"}})
    assert profile.public_payload() == {
        "id": "one",
        "name": "one",
        "timezone": "UTC",
        "unit": "kg",
        "routines": [],
        "account": "hevy",
        "publish_mode": "preview",
        "exercise_aliases": [],
    }


def test_aliases_are_compared_as_all_titles_are() -> None:
    """ "STRASSE" and "Straße" differ only in lower case."""
    with pytest.raises(ValueError, match="must have one title for"):
        AthleteProfile.model_validate(
            {"id": "one", "exercise_aliases": {"Straßenlauf": "Running", "STRASSENLAUF": "Walking"}}
        )
