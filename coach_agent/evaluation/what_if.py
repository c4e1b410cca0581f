"""Replay a log with another profile or programme: prescriptions of the rules next to the work done.

Each day is decided from the sessions before it. The sessions themselves stay as they were done: the
replay answers what the rules had asked for, not what it had led to.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import median
from typing import Literal

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.context import RoutineContext, TrainedRoutine
from coach_agent.domain.days import monday_of
from coach_agent.domain.muscle_sets import fractional_sets
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.following import following
from coach_agent.evaluation.past_days import PastDay, past_days
from coach_agent.evaluation.past_sessions import Done, Session
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.sections import CoachSettings

Asks = Literal["more", "same", "less"]
_Decided = tuple[Plan, RoutineContext] | GuardrailError | None


@dataclass(frozen=True)
class ProgrammeToFollow:
    """A programme with its routines in the order of training, `days` of them a week.

    In a rolling one a week continues where the last one ended; otherwise each begins anew.
    """

    followed: FollowedProgramme
    routines: tuple[RoutineContext, ...]
    days: int
    is_rolling: bool = False


@dataclass(frozen=True)
class Scenario:
    """A profile and a programme; without one the routines are those of the log."""

    profile: AthleteProfile
    programme: ProgrammeToFollow | None = None


@dataclass(frozen=True)
class Work:
    """The working sets of an exercise. Load and repetitions are those of the heaviest one, with
    assistance of the least assisted one; `is_uniform` if all sets have them.
    """

    exercise: str
    sets: int
    weight_kg: float | None
    reps: int | None
    is_uniform: bool


@dataclass(frozen=True)
class ReplayedSession:
    """A done session and its prescription, without one `routine` is None.

    `minutes` are those of the plan, `done_minutes` those of the log; null if unknown. `muscles` has
    fractional sets: 1 for the primary muscle of an exercise, 0.5 for each secondary one. `asks`
    compares the heaviest sets of exercises that were done and prescribed. `stopped` is the reason
    of a guardrail that stopped the plan.
    """

    day: date
    done: tuple[Work, ...]
    done_muscles: Mapping[str, float]
    done_minutes: float | None
    routine: str | None = None
    prescribed: tuple[Work, ...] = ()
    muscles: Mapping[str, float] | None = None
    minutes: float | None = None
    asks: Mapping[str, Asks] | None = None
    stopped: str | None = None


@dataclass(frozen=True)
class WeeklyWork:
    """Averages over the replayed weeks; `minutes` is the median session, null if unknown."""

    sessions: float
    sets: float
    minutes: float | None
    muscles: Mapping[str, float]


@dataclass(frozen=True)
class Replay:
    """The replayed sessions of whole weeks from a Monday on, in UTC.

    `asks` counts the compared exercises of all sessions.
    """

    since: date
    weeks: int
    sessions: tuple[ReplayedSession, ...]
    done: WeeklyWork
    prescribed: WeeklyWork
    asks: Mapping[Asks, int]


def replay(log: TrainingLog, scenario: Scenario, weeks: int) -> Replay:
    """Replay the last weeks of a log; the newest session is in the last one.

    Of a shorter log all weeks are replayed.
    """
    weeks = min(weeks, weeks_of(log.sessions))
    since = first_monday(log.sessions, weeks)
    places = [at for at, each in enumerate(log.sessions) if each.started_at.date() >= since]
    decided = (
        _own_plans(log, scenario.profile, places)
        if scenario.programme is None
        else _programme_plans(log, scenario.profile, scenario.programme, places, since)
    )
    sessions = tuple(_replayed(day, plan) for day, plan in decided)
    return summarize(since, weeks, sessions)


def weeks_of(sessions: Sequence[Session]) -> int:
    """Return the number of calendar weeks, from Monday, from the first session to the last."""
    first, last = sessions[0].started_at.date(), sessions[-1].started_at.date()
    return (last - monday_of(first)) // timedelta(weeks=1) + 1


def first_monday(sessions: Sequence[Session], weeks: int) -> date:
    """Return the Monday from which the last weeks of a log count."""
    newest = sessions[-1].started_at.date()
    return monday_of(newest) - timedelta(weeks=weeks - 1)


def summarize(since: date, weeks: int, sessions: tuple[ReplayedSession, ...]) -> Replay:
    """Return a replay with its averages."""
    planned = [each for each in sessions if each.routine is not None]
    counts: dict[Asks, int] = {"more": 0, "same": 0, "less": 0}
    for each in planned:
        for asked in (each.asks or {}).values():
            counts[asked] += 1
    return Replay(
        since=since,
        weeks=weeks,
        sessions=sessions,
        done=_weekly(
            weeks, [(each.done, each.done_muscles, each.done_minutes) for each in sessions]
        ),
        prescribed=_weekly(
            weeks, [(each.prescribed, each.muscles or {}, each.minutes) for each in planned]
        ),
        asks=counts,
    )


def _weekly(
    weeks: int, sessions: Sequence[tuple[tuple[Work, ...], Mapping[str, float], float | None]]
) -> WeeklyWork:
    minutes = [each for _, _, each in sessions if each is not None]
    muscles: dict[str, float] = defaultdict(float)
    for _, of_session, _ in sessions:
        for muscle, sets in of_session.items():
            muscles[muscle] += sets / weeks
    return WeeklyWork(
        sessions=len(sessions) / weeks,
        sets=sum(work.sets for works, _, _ in sessions for work in works) / weeks,
        minutes=median(minutes) if minutes else None,
        muscles=dict(sorted(muscles.items())),
    )


def _own_plans(
    log: TrainingLog, profile: AthleteProfile, places: Sequence[int]
) -> Iterator[tuple[PastDay, _Decided]]:
    for day in past_days(log.sessions, "ranged", places):
        yield day, None if day.routine is None else _decided(day, day.routine, profile)


def _programme_plans(
    log: TrainingLog,
    profile: AthleteProfile,
    programme: ProgrammeToFollow,
    places: Sequence[int],
    since: date,
) -> Iterator[tuple[PastDay, _Decided]]:
    """Yield each day with the next plan of the programme; days beyond its number have none."""
    followed = programme.followed.model_copy(update={"start": since})
    trained: list[TrainedRoutine] = []
    week, in_week = since, 0
    for day in past_days(log.sessions, "fixed", places, programme.routines):
        at = day.session.started_at
        monday = monday_of(at.date())
        if monday != week:
            week, in_week = monday, 0
        if in_week == programme.days:
            yield day, None
            continue
        place = len(trained) if programme.is_rolling else in_week
        routine = day.situation.routines[place % len(programme.routines)]
        situation = day.situation.model_copy(update={"trained": tuple(trained)})
        day = PastDay(day.session, following(situation, followed, profile), routine)
        yield day, _decided(day, routine, profile)
        trained.append(TrainedRoutine(routine_id=routine.routine_id, started_at=at))
        in_week += 1


def _decided(day: PastDay, routine: RoutineContext, profile: AthleteProfile) -> _Decided:
    """Return the plan for a routine; None if the profile allows none on that day."""
    only = {"coach": CoachSettings(routines=(routine.title,)), "routines": (), "weekdays": {}}
    try:
        decision = decide(day.situation, profile.model_copy(update=only))
    except GuardrailError as error:
        return error
    return None if decision is None else (decision.plan, routine)


def _replayed(day: PastDay, decided: _Decided) -> ReplayedSession:
    session = day.session
    done = tuple(_work_done(each) for each in session.done if each.working)
    assisted = {
        normalize_title(each.exercise["exercise_title"])
        for each in session.done
        if each.exercise["exercise_type"] == ASSISTED
    }
    found = ReplayedSession(
        day=session.started_at.date(),
        done=done,
        done_muscles=fractional_sets(
            (
                len(each.working),
                each.exercise["primary_muscle_group"],
                each.exercise["secondary_muscle_groups"],
            )
            for each in session.done
            if each.working
        ),
        done_minutes=session.minutes,
    )
    if decided is None:
        return found
    if isinstance(decided, GuardrailError):
        return replace(found, stopped=str(decided))
    plan, routine = decided
    prescribed = tuple(
        work
        for slot, planned in zip(routine.slots, plan.slots, strict=True)
        if (work := _work_planned(planned, is_assisted=slot.exercise_type == ASSISTED)) is not None
    )
    counts = [sum(each.set_type in WORKING_TYPES for each in slot.sets) for slot in plan.slots]
    return replace(
        found,
        routine=plan.routine_title,
        prescribed=prescribed,
        muscles=fractional_sets(
            (count, slot.primary_muscle_group, slot.secondary_muscle_groups)
            for count, slot in zip(counts, routine.slots, strict=True)
            if count
        ),
        minutes=None if plan.minutes is None else plan.minutes.minutes,
        asks=_asks(prescribed, done, assisted),
    )


def _work_done(done: Done) -> Work:
    title = str(done.exercise["exercise_title"])
    is_assisted = done.exercise["exercise_type"] == ASSISTED
    sets = [(each.weight_kg, each.reps) for each in done.working]
    return _work(title, sets, is_assisted=is_assisted)


def _work_planned(slot: SlotPrescription, *, is_assisted: bool) -> Work | None:
    working = [each for each in slot.sets if each.set_type in WORKING_TYPES]
    if not working:
        return None
    goals = [
        (each.weight_kg, each.rep_range_start if each.reps is None else each.reps)
        for each in working
    ]
    return _work(slot.exercise_title, goals, is_assisted=is_assisted)


def _work(
    title: str, sets: Sequence[tuple[float | None, int | None]], *, is_assisted: bool
) -> Work:
    sign = -1 if is_assisted else 1
    weight_kg, reps = max(sets, key=lambda each: (sign * abs(each[0] or 0.0), each[1] or 0))
    return Work(title, len(sets), weight_kg, reps, is_uniform=len(set(sets)) == 1)


def _asks(
    prescribed: Iterable[Work], done: Iterable[Work], assisted: Collection[str]
) -> dict[str, Asks]:
    """Compare the heaviest sets by load, those of equal load by repetitions.

    Less assistance is more load.
    """
    there: dict[str, Work] = {}
    for each in done:
        there.setdefault(normalize_title(each.exercise), each)
    found: dict[str, Asks] = {}
    for each in prescribed:
        title = normalize_title(each.exercise)
        other = there.get(title)
        if other is None or each.exercise in found:
            continue
        sign = -1 if title in assisted else 1
        ours, theirs = _demand(each, sign), _demand(other, sign)
        if ours is not None and theirs is not None:
            found[each.exercise] = "more" if ours > theirs else "less" if ours < theirs else "same"
    return found


def _demand(work: Work, sign: int) -> tuple[float, int] | None:
    if work.weight_kg is None or work.reps is None:
        return None
    return sign * round(abs(work.weight_kg), 2), work.reps
