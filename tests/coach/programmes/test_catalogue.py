from typing import get_args

from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.catalogue import (
    PATTERN_NAMES,
    Exercise,
    Pattern,
    catalogue_of,
    exercise_tags,
)
from coach_agent.programmes.first_weeks import PlannedExercise, PlannedGroup
from coach_agent.programmes.weekly_volume import credits_of, hard_sets, landmarks, sets_by_muscle
from hevy_connector.exercise_templates import built_in_templates

CATALOGUE = catalogue_of(built_in_templates())


def exercise(primary: str, *secondary: str) -> Exercise:
    return Exercise("Any", "ID", "weight_reps", "barbell", primary, secondary)


def test_each_tagged_exercise_is_one_of_hevys() -> None:
    assert len(exercise_tags()) >= 64
    for title, tags in exercise_tags().items():
        assert CATALOGUE[normalize_title(title)].exercise_title == title
        assert 1 <= tags.skill <= 3
        assert 0 <= tags.axial <= 3
        assert 1 <= tags.fatigue <= 3
        assert 0 <= tags.stretch <= 2


def test_a_set_counts_for_its_muscles_and_the_back_once() -> None:
    assert credits_of(exercise("chest", "triceps")) == {"chest": 1, "triceps": 0.5}
    assert credits_of(exercise("lats", "upper_back", "biceps")) == {"back": 1, "biceps": 0.5}
    assert credits_of(exercise("full_body")) == {}
    counted = [(exercise("chest", "triceps"), 4), (exercise("triceps"), 2)]
    assert sets_by_muscle(counted) == {"chest": 4, "triceps": 4}


def test_ramp_sets_are_no_hard_sets() -> None:
    """By Epley 100 x 5 is 116.7 kg: 50 x 5 is half of it, 75 x 5 three quarters."""
    groups = tuple(
        PlannedGroup(count=count, reps=5, weight_kg=kg)
        for count, kg in ((2, 50), (1, 75), (1, 100))
    )
    done = PlannedExercise(lift="squat", exercise="Squat (Barbell)", rest_s=180, groups=groups)
    assert hard_sets(done) == 2
    without = tuple(each.model_copy(update={"weight_kg": None}) for each in groups)
    assert hard_sets(done.model_copy(update={"groups": without})) == 4


def test_the_range_follows_goal_and_level() -> None:
    assert landmarks("health", "novice") == (4, 6)
    assert landmarks("hypertrophy", "intermediate") == (10, 18)
    assert landmarks("both", "advanced") == (12, 22)
    assert landmarks("strength", "intermediate") == (4, 18)


def test_each_movement_has_a_name_of_the_gym() -> None:
    assert set(PATTERN_NAMES) == set(get_args(Pattern))
    assert not any("_" in name for name in PATTERN_NAMES.values())
