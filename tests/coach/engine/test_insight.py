"""Insights of a workout and causes of a stall, in sentences with real numbers."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.context import SlotContext
from coach_agent.engine.explain.insight import Insight, workout_insight
from coach_agent.engine.forecast.stall import LiftTraining, StallAnalysis, analyse_stall
from coach_agent.engine.forecast.trend import trend_of, verdict_of
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    Done,
    exposure,
    fixed,
    slot,
    timed_exposure,
)
from tests.coach.situations import planned

FIVES = fixed(3, 100, 5)
TENS = fixed(3, 20, 10)
NOW, BEFORE = "workout-0", 7
FLAT = [120, 121, 119.5, 120.5, 119, 120, 120.5, 119.5]
RISING = [120, 118.5, 121.5, 120.5, 123, 121, 124.5, 123.5]
ASSISTED = {
    **PULL_UP,
    "exercise_type": "bodyweight_assisted",
    "exercise_title": "Pull Up (Assisted)",
}


def trained(
    exercise: dict[str, str],
    sets: Sequence[dict[str, Any]],
    now: Sequence[Done],
    before: Sequence[Done] = (),
    **other: Any,
) -> SlotContext:
    workouts = [exposure(now, sets, **other)]
    workouts += [exposure(before, sets, days_ago=BEFORE)] if before else []
    return slot(exercise, sets, workouts)


def insight(*slots: SlotContext) -> Insight:
    found = workout_insight(slots, NOW)
    assert found is not None
    return found


def test_a_carry_is_told_with_its_metres() -> None:
    """It was told as "40 kg × 0 s"."""
    found = planned("3*36/30m, 3*40/30m", title="Farmers Walk").plan.insight
    assert found is not None
    assert str(found.insight) == "Farmers Walk improved from 36 kg × 30 m to 40 kg × 30 m."


def test_what_got_better_is_told_with_its_numbers() -> None:
    found = insight(
        trained(BENCH, FIVES, [(102.5, 5)] * 3, [(100, 5)] * 3),
        trained(CURL, TENS, [(20, 11), (20, 10), (20, 10)], [(20, 10)] * 3),
    )
    assert found == Insight(
        insight=(
            "Bench Press (Barbell) improved from 100 kg × 5 to 102.5 kg × 5, and "
            "Bicep Curl (Dumbbell) improved, too."
        ),
        action="Take the next step as planned.",
        category="progress",
    )


def test_many_missed_sets_are_fatigue() -> None:
    found = insight(
        trained(BENCH, FIVES, [(100, 5), (100, 4), (100, 3)], [(100, 5)] * 3),
        trained(CURL, TENS, [(20, 10)] * 3),
    )
    assert found.category == "fatigue"
    assert found.insight == "2 of 6 planned sets fell short: Bench Press (Barbell)."
    assert found.action == "Rest longer before the hard sets."


@pytest.mark.parametrize(
    ("bench", "text"),
    [
        ((4, 3, 5), "3 of 6 planned sets fell short, most of them in Bench Press (Barbell)."),
        ((5, 4, 5), "2 of 6 planned sets fell short."),
    ],
    ids=["two of three", "one of two"],
)
def test_most_missed_sets_are_more_than_half(bench: tuple[int, ...], text: str) -> None:
    """One of two missed sets was "most of them", and so was the only one."""
    found = insight(
        trained(BENCH, FIVES, [(100, reps) for reps in bench]),
        trained(CURL, TENS, [(20, 10), (20, 10), (20, 8)]),
    )
    assert found.insight == text


def test_a_single_missed_set_is_none() -> None:
    found = insight(
        trained(BENCH, FIVES, [(100, 5), (100, 5), (100, 4)]), trained(CURL, TENS, [(20, 10)] * 3)
    )
    assert (found.category, found.insight) == (
        "progress",
        "5 of 6 planned sets reached their target.",
    )


def test_more_load_than_planned_that_costs_reps_is_technique() -> None:
    found = insight(trained(BENCH, FIVES, [(110, 3), (100, 5), (100, 5)]))
    assert found == Insight(
        insight="Bench Press (Barbell): 110 kg instead of 100 kg cost reps, 3 of 5.",
        action="Take 100 kg and make all 5 reps clean.",
        category="technique",
        exercise_title=BENCH["exercise_title"],
    )


def test_sets_left_out_are_volume() -> None:
    found = insight(trained(BENCH, FIVES, [(100, 5)]), trained(CURL, TENS, [(20, 10)] * 3))
    assert found.category == "volume"
    assert found.insight == "2 of 6 planned sets were left out: Bench Press (Barbell)."
    assert found.action == "Plan fewer sets of Bench Press (Barbell)."


def test_only_what_was_not_the_first_can_be_done_earlier() -> None:
    found = insight(trained(BENCH, FIVES, [(100, 5)] * 3), trained(CURL, TENS, [(20, 10)]))
    assert found.action == f"Do {CURL['exercise_title']} earlier next time, or plan fewer sets."


def test_what_got_worse_without_a_plan_is_fatigue() -> None:
    found = insight(
        slot(BENCH, FIVES, [exposure([(100, 4)]), exposure([(100, 6)], days_ago=BEFORE)])
    )
    assert found == Insight(
        insight="Bench Press (Barbell) fell from 100 kg × 6 to 100 kg × 4.",
        action="Get Bench Press (Barbell) back to 100 kg × 6, step by step.",
        category="fatigue",
        exercise_title=BENCH["exercise_title"],
    )


def test_e8_less_assistance_is_a_gain() -> None:
    found = insight(trained(ASSISTED, fixed(1, 20, 8), [(20, 8)], [(25, 8)]))
    assert found.category == "progress"
    assert "from 25 kg of assistance × 8 to 20 kg of assistance × 8" in found.insight


def test_times_are_compared_with_times() -> None:
    found = insight(
        slot(PLANK, [{}], [timed_exposure([75]), timed_exposure([60], days_ago=BEFORE)])
    )
    assert found.insight == "Plank improved from 60 s to 75 s."


def test_a_first_workout_has_nothing_to_be_compared_with() -> None:
    found = insight(slot(BENCH, FIVES, [exposure([(100, 5)] * 3)]))
    assert (found.insight, found.category) == (
        "3 working sets were done for the first time.",
        "volume",
    )


def test_a_mistyped_set_is_no_progress() -> None:
    context = trained(BENCH, FIVES, [(1000, 5), (100, 5), (100, 5)], [(100, 5)] * 3)
    latest = context.exposures[0]
    doubted = latest.sets[0].model_copy(update={"is_typo_suspect": True})
    latest = latest.model_copy(update={"sets": (doubted, *latest.sets[1:])})
    context = context.model_copy(update={"exposures": (latest, *context.exposures[1:])})
    assert insight(context).insight == "3 of 3 planned sets reached their target."


def test_a_workout_that_is_not_there_shows_nothing() -> None:
    assert workout_insight([trained(BENCH, FIVES, [(100, 5)] * 3)], "another") is None
    assert workout_insight([], NOW) is None


done_sets = st.lists(
    st.tuples(st.sampled_from([None, 20.0, 97.5, 100.0]), st.sampled_from([None, 0, 3, 5, 9])),
    min_size=1,
    max_size=3,
)


@given(
    st.sampled_from([BENCH, CURL, PULL_UP, ASSISTED]),
    done_sets,
    done_sets,
    st.booleans(),
)
def test_every_number_of_an_insight_was_there(
    exercise: dict[str, str], now: list[Done], before: list[Done], is_planned: bool
) -> None:
    workouts = [
        exposure(now, FIVES if is_planned else None),
        exposure(before, FIVES if is_planned else None, days_ago=BEFORE),
    ]
    found = workout_insight([slot(exercise, FIVES, workouts)], NOW)
    assert found is not None
    assert found.insight.endswith(".")
    assert found.action.endswith(".")
    assert "RPE" not in found.insight + found.action
    text = re.sub(re.escape(exercise["exercise_title"]), "", found.insight + found.action)
    there = {0, 1, 2, 3, 5, 100}  # counts of the three sets, and their plan
    there |= {value for each in (*now, *before) for value in each[:2] if value is not None}
    assert {float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)} <= there


def stall(maxima: Sequence[float], **training: Any) -> StallAnalysis:
    return analyse_stall(trend_of(maxima), LiftTraining(**training))


def test_b4_the_flag_is_that_of_the_one_rule() -> None:
    for maxima in (FLAT, RISING, FLAT[:7]):
        assert stall(maxima).is_stalled == (verdict_of(maxima) == "stalled")
    assert stall(FLAT[:7]).reason == "A verdict needs 8 workouts with a comparable best set."
    assert stall(RISING).reason == "No stall: +0.54 % a workout over 8 workouts, at most +0.69 %."
    assert (stall(RISING).fix_type, stall(FLAT[:7]).fix_type) == ("none", "none")


@pytest.mark.parametrize(
    ("training", "fix", "text"),
    [
        ({"mean_rpe": 9.2, "mean_reps": 3}, "deload", "Take 8 % off"),
        ({"mean_rpe": 8.5, "mean_reps": 3.5}, "rep_range", "6 to 8 reps"),
        ({"mean_reps": 4}, "rep_range", "6 to 8 reps"),
        ({"mean_reps": 8, "set_counts": (4, 4, 4, 4, 3, 3, 3, 3)}, "volume", "4 working sets"),
        ({"mean_reps": 8, "set_counts": (4, 4, 4, 4, 4, 3, 4, 3)}, "variation", "4 weeks"),
        ({"mean_reps": 8}, "variation", "4 weeks"),
        ({}, "variation", "4 weeks"),
    ],
)
def test_the_fix_follows_the_cause(training: dict[str, Any], fix: str, text: str) -> None:
    found = stall(FLAT, **training)
    assert found.is_stalled
    assert found.fix_type == fix
    assert text in found.suggested_fix
    if "mean_rpe" not in training:
        assert "RPE" not in found.reason + found.suggested_fix


def test_b10_a_stall_with_many_reps_and_no_rpe_is_no_reason_for_a_load_jump() -> None:
    found = stall(FLAT, mean_reps=10)
    assert found.fix_type == "variation"
    assert not re.search(r"\bkg\b|heavier|more load|increase", found.suggested_fix)


def test_e7_the_false_alarm_rate_and_the_volume_stand_beside_the_flag() -> None:
    found = stall(FLAT, mean_reps=8, set_counts=(3, 3, 5, 4, 4), false_alarm_rate=0.29)
    assert "29 % of such lifters who gain get this flag" in found.reason
    details = found.details
    assert (details.false_alarm_rate, details.sets_before, details.sets_now) == (0.29, 3, 4)
    assert (details.exposure_count, details.slope_pct) == (8, pytest.approx(-0.059, abs=0.001))
    assert details.upper_pct == pytest.approx(0.020, abs=0.001)


@pytest.mark.parametrize(
    "training",
    [
        {"exercise_type": "duration"},
        {"exercise_type": "distance_duration"},
        {"exercise_type": "weight_reps", "primary_muscle_group": "cardio"},
        {"exercise_type": "bodyweight_assisted"},
    ],
    ids=["time", "distance", "cardio", "assisted"],
)
def test_e8_time_cardio_and_assisted_lifts_never_stall(training: dict[str, Any]) -> None:
    found = stall(FLAT, **training)
    assert (found.is_stalled, found.fix_type) == (False, "none")
    assert stall(FLAT, exercise_type="weight_reps").is_stalled


def test_what_was_light_on_purpose_is_no_change() -> None:
    before, easy, again = [(100, 5)] * 3, [(90, 5)] * 3, [(102.5, 5)] * 3
    workouts = [
        exposure(easy, FIVES).model_copy(update={"is_easy": True}),
        exposure(before, FIVES, days_ago=BEFORE),
    ]
    assert "fell" not in insight(slot(BENCH, FIVES, workouts)).insight
    workouts = [
        exposure(again, FIVES),
        exposure(easy, FIVES, days_ago=3).model_copy(update={"is_easy": True}),
        exposure(before, FIVES, days_ago=BEFORE),
    ]
    found = insight(slot(BENCH, FIVES, workouts))
    assert "improved from 100 kg × 5 to 102.5 kg × 5" in found.insight


def test_seconds_that_fell_short_are_told_as_seconds() -> None:
    held = {**PLANK, "exercise_type": "weight_duration"}
    sets = [{"weight_kg": 10, "duration_s": 60}]
    done = exposure([(20, None)], sets)
    short = done.sets[0].model_copy(update={"duration_s": 40, "planned_duration_s": 60})
    workout = done.model_copy(update={"sets": (short,)})
    others = trained(BENCH, FIVES, [(100, 5)] * 3)
    found = insight(slot(held, sets, [workout]), others, others)
    assert "20 kg instead of 10 kg cost seconds, 40 of 60." in found.insight


@pytest.mark.parametrize(
    ("history", "title"),
    [
        ("3*77.5x5, 3*80x5, 3*825x5", "Bench Press (Barbell)"),
        ("3*97.5x5, 3*100x5, 3*10x5", "Squat (Barbell)"),
        ("3*35x8, 3*30x8, 3*250x8", "Pull Up (Assisted)"),
    ],
)
def test_a_mistyped_load_is_compared_with_nothing(history: str, title: str) -> None:
    """It "improved from 80 kg to 825 kg", and the plan was "900 % more than last time"."""
    found = planned(history, title=title)
    assert "3 working sets were done. Take the next workout as planned." in found.why
    assert "%" not in found.slot().reason
    assert "last time" not in found.text
