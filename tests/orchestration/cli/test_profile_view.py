from datetime import date
from io import StringIO

from rich.console import Console

from coach_agent.planning.effective_settings import EffectiveValue, effective_settings
from coach_agent.profile.exercise_rules import ExerciseRule
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.profile_facts import ProfileFacts
from orchestration.cli.views.profile import json_values, profile_view
from tests.coach.builders import NOW, profile

LONG = "Seated Shoulder Press with a Name of Many Words (Machine)"


def text(values: tuple[EffectiveValue, ...], width: int = 80) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(profile_view(values, width))
    written = console.file
    assert isinstance(written, StringIO)
    return written.getvalue()


def exercise(**known: tuple[object, str]) -> tuple[EffectiveValue, ...]:
    """Return the demo athlete's values with one exercise."""
    empty = dict.fromkeys(ExerciseRule.model_fields, (None, "default"))
    return (
        *effective_settings(profile(), None, NOW.date()),
        *(
            EffectiveValue(("exercises", LONG, name), *value)
            for name, value in {**empty, **known}.items()
        ),
    )


def test_every_key_of_a_profile_is_shown() -> None:
    shown = text(effective_settings(profile(), ProfileFacts(), NOW.date()))
    for name in set(AthleteProfile.model_fields) - {"exercises"}:
        assert f"  {name}" in shown, name


def test_nothing_is_wider_than_80_columns() -> None:
    athlete = profile(
        routines=["A routine with a rather long title", "Another one with as long a title"],
        pain={"the right upper back": "mild", "left knee": "severe"},
        preferences={"swap": {LONG: [LONG.upper()]}},
        places={"holiday-apartment": {}},
        place="holiday-apartment",
    )
    known = exercise(rep_range=([[5, 5], [8, 12]], "routine"), rpe_cap=(9, "profile"))
    shown = text(
        (*effective_settings(athlete, None, NOW.date()), *known[-len(ExerciseRule.model_fields) :]),
        200,
    )
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "left knee: severe" in shown


def test_an_exercise_takes_a_line_with_marks_of_the_sources() -> None:
    shown = text(
        exercise(
            model=("linear, double", "routine"),
            rep_range=([[5, 5], [8, 12], [10, None]], "routine"),
            increment_kg=(2.5, "history (n = 4)"),
            bar_kg=(15, "profile"),
        )
    )
    assert "linear, double r" in shown
    assert "5, 8-12, 10+ r" in shown
    assert "2.5 kg h4" in shown
    assert "bar_kg = 15 p" in shown
    assert "r routine, h4 history of 4 workouts or steps" in shown
    assert "d default" not in shown


def test_tables_in_lists_stand_on_a_line() -> None:
    athlete = profile(
        block_start=date(2026, 1, 5),
        phases=[{"kind": "base", "weeks": 6}, {"kind": "peak", "weeks": 3}],
        exercises={
            "Dip": {"model": "training_max", "wave": [["65x5", "85x5+"], ["70x3"]]},
            "Row": {
                "model": "steps",
                "steps": [{"when": {"misses_in_a_row": 3}, "then": {"multiply": 0.9}}],
            },
        },
    )
    shown = text(effective_settings(athlete, None, NOW.date()), 100)
    assert "kind base weeks 6, kind peak" in shown
    assert "wave = 65x5 85x5+, 70x3 p" in " ".join(shown.split())
    assert "steps = when misses_in_a_row 3 then multiply 0.9 p" in " ".join(shown.split())


def test_nobody_is_told_of_an_rpe_who_never_spoke_of_one() -> None:
    assert "RPE" not in text(exercise())
    assert "9.5 p" in text(exercise(rpe_cap=(9.5, "profile")))


def test_steps_are_told_in_the_unit_of_the_gym() -> None:
    pounds = effective_settings(profile(equipment={"unit": "lb"}), None, NOW.date())
    step = EffectiveValue(("exercises", LONG, "increment_kg"), 5 * 0.45359237, "default")
    others = [
        each for each in exercise() if each.key[0] == "exercises" and each.key[2] != "increment_kg"
    ]
    assert "5 lb d" in text((*pounds, *others, step))


def test_loads_of_a_rule_are_told_in_the_unit_of_the_gym() -> None:
    rule = {"bar_lb": 35.0, "model": "training_max", "training_max_lb": 205.0}
    athlete = profile(equipment={"unit": "lb"}, exercises={"Dip": rule})
    shown = " ".join(text(effective_settings(athlete, None, NOW.date())).split())
    assert "bar_lb = 35 p" in shown
    assert "training_max_lb = 205 p" in shown


def test_keys_are_written_as_in_the_file() -> None:
    keys = [each["key"] for each in json_values(exercise())]
    assert f'exercises."{LONG}".rep_range' in keys
    assert "goal.kind" in keys


def test_a_narrow_terminal_shows_all_of_it_in_lines() -> None:
    """At 44 columns, a phone's, values and sources were cut off."""
    long = "a-value-that-is-longer-than-all-columns-of-a-phone"
    athlete = profile(
        name=long, pain={"left knee": "severe"}, exercises={LONG: {"rep_range": (8, 12)}}
    )
    values = effective_settings(athlete, None, NOW.date())
    shown = text(values, 44)
    assert max(len(line) for line in shown.splitlines()) <= 44
    for word in (*long.split("-"), "severe", "profile", "default", "8-12", "(Machine)"):
        assert word in shown
    assert "…" not in shown
    assert " ".join(LONG.split()) in " ".join(shown.split())


def test_the_language_is_told_to_be_that_of_a_language_model_alone() -> None:
    for width in (44, 80):
        shown = " ".join(text(effective_settings(profile(), None, NOW.date()), width).split())
        assert "en (used by the language model's" in shown
