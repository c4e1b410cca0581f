"""Sets in lifters' notation, and the change since last time."""

from typing import Any

import pytest

from coach_agent.domain.plan import DoneSet, Prediction, SetPrescription, SlotPrescription
from orchestration.text.sets import (
    change_text,
    done_notation,
    forecasts,
    set_groups,
    superset_text,
    target_notation,
)

LOADED, ASSISTED, WEIGHTED = "weight_reps", "bodyweight_assisted", "bodyweight_weighted"


def target(index: int = 0, **values: Any) -> SetPrescription:
    return SetPrescription(**{"set_index": index, "set_type": "normal", **values})


def done(index: int = 0, **values: Any) -> DoneSet:
    return DoneSet(**{"set_index": index, "set_type": "normal", **values})


def slot(
    sets: tuple[SetPrescription, ...],
    last: tuple[DoneSet, ...] = (),
    direction: str = "up",
    exercise_type: str = LOADED,
    **more: Any,
) -> SlotPrescription:
    return SlotPrescription.model_validate(
        {
            "exercise_index": 0,
            "occurrence": 1,
            "exercise_template_id": "X",
            "exercise_title": "X",
            "exercise_type": exercise_type,
            "rule": "hold",
            "reason_codes": (),
            "reason": "Same again.",
            "sets": sets,
            "last_done": last,
            "direction": direction,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("values", "exercise_type", "text"),
    [
        ({"weight_kg": 80, "reps": 8}, LOADED, "8 @ 80 kg"),
        (
            {"weight_kg": 80, "reps": 8, "rep_range_start": 8, "rep_range_end": 12},
            LOADED,
            "8 (8-12) @ 80 kg",
        ),
        ({"weight_kg": 80, "rep_range_start": 8}, LOADED, "8+ @ 80 kg"),
        (
            {"weight_kg": 80, "reps": 5, "rep_range_start": 5, "rep_range_end": 5},
            LOADED,
            "5 @ 80 kg",
        ),
        ({"weight_kg": 10, "reps": 5}, WEIGHTED, "5 @ bw+10 kg"),
        ({"duration_s": 60}, "duration", "60 s"),
        ({"duration_s": 1200}, "duration", "20 min"),
        ({"distance_m": 400}, "distance_duration", "400 m"),
        ({"distance_m": 2110, "duration_s": 708}, "distance_duration", "2.11 km in 11:48"),
        ({"distance_m": 15_000, "duration_s": 3750}, "distance_duration", "15 km in 1:02:30"),
        ({"distance_m": 40, "duration_s": 45}, "distance_duration", "40 m in 45 s"),
        ({"reps": 12}, "reps_only", "12"),
        ({"weight_kg": 40}, LOADED, "40 kg"),
        ({}, LOADED, "free"),
    ],
)
def test_a_target_is_written_as_lifters_do(
    values: dict[str, Any], exercise_type: str, text: str
) -> None:
    assert target_notation(target(**values), "kg", exercise_type) == text


def test_equal_sets_are_one_group_with_the_chance_of_the_hardest() -> None:
    chance = [Prediction(reps=8, low=6, high=9, p_success=p, n=9) for p in (0.9, 0.7, 0.8)]
    groups = set_groups(
        slot(
            (
                target(0, set_type="warmup", weight_kg=20, reps=10),
                target(1, weight_kg=80, reps=8),
                target(2, weight_kg=80, reps=8),
                target(3, set_type="failure", weight_kg=80, reps=8),
            ),
            predictions=(None, *chance),
        ),
        "kg",
    )
    assert [(each.mark, each.text, each.chance) for each in groups] == [
        ("W", "1 × 10 @ 20 kg", None),
        ("", "2 × 8 @ 80 kg", 0.7),
        ("F", "1 × 8 @ 80 kg", 0.8),
    ]


def test_sets_that_the_day_makes_easier_have_no_forecast() -> None:
    chance = Prediction(reps=8, low=6, high=9, p_success=0.9, n=9)
    usual = slot((target(weight_kg=80, reps=8),), predictions=(chance,))
    easy = usual.model_copy(update={"is_easy": True})
    assert [forecasts(usual), forecasts(easy)] == [(chance,), (None,)]
    assert [group.chance for each in (usual, easy) for group in set_groups(each, "kg")] == [
        0.9,
        None,
    ]


@pytest.mark.parametrize(
    ("sets", "text"),
    [
        ([(80, 8, None), (80, 8, None), (80, 7, None)], "80 kg × 8, 8, 7"),
        ([(80, 8, 8), (80, 8, 8)], "80 kg × 8, 8 (RPE 8)"),
        ([(80, 8, 8), (80, 7, 9.5)], "80 kg × 8, 7 (RPE 8, 9.5)"),
        ([(80, 8, None), (80, 7, 9)], "80 kg × 8, 7 (RPE 9)"),
        ([(80, 8, None), (70, 10, None)], "80 kg × 8; 70 kg × 10"),
        ([(None, 12, None), (None, 10, None)], "12, 10 reps"),
    ],
)
def test_done_sets_of_a_load_stand_together(
    sets: list[tuple[float | None, int, float | None]], text: str
) -> None:
    given = [done(weight_kg=load, reps=reps, rpe=rpe) for load, reps, rpe in sets]
    assert done_notation(given, "kg", LOADED) == text


def test_a_timed_set_has_its_seconds() -> None:
    assert done_notation([done(duration_s=60), done(duration_s=45)], "kg", "duration") == (
        "60 s, 45 s"
    )


@pytest.mark.parametrize(
    ("now", "before", "direction", "text"),
    [
        ([(82.5, 8)], [(80, 8)], "up", "+2.5 kg"),
        ([(72.5, 8)], [(80, 8)], "down", "-7.5 kg"),
        ([(80, 8), (80, 8)], [(80, 8), (80, 7)], "up", "+1 rep"),
        ([(80, 9), (80, 9)], [(80, 8), (80, 7)], "up", "+3 reps in all"),
        ([(80, 9), (80, 9)], [(80, 8), (80, 8)], "up", "+1 rep a set"),
        ([(80, 6), (80, 6)], [(80, 8), (80, 8)], "down", "-2 reps a set"),
        ([(80, 8), (80, 8)], [(80, 8)], "up", "+1 set"),
        ([(80, 8)], [(80, 7)], "same", "same"),
        ([(80, 8)], [], "same", "new"),
        ([], [(80, 8)], "out", "out"),
        ([(80, 8)], [(80, 8)], "up", "harder"),
        # A load in pounds that was rounded in kilograms is the same load.
        ([(61.23, 8)], [(61.2, 8)], "same", "same"),
        ([(61.23, 9)], [(61.2, 8)], "up", "+1 rep"),
    ],
)
def test_the_change_is_the_first_difference(
    now: list[tuple[float, int]],
    before: list[tuple[float, int]],
    direction: str,
    text: str,
) -> None:
    planned = tuple(target(n, weight_kg=kg, reps=reps) for n, (kg, reps) in enumerate(now))
    last = tuple(done(n, weight_kg=kg, reps=reps) for n, (kg, reps) in enumerate(before))
    assert change_text(slot(planned, last, direction), "kg") == text


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        ([100, 100, 100], [95, 95, 95], "+5 s a set"),
        ([100, 100, 95], [95, 95, 95], "+10 s in all"),
        ([100, 95], [95, 95], "+5 s"),
        ([100], [95], "+5 s"),
    ],
)
def test_seconds_of_several_sets_are_not_shown_as_those_of_one(
    now: list[int], before: list[int], text: str
) -> None:
    planned = tuple(target(n, duration_s=each) for n, each in enumerate(now))
    last = tuple(done(n, duration_s=each) for n, each in enumerate(before))
    assert change_text(slot(planned, last, "up"), "kg") == text


def test_less_help_is_told_as_help() -> None:
    planned = slot(
        (target(weight_kg=15, reps=8),), (done(weight_kg=20, reps=8),), exercise_type=ASSISTED
    )
    assert change_text(planned, "kg") == "-5 kg of help"


def test_supersets_are_numbered_in_the_order_of_the_plan() -> None:
    """The only superset of a routine was "superset 2": the app had removed the first."""
    slots = [slot((), superset_id=each) for each in (1, None, 1, 4)]
    texts = [superset_text(each, slots) for each in slots]
    assert texts == ["superset 1", "", "superset 1", "superset 2"]
