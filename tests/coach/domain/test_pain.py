"""Pain: which exercises load a painful part, what may replace them, and how it is written."""

from dataclasses import dataclass

import pytest

from coach_agent.domain.pain import (
    A_LOT,
    SOMEWHAT,
    Pain,
    PainError,
    known_parts,
    load_on,
    may_replace,
    parse_pain,
    trainable,
    worst_pain,
)
from orchestration.services.exercise_catalogue import built_in_titles


@pytest.mark.parametrize(
    ("text", "part", "level"),
    [
        ("right shoulder:moderate", "right shoulder", "moderate"),
        ("left hamstring:severe", "left hamstring", "severe"),
        ("quads:moderate", "quads", "moderate"),
        ("  My  Left KNEE : Severe ", "my left knee", "severe"),
        ("back:mild", "back", "mild"),
    ],
)
def test_a_part_and_how_bad_it_is(text: str, part: str, level: str) -> None:
    assert parse_pain(text) == Pain.model_validate({"part": part, "level": level})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("shoulder", "write the part and how bad it is"),
        ("shoulder:bad", "the level must be one of mild, moderate, severe"),
        ("sholder:mild", "did you mean 'shoulder'"),
        ("xyz:mild", "such as .right shoulder., of neck, .*, foot$"),
        (":mild", "must be a part of the body"),
    ],
)
def test_what_was_not_understood_is_told(text: str, told: str) -> None:
    with pytest.raises(PainError, match=told):
        parse_pain(text)


@dataclass(frozen=True)
class Exercise:
    exercise_title: str
    primary_muscle_group: str | None = None
    secondary_muscle_groups: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("part", "title", "load"),
    [
        ("neck", "Squat (Barbell)", A_LOT),
        ("neck", "Overhead Press (Barbell)", SOMEWHAT),
        ("neck", "Bent Over Row (Barbell)", SOMEWHAT),
        ("neck", "Chest Supported Incline Row (Dumbbell)", 0),
        ("neck", "Leg Press (Machine)", 0),
        ("right shoulder", "Bench Press (Barbell)", A_LOT),
        ("right shoulder", "Push Up", SOMEWHAT),
        ("shoulder", "Squat (Barbell)", 0),
        ("shoulder", "Low Bar Squat", A_LOT),
        ("shoulder", "Triceps Pushdown", 0),
        ("lower back", "Deadlift (Barbell)", A_LOT),
        ("lower back", "Leg Press (Machine)", SOMEWHAT),
        ("my left knee", "Leg Extension (Machine)", A_LOT),
        ("knee", "Lying Leg Curl (Machine)", SOMEWHAT),
        ("wrists", "Push Up", A_LOT),
        ("chest", "Chest Fly (Machine)", A_LOT),
        ("biceps", "Chin Up", SOMEWHAT),
        ("calf", "Seated Calf Raise", A_LOT),
        ("foot", "Bench Press (Barbell)", 0),
    ],
)
def test_load_of_an_exercise_by_its_title(part: str, title: str, load: int) -> None:
    """Neck pain let squats and presses go up: their muscles do not include the neck."""
    assert load_on(part, Exercise(title)) == load


@pytest.mark.parametrize(
    ("part", "exercise", "load"),
    [
        ("elbow", Exercise("My lift", "quadriceps", ("biceps",)), SOMEWHAT),
        ("biceps", Exercise("My lift", "biceps"), A_LOT),
        ("neck", Exercise("Seated Cable Row - Bar Wide Grip", "upper_back", ("traps",)), SOMEWHAT),
        ("wrist", Exercise("My lift", "lower_back"), SOMEWHAT),
        ("calf", Exercise("My lift", "quadriceps"), 0),
        ("foot", Exercise("My lift", "full_body"), SOMEWHAT),
        ("foot", Exercise("Muscle Up", "full_body"), SOMEWHAT),
        ("foot", Exercise("My lift"), 0),
    ],
)
def test_muscles_count_beside_the_movement(part: str, exercise: Exercise, load: int) -> None:
    assert load_on(part, exercise) == load


def test_nearly_every_built_in_exercise_has_a_known_movement() -> None:
    """For an unknown movement, wide lists of muscle groups are the fallback."""
    unknown = {
        title
        for title in built_in_titles()
        if not any(load_on(part, Exercise(title)) for part in known_parts())
    }
    assert unknown == {
        *("Ball Slams", "Downward Dog", "Pilates", "Sled Push", "Stretching", "Swimming"),
        *("Warm Up", "Yoga"),
    }


def test_a_substitute_spares_what_hurts() -> None:
    shoulder = Pain(part="right shoulder", level="severe")
    assert not may_replace([shoulder], Exercise("Push Up"))
    assert may_replace([shoulder], Exercise("Leg Press (Machine)"))
    moderate = shoulder.model_copy(update={"level": "moderate"})
    assert may_replace([moderate], Exercise("Push Up"))
    assert not may_replace([moderate], Exercise("Chest Dip"))


def test_common_exercises_that_spare_every_painful_part() -> None:
    shoulder = Pain(part="shoulder", level="severe")
    knee = Pain(part="knee", level="severe")
    assert trainable([shoulder]) == (
        *("Leg Press (Machine)", "Seated Leg Curl (Machine)", "Leg Extension (Machine)"),
    )
    assert trainable([shoulder, knee])[0] == "Chest Supported Incline Row (Dumbbell)"


def test_the_worst_counts_and_of_equals_the_first_by_name() -> None:
    press = Exercise("Bench Press (Barbell)", "chest")
    mild, bad, as_bad = (
        Pain(part="chest", level="mild"),
        Pain(part="shoulder", level="severe"),
        Pain(part="left shoulder", level="severe"),
    )
    assert worst_pain([mild, bad], press) == bad
    assert worst_pain([mild, bad, as_bad], press) == as_bad
    assert worst_pain([as_bad, bad, mild], press) == as_bad


def test_levels_are_in_order() -> None:
    moderate = Pain(part="hip", level="moderate")
    assert [moderate.is_at_least(each) for each in ("mild", "moderate", "severe")] == [
        True,
        True,
        False,
    ]
