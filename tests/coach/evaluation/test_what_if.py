"""Replays of a log with another profile or programme, compared with a slow computation."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from statistics import median
from typing import Any

import pytest

from coach_agent.domain.context import RoutineContext, TrainedRoutine
from coach_agent.domain.plan import Plan
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.past_days import past_days
from coach_agent.evaluation.what_if import ProgrammeToFollow, Replay, Scenario, replay
from coach_agent.planning.block_week import place_on
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.builder import build
from coach_agent.programmes.request import ProgrammeRequest
from orchestration.services.evaluation.training_logs import log_of
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)
from orchestration.services.simulations.what_if import history_of, programme_to_follow
from tests.coach.evaluation.logs import BENCH, SQUAT, invented_export, log, workout
from tests.coach.evaluation.real_logs import real_logs
from tests.coach.past_sessions import LOGS

PROFILE = AthleteProfile.model_validate({"id": "me"})


def three_days() -> ProgrammeToFollow:
    request = ProgrammeRequest(days=3, goal="strength", level="intermediate")
    return programme_to_follow(
        build(request, programme_catalogue()).programme, programme_catalogue()
    )


Summary = dict[str, Any]


def summary_of(found: Replay) -> Summary:
    return {
        "done": (found.done.sessions, found.done.sets, found.done.minutes),
        "done muscles": dict(found.done.muscles),
        "planned": (found.prescribed.sessions, found.prescribed.sets, found.prescribed.minutes),
        "planned muscles": dict(found.prescribed.muscles),
        "tops": [
            [(each.exercise, each.weight_kg, each.reps) for each in session.prescribed]
            for session in found.sessions
        ],
        "asks": dict(found.asks),
    }


def slow_summary(training: TrainingLog, scenario: Scenario, weeks: int) -> Summary:
    """Every day anew from the start of the log, and every number by itself."""
    last = training.sessions[-1].started_at.date()
    since = last - timedelta(days=last.weekday()) - timedelta(weeks=weeks - 1)
    plans: list[tuple[Any, Plan | None, RoutineContext | None]] = []
    trained: list[TrainedRoutine] = []
    for place, session in enumerate(training.sessions):
        if session.started_at.date() < since:
            continue
        until = training.sessions[: place + 1]
        if scenario.programme is None:
            (day,) = past_days(until, "ranged", [place])
            situation, routine = day.situation, day.routine
        else:
            (day,) = past_days(until, "fixed", [place], scenario.programme.routines)
            monday = session.started_at.date() - timedelta(days=session.started_at.weekday())
            this_week = [each for each in trained if each.started_at.date() >= monday]
            routine = None
            situation = day.situation.model_copy(update={"trained": tuple(trained)})
            if len(this_week) < scenario.programme.days:
                count = len(scenario.programme.routines)
                routine = situation.routines[len(this_week) % count]
                start = since
                while True:
                    followed = scenario.programme.followed.model_copy(update={"start": start})
                    situation = situation.model_copy(update={"programme": followed})
                    at = place_on(situation, scenario.profile, situation.today)
                    if at is None or not at.is_over:
                        break
                    start = at.begins
        if routine is None:
            plans.append((session, None, None))
            continue
        only = AthleteProfile.model_validate(
            {**scenario.profile.model_dump(), "coach": {"routines": (routine.title,)}}
        )
        decision = decide(situation, only)
        plans.append((session, decision and decision.plan, routine))
        trained.append(TrainedRoutine(routine_id=routine.routine_id, started_at=session.started_at))
    done_sets, planned_sets, planned_sessions = 0, 0, 0
    done_muscles: dict[str, float] = {}
    planned_muscles: dict[str, float] = {}
    tops, asks = [], {"more": 0, "same": 0, "less": 0}

    def add(to: dict[str, float], place: Any, count: int) -> None:
        if not count:
            return
        if place["primary_muscle_group"]:
            to.setdefault(place["primary_muscle_group"], 0.0)
            to[place["primary_muscle_group"]] += count
        for muscle in place["secondary_muscle_groups"]:
            to[muscle] = to.get(muscle, 0.0) + count / 2

    def lifted(title: str, kg: float | None) -> float:
        return -(kg or 0) if "assisted" in title.lower() else kg or 0

    for session, plan, routine in plans:
        best_done: dict[str, tuple[float | None, int | None]] = {}
        for done in session.done:
            working = [each for each in done.sets if each.set_type in WORKING_TYPES]
            done_sets += len(working)
            add(done_muscles, done.exercise, len(working))
            if working:
                title = done.exercise["exercise_title"].lower()
                sets = [(lifted(title, each.weight_kg), each) for each in working]
                _, top = max(sets, key=lambda each: (each[0], each[1].reps or 0))
                best_done.setdefault(title, (top.weight_kg, top.reps))
        of_day: list[tuple[str, float | None, int | None]] = []
        tops.append(of_day)
        if plan is None or routine is None:
            continue
        planned_sessions += 1
        for slot in plan.slots:
            wanted = [each for each in slot.sets if each.set_type in WORKING_TYPES]
            planned_sets += len(wanted)
            add(planned_muscles, slot.model_dump(), len(wanted))
            if not wanted:
                continue
            goals = [
                (each.weight_kg, each.reps if each.reps is not None else each.rep_range_start)
                for each in wanted
            ]
            demands = [(lifted(slot.exercise_title, kg), reps or 0, kg, reps) for kg, reps in goals]
            _, _, kg, reps = max(demands, key=lambda each: each[:2])
            is_first = all(title != slot.exercise_title for title, _, _ in of_day)
            of_day.append((slot.exercise_title, kg, reps))
            kg_done, reps_done = best_done.get(slot.exercise_title.lower(), (None, None))
            if is_first and None not in (kg, reps, kg_done, reps_done):
                ours, theirs = (
                    (round(lifted(slot.exercise_title, kg), 2), reps or 0),
                    (round(lifted(slot.exercise_title, kg_done), 2), reps_done or 0),
                )
                asks["same" if ours == theirs else "more" if ours > theirs else "less"] += 1
    done_minutes = [each.minutes for each, _, _ in plans if each.minutes is not None]
    minutes = [each.minutes.minutes for _, each, _ in plans if each is not None and each.minutes]
    return {
        "done": (
            len(plans) / weeks,
            done_sets / weeks,
            median(done_minutes) if done_minutes else None,
        ),
        "done muscles": {name: pytest.approx(each / weeks) for name, each in done_muscles.items()},
        "planned": (
            planned_sessions / weeks,
            planned_sets / weeks,
            median(minutes) if minutes else None,
        ),
        "planned muscles": {
            name: pytest.approx(each / weeks) for name, each in planned_muscles.items()
        },
        "tops": tops,
        "asks": asks,
    }


@pytest.mark.parametrize("make", [lambda: None, three_days], ids=["own routines", "programme"])
def test_a_replay_equals_a_slow_computation(make: Callable[[], ProgrammeToFollow | None]) -> None:
    training = log_of(invented_export(sessions=40).encode(), "me")
    scenario = Scenario(PROFILE, make())
    assert summary_of(replay(training, scenario, 4)) == slow_summary(training, scenario, 4)


@pytest.mark.long
@pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")
@pytest.mark.parametrize("place", range(5))
def test_a_replay_of_a_real_log_equals_a_slow_computation(place: int) -> None:
    training = real_logs()[place]
    scenario = Scenario(PROFILE, three_days())
    assert summary_of(replay(training, scenario, 2)) == slow_summary(training, scenario, 2)


def squats(loads: Sequence[float]) -> TrainingLog:
    """A Monday with three squats each week, all of five repetitions."""
    return log(
        *(
            workout(7 * week, {SQUAT: [(load, 5)] * 3, BENCH: [(60, 5)] * 2})
            for week, load in enumerate(loads)
        )
    )


def test_the_work_done_is_counted_by_week_and_muscle() -> None:
    found = replay(squats([100, 100, 100, 100]), Scenario(PROFILE), 2)
    assert found.since == date(2025, 1, 20)
    assert (found.done.sessions, found.done.sets, found.done.minutes) == (1, 5, 60)
    assert found.done.muscles["quadriceps"] == 3
    assert found.done.muscles["glutes"] == 1.5
    assert found.done.muscles["chest"] == 2
    assert sum(found.asks.values()) == 4


def test_pain_of_the_profile_takes_an_exercise_out_of_the_past_too() -> None:
    hurt = AthleteProfile.model_validate({"id": "me", "pain": {"knee": "severe"}})
    found = replay(squats([100, 100, 100, 100]), Scenario(hurt), 1)
    (session,) = found.sessions
    assert [each.exercise for each in session.done] == [SQUAT, BENCH]
    assert [each.exercise for each in session.prescribed] == [BENCH]


def test_averages_are_those_of_the_weeks_that_a_short_log_has() -> None:
    """Two weeks were averaged over all weeks that the replay asked for."""
    training = squats([100, 100])
    found = replay(training, Scenario(PROFILE), 6)
    assert (found.weeks, found.since, found.done.sessions) == (2, date(2025, 1, 6), 1)
    assert history_of(training, 6).days_a_week == 1
    often = log(*(workout(day, {SQUAT: [(100, 5)]}) for day in (0, 2, 4)))
    assert history_of(often, 6).days_a_week == 3


def test_the_first_workout_of_a_routine_has_no_prescription() -> None:
    found = replay(squats([100]), Scenario(PROFILE), 1)
    assert found.sessions[0].routine is None
    assert (found.prescribed.sessions, found.prescribed.sets) == (0, 0)


def test_a_programme_has_no_more_sessions_than_its_days() -> None:
    training = log(*(workout(day, {SQUAT: [(100, 5)] * 3}) for day in (0, 1, 2, 3, 4)))
    found = replay(training, Scenario(PROFILE, three_days()), 1)
    assert [each.routine is None for each in found.sessions] == [False] * 3 + [True] * 2
    assert found.prescribed.sessions == 3
