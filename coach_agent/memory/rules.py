"""Rules from rows to memories, as pure functions.

A rule reads rows of the warehouse alone, never a note. What a model read in notes are mentions,
which code has checked; they need two days. Rows of one day count once. The result
depends on the rows and, for what has expired, on the day.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from statistics import median
from typing import TypeVar

from coach_agent.memory.evidence import (
    Evidence,
    PlannedExercise,
    TrainedWorkout,
)
from coach_agent.memory.memories import Kind, Memory, Role, Source, Statement
from coach_agent.memory.mentions import MentionKind

REPEATED_TIMES, REPEATED_DAYS = 4, 60
"""Repetitions of a swap, an omission or an unused reserve that are no chance, and the days that
they may span: about one in four of 16 workouts with the same exercise twice a week.
"""

PAIN_TIMES, PAIN_DAYS = 3, 14
"""Days with the same pain that make a pattern, and the days that they may span."""

MENTION_TIMES = 2
"""Days with the same mention in a note: one note alone may be a mood or an error of the model."""

PRECEDING = timedelta(hours=72)
"""Training this long before a reported pain may explain it; soreness peaks at 24 to 72 hours
(Cheung, Hume and Maxwell 2003).
"""

HABIT_DAYS, HABIT_LEAST_WEEKS, HABIT_TIMES = 56, 4, 8
"""Days up to the latest workout that show habits, the least begun weeks from the first of these
workouts to the last, and the least days with training: two a week for a month.
"""

HABIT_WEEK_SHARE = 0.5
"""Share of the weeks in which a usual day of the week was trained."""

START_STEP_MIN, START_WITHIN_MIN = 30, 60
"""Step of a usual start, and the difference up to which a start is the usual one (min)."""

LENGTH_STEP_MIN, LENGTH_WITHIN_RATIO = 5, 0.2
"""Step of a usual duration (min), and the difference up to which a duration is the usual one."""

LONGEST_WORKOUT_MIN = 300
"""A longer workout was left open: it says nothing about habits (min)."""

HIGHEST_RESERVE_RPE = 8.0
"""Up to this RPE an athlete states a reserve of at least two repetitions (Zourdos et al. 2016)."""

HISTORY_DAYS = 180
"""Days before the newest workout that are read: longer than any window, and than a memory of the
least observations lasts.
"""

_MINUTES_A_DAY = 24 * 60

T = TypeVar("T")
K = TypeVar("K", str, tuple[MentionKind, str])


def learn(
    evidence: Evidence, today: date, forgotten: Mapping[str, date] | None = None
) -> tuple[Memory, ...]:
    """Return the memories that the rows support on a day, ordered by type and subject.

    `forgotten` maps digests of forgotten memories to the day of forgetting: only rows of later days
    count for them.
    """
    found = _derived_by_digest(evidence)
    for digest, day in (forgotten or {}).items():
        if digest in found:
            del found[digest]
            later = _derived_by_digest(evidence.after(day))
            found |= {digest: later[digest]} if digest in later else {}
    valid = [each for each in found.values() if today < each.expires_on]
    return tuple(sorted(valid, key=lambda each: (each.kind, each.subject)))


def _derived_by_digest(evidence: Evidence) -> dict[str, Memory]:
    """Return the memories by identity; mentions support a memory that rows have, too."""
    found = {each.digest: each for each in _derived(evidence)}
    for each in _mentioned(evidence):
        known = found.get(each.digest)
        if known is not None:
            sources = _in_order({*known.sources, *each.sources})
            each = known.model_copy(update={"sources": sources})
        found[each.digest] = each
    return found


def _mentioned(evidence: Evidence) -> Iterator[Memory]:
    """A preference or a pain is stated in notes of two days."""
    for (kind, subject), own in _grouped(evidence.mentions, lambda each: (each.kind, each.subject)):
        support = [Source(mart=each.mart, key=each.key, day=each.day) for each in own]
        kept = _latest_window(_one_a_day(support), MENTION_TIMES, REPEATED_DAYS)
        if kept:
            yield Memory(
                athlete_id=evidence.athlete_id,
                kind=kind,
                subject=subject,
                statement=Statement(title=own[-1].title),
                sources=_in_order(kept),
            )


def _derived(evidence: Evidence) -> Iterator[Memory]:
    rules: Sequence[Callable[[Evidence], Iterator[Memory]]] = (
        *(_swaps, _skips, _reserves, _injuries),
        *(_training_days, _training_hour, _training_minutes),
    )
    for rule in rules:
        yield from rule(evidence)


def _swaps(evidence: Evidence) -> Iterator[Memory]:
    """A preference: the same exercise is replaced, or is the replacement, again and again.

    A swap on a day with a reported pain may be due to the pain, and does not count.
    """
    rows, hurting = _planned_in_order(evidence), _days_with_pain(evidence)
    for key, own in _grouped(rows, lambda each: each.exercise_key):
        support = [
            _planned_source(each)
            for each in own
            if each.outcome == "swapped" and each.day not in hurting
        ]
        against = [_planned_source(each, "opposes") for each in own if each.outcome == "done"]
        about = Statement(title=own[-1].title)
        yield from _repeated(evidence, "against_exercise", key, about, support, against)
    swapped = [
        (each.instead, each)
        for each in rows
        if each.instead is not None and each.day not in hurting
    ]
    for key, pairs in _grouped(swapped, lambda pair: pair[0][0]):
        support = [_planned_source(each) for _, each in pairs]
        about = Statement(title=pairs[-1][0][1])
        yield from _repeated(evidence, "for_exercise", key, about, support)


def _skips(evidence: Evidence) -> Iterator[Memory]:
    """An exercise is always skipped at the end: not done once since the first of these skips.

    A skip on a day with a reported pain may be due to the pain, and does not count.
    """
    rows, hurting = _planned_in_order(evidence), _days_with_pain(evidence)
    for key, own in _grouped(rows, lambda each: each.exercise_key):
        last_done = max((each.day for each in own if each.outcome == "done"), default=date.min)
        support = [
            _planned_source(each)
            for each in own
            if each.outcome == "skipped"
            and each.is_at_end
            and each.day > last_done
            and each.day not in hurting
        ]
        yield from _repeated(evidence, "skipped_last", key, Statement(title=own[-1].title), support)


def _reserves(evidence: Evidence) -> Iterator[Memory]:
    """A reserve is stated on open sets and never used: the set ends at its minimum."""
    rows = sorted(evidence.open_sets, key=lambda each: (each.day, each.key))
    for key, own in _grouped(rows, lambda each: each.exercise_key):
        support = [
            Source(mart="fct_plan_compliance", key=each.key, day=each.day)
            for each in own
            if each.extra == 0 and each.rpe <= HIGHEST_RESERVE_RPE
        ]
        against = [
            Source(mart="fct_plan_compliance", key=each.key, day=each.day, role="opposes")
            for each in own
            if each.extra > 0
        ]
        about = Statement(title=own[-1].title)
        yield from _repeated(evidence, "unused_reserve", key, about, support, against)


def _injuries(evidence: Evidence) -> Iterator[Memory]:
    """A pattern: the same part of the body hurts on three days within two weeks."""
    reports = sorted(evidence.pains, key=lambda each: (each.day, each.key))
    by_part = [(part, each) for each in reports for part in each.parts]
    for part, pairs in _grouped(by_part, lambda pair: pair[0]):
        own = [each for _, each in pairs]
        support = [Source(mart="fct_check_in", key=each.key, day=each.day) for each in own]
        kept = _latest_window(_one_a_day(support), PAIN_TIMES, PAIN_DAYS)
        keys = {each.key for each in kept}
        counted = [each for each in own if each.key in keys]
        preceding = {
            before.key: Source(mart="fct_workout", key=before.key, day=before.day, role="preceded")
            for each in counted
            for before in each.preceding
        }
        titles = [
            {title for before in each.preceding for title in before.titles} for each in counted
        ]
        if kept:
            yield Memory(
                athlete_id=evidence.athlete_id,
                kind="injury_pattern",
                subject=part,
                statement=Statement(title=part, before=tuple(sorted(set.intersection(*titles)))),
                sources=_in_order([*kept, *preceding.values()]),
            )


def _training_days(evidence: Evidence) -> Iterator[Memory]:
    """Days of the week with training in at least half of the latest weeks."""
    workouts = _habit_window(evidence)
    if not workouts:
        return
    weekdays = [each.day.weekday() for each in workouts]
    least = HABIT_WEEK_SHARE * _weeks(workouts)
    usual = tuple(each for each in range(7) if weekdays.count(each) >= least)
    if usual:
        about = Statement(weekdays=usual)
        is_usual = [each in usual for each in weekdays]
        yield from _habit(evidence, "training_days", about, workouts, is_usual)


def _training_hour(evidence: Evidence) -> Iterator[Memory]:
    """The start that most workouts are near to, on the clock: midnight is near to 23:30."""
    workouts = _habit_window(evidence)
    if not workouts:
        return
    starts = [each.started_at.hour * 60 + each.started_at.minute for each in workouts]
    usual = min(
        range(0, _MINUTES_A_DAY, START_STEP_MIN),
        key=lambda minute: (
            -sum(_apart(each, minute) <= START_WITHIN_MIN for each in starts),
            sum(_apart(each, minute) for each in starts),
            minute,
        ),
    )
    is_usual = [_apart(each, usual) <= START_WITHIN_MIN for each in starts]
    about = Statement(start_minute=usual)
    yield from _habit(evidence, "training_hour", about, workouts, is_usual)


def _training_minutes(evidence: Evidence) -> Iterator[Memory]:
    """The median duration of the latest workouts."""
    known = [
        (each, each.minutes)
        for each in _habit_window(evidence)
        if each.minutes is not None and 0 < each.minutes <= LONGEST_WORKOUT_MIN
    ]
    if len(known) < HABIT_TIMES:
        return
    middle = median(minutes for _, minutes in known)
    usual = max(LENGTH_STEP_MIN, round(middle / LENGTH_STEP_MIN) * LENGTH_STEP_MIN)
    is_usual = [abs(minutes - usual) <= LENGTH_WITHIN_RATIO * usual for _, minutes in known]
    about = Statement(minutes=usual)
    workouts = [each for each, _ in known]
    yield from _habit(evidence, "training_minutes", about, workouts, is_usual)


def _habit_window(evidence: Evidence) -> list[TrainedWorkout]:
    """Return the latest workouts, oldest first, one a day; empty if they are too few for habits."""
    by_day: dict[date, TrainedWorkout] = {}
    for each in sorted(evidence.workouts, key=lambda each: (each.started_at, each.key)):
        by_day.setdefault(each.day, each)
    if not by_day:
        return []
    latest = max(by_day)
    found = [each for day, each in by_day.items() if (latest - day).days < HABIT_DAYS]
    is_enough = len(found) >= HABIT_TIMES and _weeks(found) >= HABIT_LEAST_WEEKS
    return found if is_enough else []


def _weeks(workouts: Sequence[TrainedWorkout]) -> int:
    """Return the begun weeks from the first to the last of these workouts."""
    return math.ceil(((workouts[-1].day - workouts[0].day).days + 1) / 7)


def _habit(
    evidence: Evidence,
    kind: Kind,
    statement: Statement,
    workouts: Sequence[TrainedWorkout],
    is_usual: Sequence[bool],
) -> Iterator[Memory]:
    if not any(is_usual):
        return
    sources = tuple(
        Source(
            mart="fct_workout",
            key=each.key,
            day=each.day,
            role="supports" if usual else "opposes",
        )
        for each, usual in zip(workouts, is_usual, strict=True)
    )
    yield Memory(
        athlete_id=evidence.athlete_id, kind=kind, subject="", statement=statement, sources=sources
    )


def _repeated(
    evidence: Evidence,
    kind: Kind,
    subject: str,
    statement: Statement,
    support: Iterable[Source],
    against: Iterable[Source] = (),
) -> Iterator[Memory]:
    """Yield a memory of the latest repetitions, if there are enough of them within the window.

    Rows against it count from the first of these repetitions.
    """
    kept = _latest_window(_one_a_day(support), REPEATED_TIMES, REPEATED_DAYS)
    if not kept:
        return
    opposed = [each for each in _one_a_day(against) if each.day >= kept[0].day]
    yield Memory(
        athlete_id=evidence.athlete_id,
        kind=kind,
        subject=subject,
        statement=statement,
        sources=_in_order([*kept, *opposed]),
    )


def _latest_window(sources: Sequence[Source], times: int, days: int) -> list[Source]:
    """Return the latest sources that repeat at least `times` within `days`; empty without such."""
    for end in reversed(range(len(sources))):
        kept = [each for each in sources[: end + 1] if (sources[end].day - each.day).days < days]
        if len(kept) >= times:
            return kept
    return []


def _planned_in_order(evidence: Evidence) -> list[PlannedExercise]:
    return sorted(evidence.planned, key=lambda each: (each.day, each.key))


def _days_with_pain(evidence: Evidence) -> frozenset[date]:
    return frozenset(each.day for each in evidence.pains)


def _planned_source(row: PlannedExercise, role: Role = "supports") -> Source:
    return Source(mart="fct_plan_compliance", key=row.key, day=row.day, role=role)


def _one_a_day(sources: Iterable[Source]) -> list[Source]:
    by_day: dict[date, Source] = {}
    for each in sorted(sources, key=lambda each: (each.day, each.key)):
        by_day.setdefault(each.day, each)
    return list(by_day.values())


def _in_order(sources: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(sorted(sources, key=lambda each: (each.day, each.mart, each.key)))


def _apart(minute: int, other: int) -> int:
    """Return the distance of two times of the day on the clock (min)."""
    distance = abs(minute - other)
    return min(distance, _MINUTES_A_DAY - distance)


def _grouped(rows: Iterable[T], key: Callable[[T], K]) -> Iterator[tuple[K, list[T]]]:
    """Yield the rows of each key, in their order."""
    for name, own in groupby(sorted(rows, key=key), key):
        yield name, list(own)
