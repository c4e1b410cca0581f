"""Deliberately easy workouts, and their reductions."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from coach_agent.domain.context import SlotContext
from coach_agent.domain.pain import Pain
from coach_agent.engine.limits.conditions import (
    has_rpe_drift,
    reactive_deload,
)
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import first_of_latest
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    Done,
    exposure,
    fixed,
    loads,
    profile,
    reps,
    routine,
    situation,
    slot,
)
from tests.coach.usual_workout import (
    FIVE,
    FIVES,
    SQUAT,
    STALLED,
    TODAY,
    bench,
    check_in,
    curl,
    plan,
)


def named(title: str, done: Sequence[Done], verdict: str, rate: float) -> SlotContext:
    trend = STALLED.model_copy(update={"verdict": verdict, "false_alarm_rate": rate})
    lift = {**SQUAT, "exercise_title": title}
    return slot(lift, FIVES, [exposure(done, FIVES, days_ago=2)], trend=trend)


def two_lifts(done: Sequence[Done], rate: float = 0.0) -> list[SlotContext]:
    return [named(title, done, "stalled", rate) for title in ("Bench", "Squat")]


class TestDeload:
    def test_a11_the_calendar_decides_and_not_the_count_of_exposures(self) -> None:
        athlete = profile(block_start=date(2026, 1, 5))
        reasons = {
            day: plan(bench(), curl(), athlete=athlete, today=day).deload
            for day in (date(2026, 1, 12) + timedelta(days=n) for n in range(0, 36))
        }
        easy = [day for day, reason in reasons.items() if reason == "calendar"]
        assert (easy[0], easy[-1], len(easy)) == (date(2026, 2, 9), date(2026, 2, 15), 7)
        in_it = plan(bench(), curl(), athlete=athlete, today=date(2026, 2, 9))
        assert all(each.is_easy and len(each.sets) == 2 for each in in_it.slots)

    def test_half_the_sets_at_nine_tenths_with_the_fewest_reps(self) -> None:
        easy, curls = plan(bench(), curl(), said=check_in(deload=("all",))).slots
        assert (loads(easy), loads(curls), reps(curls)) == ([90, 90], [22, 22], [8, 8])
        assert easy.whole_sets == plan(bench()).slots[0].sets
        assert easy.direction == "down"

    def test_e11_one_exercise_is_easy_and_the_others_are_as_ever(self) -> None:
        said = check_in(deload=(BENCH["exercise_title"],))
        easy, other = plan(bench(), curl(), said=said).slots
        assert (loads(easy), easy.reason_codes[0]) == ([90, 90], "deload_asked")
        assert other == plan(bench(), curl()).slots[1]
        assert plan(bench(), curl(), said=said).deload is None

    def test_e7_what_was_easy_on_purpose_shows_nothing(self) -> None:
        done = exposure([FIVE] * 3, FIVES, days_ago=9)
        easy = exposure([(90, 5), (90, 5)], fixed(2, 90, 5), days_ago=2)
        after = slot(BENCH, FIVES, [easy.model_copy(update={"is_easy": True}), done])
        assert loads(plan(after).slots[0]) == [102.5] * 3

    def test_a_wave_is_held_back_too(self) -> None:
        """The second week of 70 kg is heavier than the first, and no reason to go up in pain."""
        athlete = profile(
            exercises={BENCH["exercise_title"]: {"model": "training_max", "training_max_kg": 100.0}}
        )
        week = [{"weight_kg": kg, "reps": 5} for kg in (65.0, 75.0, 85.0)]
        wave = slot(BENCH, week, [exposure([(65, 5), (75, 5), (85, 5)], week, days_ago=2)])
        assert loads(plan(wave, athlete=athlete).slots[0]) == [70, 80, 90]
        hurt = check_in(pain=(Pain(part="shoulder", level="moderate"),))
        assert loads(plan(wave, athlete=athlete, said=hurt).slots[0]) == [70, 80, 85]


class TestReactiveDeload:
    def test_two_stalled_lifts_are_enough(self) -> None:
        assert reactive_deload(TODAY, [], ["Bench", "Bench"], [], None) is None
        assert reactive_deload(TODAY, [], ["Bench", "Squat"], [], None) == "stalls"
        both = two_lifts([(100, 5), (100, 5), (100, 4)])
        assert plan(*both).deload == "stalls"
        assert plan(*both, athlete=profile(deload={"mode": "never"})).deload is None

    def test_who_reached_all_that_was_asked_is_not_tired(self) -> None:
        assert plan(*two_lifts([FIVE] * 3)).deload is None

    def test_no_more_than_chance_calls_stalled_are_no_sign(self) -> None:
        """Of eight such lifts 2.4 are called stalled that gain."""
        miss: list[Done] = [(100, 5), (100, 5), (100, 4)]
        rest = [named(f"Lift {number}", [FIVE] * 3, "not_stalled", rate=0.3) for number in range(6)]
        both = two_lifts(miss, rate=0.3)
        assert plan(*both, *rest).deload is None
        assert plan(*both, named("Row", miss, "stalled", rate=0.3), *rest[1:]).deload == "stalls"

    @pytest.mark.parametrize(
        ("rpes", "is_drift"),
        [
            ((9.0, 8.5, 8.0), True),
            ((8.5, 8.5, 8.0), False),
            ((9.0, None, 8.0), False),
            ((9.0, 8.0), False),
        ],
    )
    def test_the_same_work_that_feels_harder(
        self, rpes: Sequence[float | None], is_drift: bool
    ) -> None:
        past = [
            exposure([(100.0, 5, rpe)] * 3, FIVES, days_ago=2 + 3 * n) for n, rpe in enumerate(rpes)
        ]
        lift = slot(BENCH, FIVES, past)
        assert has_rpe_drift(lift) is is_drift
        assert (reactive_deload(TODAY, [lift], [], [], None) == "rpe_drift") is is_drift

    def test_other_loads_tell_nothing_of_effort(self) -> None:
        past = [
            exposure([(100.0 + n, 5, 9.5 - n)] * 3, FIVES, days_ago=2 + 3 * n) for n in range(3)
        ]
        assert not has_rpe_drift(slot(BENCH, FIVES, past))

    @pytest.mark.parametrize(
        ("scores", "reason"),
        [([2, 2, 2], "readiness"), ([1, 3, 2], "readiness"), ([1, 1], None), ([2, 2, 3], None)],
    )
    def test_feeling_tired_for_long(self, scores: list[int], reason: str | None) -> None:
        assert reactive_deload(TODAY, [], [], scores, None) == reason

    @pytest.mark.parametrize(
        ("days_ago", "reason"),
        [(0, "running"), (6, "running"), (7, None), (41, None), (42, "stalls")],
    )
    def test_it_lasts_a_week_and_does_not_return_within_a_block(
        self, days_ago: int, reason: str | None
    ) -> None:
        last = TODAY - timedelta(days=days_ago)
        assert reactive_deload(TODAY, [], ["Bench", "Squat"], [], last) == reason

    def test_the_latest_deload_begins_with_the_first_of_its_days(self) -> None:
        days = [date(2026, 3, day) for day in (20, 18, 14, 6)]
        assert first_of_latest(tuple(days)) == date(2026, 3, 14)
        assert first_of_latest(()) is None


def test_several_words_on_one_day_are_one_low_day() -> None:
    one_day = [
        CheckIn(checked_in_at=NOW - timedelta(minutes=10 * ago), energy=2) for ago in range(3)
    ]
    days = [CheckIn(checked_in_at=NOW - timedelta(days=ago), energy=2) for ago in range(3)]
    athlete = profile()
    for check_ins, deload in ((one_day, None), (days, "readiness")):
        given = situation([routine(bench())], check_ins=tuple(check_ins))
        decision = decide(given, athlete)
        assert decision is not None
        assert decision.plan.deload == deload


def test_a_deload_of_the_whole_workout_is_told_on_the_plan() -> None:
    assert plan(bench(), said=check_in(deload=("all",))).deload == "asked"
    assert plan(bench(), last_deload=TODAY - timedelta(days=3)).deload == "running"


def test_a_deload_adds_no_repetitions_to_a_load_that_stays() -> None:
    """The rack ends below the last load, so the deload takes no load from the plan."""
    known = [exposure([(20, 0)], [{"rep_range_start": 5}], days_ago=2)]
    sets: list[dict[str, Any]] = [{"rep_range_start": 5}, {}, {}]
    athlete = profile(
        equipment={"dumbbells_kg": [5.0, 8.0, 12.5]},
        exercises={CURL["exercise_title"]: {"model": "rep_sum", "rep_sum": 12}},
    )
    _assert_no_more_with_one_load(slot(CURL, sets, known), athlete)


def test_a_deload_keeps_goals_on_the_way_up_to_the_target() -> None:
    """With the lightest load the athlete builds up from 1 repetition; the deload asks no more."""
    known = [exposure([(5, 1)] * 3, fixed(3, 5, 8), days_ago=days) for days in (2, 5, 8)]
    athlete = profile(equipment={"dumbbells_kg": [5.0, 8.0, 12.5]})
    _assert_no_more_with_one_load(slot(CURL, fixed(3, 5, 8), known), athlete)


def _assert_no_more_with_one_load(exercise: SlotContext, athlete: AthleteProfile) -> None:
    free, eased = (
        decide(situation([routine(exercise)], latest_check_in=said), athlete)
        for said in (None, check_in(deload=("all",)))
    )
    assert free is not None
    assert eased is not None
    assert eased.plan.deload == "asked"
    for ours, other in zip(eased.plan.slots[0].sets, free.plan.slots[0].sets, strict=False):
        assert ours.weight_kg == other.weight_kg
        assert (ours.reps or 0) <= (other.reps or 0)
