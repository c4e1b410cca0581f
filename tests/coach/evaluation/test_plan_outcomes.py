"""Forecasts of plans against results, computed by hand."""

from dataclasses import replace

import pytest

from coach_agent.evaluation.plan_outcomes import (
    Compliance,
    PlannedSet,
    PredictionError,
    TooFewSets,
    compliance,
    prediction_error,
)

AS_FORESEEN = PlannedSet(
    workout_id="monday",
    target_reps=8,
    predicted_reps=9.0,
    low_reps=8.0,
    high_reps=11.0,
    success_probability=0.9,
    reps=9,
    rpe=None,
    outcome="exceeded",
    is_replaced=False,
)


def judged(planned: list[PlannedSet]) -> PredictionError:
    found = prediction_error(planned)
    assert isinstance(found, PredictionError), found
    return found


def test_errors_are_averaged_by_workout_first() -> None:
    """18 sets on Monday came as foreseen; of two on Friday one missed by 3, one was 1 above."""
    found = judged(
        [
            *[AS_FORESEEN] * 18,
            replace(AS_FORESEEN, workout_id="friday", reps=6, outcome="missed"),
            replace(AS_FORESEEN, workout_id="friday", reps=10),
        ]
    )
    assert (found.sets, found.workouts) == (20, 2)
    assert found.mae.value == pytest.approx((0 + (3 + 1) / 2) / 2)
    assert found.bias.value == pytest.approx((0 + (3 - 1) / 2) / 2)
    assert found.target_mae.value == pytest.approx((1 + (2 + 2) / 2) / 2)
    assert found.covered is not None
    assert found.covered.value == pytest.approx((1 + 1 / 2) / 2)
    assert (found.mae.low, found.mae.high) == (0.0, 2.0)


def test_more_may_have_been_possible_where_a_set_ended_at_its_target_short_of_failure() -> None:
    """Foreseen were 9: 8 at no RPE may hide a 9, 8 at RPE 10 and 7 do not, 10 is an error."""
    done = [(8, None, 0.0), (8, 10.0, 1.0), (7, None, 2.0), (10, None, 1.0)]
    for reps, rpe, error in done:
        found = judged([replace(AS_FORESEEN, reps=reps, rpe=rpe)] * 20)
        assert found.censored_mae.value == error


def test_chances_stand_beside_what_came() -> None:
    """Half of the sets reached a target that was 0.9 likely."""
    missed = replace(AS_FORESEEN, reps=7, outcome="missed")
    found = judged([AS_FORESEEN, missed] * 10)
    assert found.stated is not None
    assert found.came is not None
    assert found.gap is not None
    assert found.brier is not None
    assert found.stated.value == pytest.approx(0.9)
    assert found.came.value == pytest.approx(0.5)
    assert found.gap.value == pytest.approx(-0.4)
    assert found.brier.value == pytest.approx((0.1**2 + 0.9**2) / 2)
    assert (found.gap.low, found.gap.high) == (None, None), "one workout tells no interval"
    assert [each.count for each in found.calibration] == [0, 0, 0, 0, 20]


def test_where_no_chance_and_no_interval_was_stated_none_is_judged() -> None:
    bare = replace(AS_FORESEEN, low_reps=None, high_reps=None, success_probability=None)
    found = judged([bare] * 20)
    assert found.covered is found.stated is found.came is found.gap is found.brier is None


@pytest.mark.parametrize(
    "without",
    [{"reps": None}, {"predicted_reps": None}, {"target_reps": None}],
    ids=["another load", "not foreseen", "no target"],
)
def test_what_was_not_foreseen_for_that_load_is_not_judged(without: dict[str, None]) -> None:
    planned = [AS_FORESEEN] * 19 + [replace(AS_FORESEEN, **without)]
    assert prediction_error(planned) == TooFewSets(sets=19)


def test_every_planned_set_is_counted_once() -> None:
    outcomes = [
        ("hit", False),
        ("hit", False),
        ("exceeded", False),
        ("missed", False),
        ("not_done", True),
        ("not_done", False),
        (None, False),
    ]
    planned = [
        replace(AS_FORESEEN, outcome=outcome, is_replaced=is_replaced)
        for outcome, is_replaced in outcomes
    ]
    assert compliance(planned) == Compliance(
        planned=7, as_planned=2, more=1, less=1, replaced=1, skipped=1, untold=1
    )
