"""Limits that hold for every history: tested maxima, targets for known exercises, no dead ends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.context import Exposure
from coach_agent.domain.plan import SetPrescription, SlotPrescription
from coach_agent.engine.explain.plan_texts import target_text
from coach_agent.planning.decide import decide
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    situation,
    slot,
    timed_exposure,
)
from tests.profiles import examples

DIP = {
    **PULL_UP,
    "exercise_title": "Triceps Dip (Weighted)",
    "exercise_type": "bodyweight_weighted",
}
SESSIONS = 12


@examples(60)
@given(
    tested=st.integers(60, 200),
    share=st.floats(0.4, 1.0),
    reps=st.integers(1, 12),
    days=st.integers(0, 13),
    rpe=st.sampled_from([9.5, 10.0]),
    in_range=st.booleans(),
    model=st.sampled_from([None, "linear", "double", "top_backoff", "training_max", "stages"]),
)
def test_nothing_exceeds_a_tested_maximum_within_14_days(
    tested: int, share: float, reps: int, days: int, rpe: float, in_range: bool, model: str | None
) -> None:
    load = round(tested * share / 2.5) * 2.5
    sets = ranged(3, load, reps, reps + 2) if in_range else fixed(3, load, reps)
    known = [
        exposure([(float(tested), 1, rpe)], days_ago=days),
        exposure([(load, reps)] * 3, sets, days_ago=days + 3),
        exposure([(load, reps)] * 3, sets, days_ago=days + 6),
    ]
    rule = {} if model is None else {BENCH["exercise_title"]: {"model": model}}
    found = decide(situation([routine(slot(BENCH, sets, known))]), profile(exercises=rule))
    assert found is not None
    for prescribed in found.plan.slots[0].sets:
        assert (prescribed.weight_kg or 0.0) <= tested


@pytest.mark.parametrize(
    ("exercise", "sets", "known"),
    [
        (BENCH, fixed(3, None, None), [exposure([(80, 5)] * 3, days_ago=d) for d in (3, 6)]),
        (BENCH, ranged(3, None, 5, 8), [exposure([(80, 5)] * 3, days_ago=3)]),
        (CURL, ranged(3, None, 8, None), [exposure([(14, 9)] * 3, days_ago=3)]),
        (PULL_UP, ranged(3, None, 5, 8), [exposure([(None, 6)] * 3, days_ago=3)]),
        (PLANK, [{"duration_s": 60}], [timed_exposure([60], days_ago=3)]),
        (DIP, ranged(3, None, 6, 8), [exposure([(20, 8)] * 3, days_ago=3)]),
    ],
    ids=["habit", "range", "open", "body", "time", "added load"],
)
def test_an_exercise_with_history_has_a_target(
    exercise: dict[str, str], sets: list[dict[str, Any]], known: list[Exposure]
) -> None:
    found = decide(situation([routine(slot(exercise, sets, known))]), profile())
    assert found is not None
    (prescribed,) = found.plan.slots
    for target in prescribed.sets:
        assert target_text(target, "kg", prescribed.exercise_type).strip() not in {"", "-"}


@pytest.mark.parametrize(
    ("exercise", "sets"),
    [
        (BENCH, fixed(3, 80, 5)),
        (BENCH, fixed(3, 20, 5)),
        (BENCH, ranged(3, 60, 8, 12)),
        (BENCH, [*ranged(2, 60, 5, 5), *ranged(1, 60, 5, None)]),
        (CURL, ranged(3, 14, 8, 12)),
        (CURL, fixed(3, 6, 10)),
        (PULL_UP, ranged(3, None, 5, 8)),
        (PULL_UP, fixed(3, None, 8)),
        (DIP, ranged(3, 20, 6, 8)),
        (DIP, fixed(3, 2.5, 5)),
        (PLANK, [{"duration_s": 60}] * 3),
    ],
    ids=str,
)
def test_a_compliant_athlete_never_stalls_for_12_sessions(
    exercise: dict[str, str], sets: list[dict[str, Any]]
) -> None:
    """Every session is done as planned: by load, repetitions or time something grows."""
    done: list[list[dict[str, Any]]] = [sets]
    amounts = []
    for _ in range(2 * SESSIONS):
        newest = [_trained(each, place) for place, each in enumerate(reversed(done[-6:]))]
        found = decide(situation([routine(slot(exercise, sets, newest))]), profile())
        assert found is not None
        (prescribed,) = found.plan.slots
        amounts.append(_amount(prescribed))
        done.append([_plain(each) for each in prescribed.sets])
    for first, last in zip(amounts, amounts[SESSIONS - 1 :], strict=False):
        assert last > first


def _trained(planned: list[dict[str, Any]], place: int) -> Exposure:
    """A workout in which every set was done as planned."""
    if planned[0].get("duration_s"):
        seconds = [each["duration_s"] for each in planned]
        return timed_exposure(seconds, seconds, days_ago=3 * place + 2)
    done = [
        (each.get("weight_kg"), each.get("reps") or each.get("rep_range_start")) for each in planned
    ]
    return exposure(done, planned, days_ago=3 * place + 2)


def _plain(prescribed: SetPrescription) -> dict[str, Any]:
    return prescribed.model_dump(exclude={"set_index"})


def _amount(prescribed: SlotPrescription) -> tuple[float, float, float]:
    """Heaviest load, then repetitions, then seconds of a workout, to compare by."""
    loads = [each.weight_kg or 0.0 for each in prescribed.sets]
    reps = sum(each.reps or 0 for each in prescribed.sets)
    return max(loads), reps, sum(each.duration_s or 0 for each in prescribed.sets)
