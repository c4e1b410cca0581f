"""Check of the current week of a followed programme against what was done and what is in Hevy.

Verdicts are judgements of this project on the sources of `numbers`: weekly sets by muscle decide,
not the order of the sessions. Sets of a muscle count as in `weekly_volume`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil

from coach_agent.domain.block import BlockCalendar, BlockDay, BlockExercise
from coach_agent.domain.constants.recovery import DELOAD_LOAD_FACTOR, DELOAD_SETS_FACTOR
from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.numbers import EASY_SHARE, HARD_DAY_GAP, HARD_DAY_SETS
from coach_agent.programmes.week_edits import edits_of_routine
from coach_agent.programmes.week_findings import (
    Finding,
    MuscleWeekEffect,
    Verdict,
    WeekCheck,
    WeekOutline,
)
from coach_agent.programmes.week_input import (
    VERDICTS,
    Placed,
    Sets,
    WeekInput,
    exercise_of,
    is_easy_week,
    muscles_of,
)
from coach_agent.programmes.weekly_volume import credits_of

_FAR_ABOVE = 1.2
"""Share of the upper end of the range from which more sets are advised against."""


def check_week(given: WeekInput) -> WeekCheck:
    """Check the week of a followed programme."""
    done = _done_days(given)
    remaining = _without(given.sessions, done)
    effects = _effects(given, remaining)
    findings = list(_about_sessions(given, done, remaining))
    for day in given.calendar.days:
        findings += edits_of_routine(given, day, effects)
    findings += _about_workouts(given, remaining)
    verdicts = [*(each.verdict for each in findings), *(each.verdict for each in effects)]
    return WeekCheck(
        programme=given.calendar.title,
        week=given.place + 1,
        weeks=len(given.calendar.phases),
        begins=given.begins,
        ends=given.ends,
        verdict=max(verdicts, key=VERDICTS.index, default="fine"),
        done=tuple(done),
        remaining=tuple(remaining),
        findings=tuple(findings),
        muscles=tuple(effects),
    )


def outline_week(calendar: BlockCalendar, place: int, sessions: Sequence[str]) -> WeekOutline:
    """Return the outline of a week of a calendar, from 0, with these days as its sessions."""
    days = {day.title: day for day in calendar.days}
    own = [each for title in sessions if title in days for each in days[title].exercises]
    counts = [_sets_at(calendar, place, each) for each in own]
    reserves = [
        reserve
        for each, count in zip(own, counts, strict=True)
        if count and (reserve := each.reserve[place]) is not None
    ]
    return WeekOutline(
        phase=calendar.phases[place],
        sets=sum(counts) if days.keys() >= set(sessions) else None,
        least_reserve=min(reserves, default=None),
        most_reserve=max(reserves, default=None),
        load_ratio=DELOAD_LOAD_FACTOR.value if is_easy_week(calendar, place) else None,
    )


def _done_days(given: WeekInput) -> list[str]:
    titles = {day.routine_id: day.title for day in given.calendar.days}
    workouts = sorted(given.workouts, key=lambda each: each.day)
    return [titles[each.routine_id] for each in workouts if each.routine_id in titles]


def _without(sessions: Sequence[str], done: Sequence[str]) -> list[str]:
    left = Counter(done)
    remaining = []
    for day in sessions:
        if left[day]:
            left[day] -= 1
        else:
            remaining.append(day)
    return remaining


def _planned_sets(given: WeekInput, exercise: BlockExercise) -> int:
    """Return the sets of an exercise in this week, as the programme has them."""
    return _sets_at(given.calendar, given.place, exercise)


def _sets_at(calendar: BlockCalendar, place: int, exercise: BlockExercise) -> int:
    stated = exercise.sets[place]
    sets = exercise.base if stated is None else stated
    return min(sets, _easy(exercise.base)) if is_easy_week(calendar, place) else sets


def _easy(sets: int) -> int:
    return ceil(sets * DELOAD_SETS_FACTOR.value)


def _by_programme(given: WeekInput, day: BlockDay) -> Sets:
    found: Counter[str] = Counter()
    for each in day.exercises:
        found[each.exercise_title] += _planned_sets(given, each)
    return found


def _by_routine(given: WeekInput, day: BlockDay) -> Sets:
    """Return the sets that the routine in Hevy will have this week, with the athlete's edits."""
    known = {_key(each): each for each in day.exercises}
    found: Counter[str] = Counter()
    for each in given.routines.get(day.routine_id, ()):
        planned = known.get(_key(each))
        change = 0 if planned is None else _planned_sets(given, planned) - planned.base
        sets = _easy(each.sets) if given.is_easy else max(1, each.sets + change)
        if planned is not None and planned.sets[given.place] == 0:
            sets = 0
        found[each.exercise_title] += sets
    return found


def _key(exercise: Placed) -> tuple[str, int]:
    return normalize_title(exercise.exercise_title), exercise.occurrence


def _total(given: WeekInput, parts: Sequence[Sets]) -> dict[str, float]:
    summed: Counter[str] = Counter()
    for part in parts:
        summed.update(part)
    return muscles_of(given, summed)


def _effects(given: WeekInput, remaining: Sequence[str]) -> list[MuscleWeekEffect]:
    days = [day for title in given.sessions if (day := given.day(title)) is not None]
    left = [day for title in remaining if (day := given.day(title)) is not None]
    planned = _total(given, [_by_programme(given, day) for day in days])
    done = _total(given, [each.sets for each in given.workouts])
    to_come = _total(given, [_by_routine(given, day) for day in left])
    effects = []
    for muscle in sorted({*planned, *done, *to_come}):
        expected = done.get(muscle, 0.0) + to_come.get(muscle, 0.0)
        effects.append(
            MuscleWeekEffect(
                muscle=muscle,
                planned=round(planned.get(muscle, 0.0), 1),
                done=round(done.get(muscle, 0.0), 1),
                expected=round(expected, 1),
                low=given.low,
                high=given.high,
                verdict=_verdict(given, planned.get(muscle, 0.0), expected),
            )
        )
    return effects


def _verdict(given: WeekInput, planned: float, expected: float) -> Verdict:
    """Return the verdict on the sets of a muscle; the programme's own number is always fine."""
    if expected > planned and expected > given.high * _FAR_ABOVE:
        return "advise_against"
    if expected > planned and expected > given.high:
        return "caution"
    is_short = expected < min(planned, given.low)
    return "caution" if is_short and not given.is_easy else "fine"


def _about_sessions(
    given: WeekInput, done: Sequence[str], remaining: Sequence[str]
) -> Iterator[Finding]:
    last = max((given.sessions.index(day) for day in done if day in given.sessions), default=0)
    for day in dict.fromkeys(given.sessions[:last]):
        if day in remaining:
            yield Finding(
                kind="moved",
                verdict="fine",
                subject=day,
                text=f"{day} was passed over. The order does not matter: do it next.",
                action="move",
            )
    yield from _too_close(given, remaining)
    is_done_today = any(each.day == given.today and each.routine_id for each in given.workouts)
    days_left = max(0, (given.ends - given.today).days + 1 - is_done_today)
    yield from _surplus(given, remaining, len(remaining) - days_left)


def _too_close(given: WeekInput, remaining: Sequence[str]) -> Iterator[Finding]:
    """Yield the next session if it works a muscle hard that was worked hard just before."""
    day = given.day(remaining[0]) if remaining else None
    latest = max(given.workouts, key=lambda each: each.day, default=None)
    if day is None or latest is None or given.is_easy:
        return
    gap = (given.today - latest.day).days
    both = _hard(given, latest.sets) & _hard(given, _by_routine(given, day))
    if gap >= HARD_DAY_GAP.value or not both:
        return
    muscles = " and ".join(sorted(each.replace("_", " ") for each in both))
    when = "today" if gap == 0 else "yesterday"
    yield Finding(
        kind="too_close",
        verdict="advise_against" if gap == 0 else "caution",
        subject=day.title,
        text=f"{day.title} hits {muscles} hard, and so did the workout of {when}. Wait a day.",
        action="move",
    )


def _hard(given: WeekInput, sets: Sets) -> set[str]:
    """Return the muscles with many direct sets."""
    found: Counter[str] = Counter()
    for title, count in sets.items():
        exercise = exercise_of(given, title)
        for muscle, credit in ({} if exercise is None else credits_of(exercise)).items():
            found[muscle] += count if credit == 1 else 0
    return {muscle for muscle, count in found.items() if count >= HARD_DAY_SETS.value}


def _surplus(given: WeekInput, remaining: Sequence[str], count: int) -> Iterator[Finding]:
    """Yield the sessions for which no day is left: those that the week misses least."""
    left = list(remaining)
    for _ in range(max(0, count)):
        day, short = min(
            ((each, _short_without(given, left, each)) for each in reversed(left)),
            key=lambda pair: sum(pair[1].values()),
        )
        left.remove(day)
        if not short:
            text = f"No day is left for {day}, and the week has enough without it. Drop it."
            yield Finding(kind="skipped", verdict="fine", subject=day, text=text, action="drop")
            continue
        muscle = max(short, key=lambda each: (short[each], each))
        missing = f"{muscle.replace('_', ' ')} is {short[muscle]:g} sets short without it"
        if not left:
            text = f"No day is left for {day}: {missing}. Go on with the next week."
            yield Finding(kind="skipped", verdict="caution", subject=day, text=text, action="drop")
            continue
        lift = _best_for(given, day, muscle)
        text = f"No day is left for {day}: {missing}. Add {lift} to {left[0]}."
        yield Finding(kind="skipped", verdict="caution", subject=day, text=text, action="merge")


def _short_without(given: WeekInput, left: Sequence[str], day: str) -> dict[str, float]:
    kept = list(left)
    kept.remove(day)
    return _short(given, kept)


def _short(given: WeekInput, left: Sequence[str]) -> dict[str, float]:
    """Return the missing sets by muscle after these sessions, below programme and range."""
    return {
        each.muscle: round(min(each.planned, each.low) - each.expected, 1)
        for each in _effects(given, left)
        if each.verdict != "fine" and each.expected < min(each.planned, each.low)
    }


def _best_for(given: WeekInput, title: str, muscle: str) -> str:
    """Return the exercise of a day with most sets for a muscle, the earlier one of equals."""
    day = given.day(title)
    sets = {} if day is None else _by_routine(given, day)
    return max(
        sets,
        key=lambda each: muscles_of(given, {each: sets[each]}).get(muscle, 0.0),
        default="its first exercise",
    )


def _about_workouts(given: WeekInput, remaining: Sequence[str]) -> Iterator[Finding]:
    """Yield the workouts of the week with far fewer sets than planned."""
    days = {day.routine_id: day for day in given.calendar.days}
    for workout in sorted(given.workouts, key=lambda each: each.day):
        day = days.get(workout.routine_id or "")
        if day is None:
            continue
        planned, done = sum(_by_programme(given, day).values()), sum(workout.sets.values())
        if not planned or done > EASY_SHARE.value * planned:
            continue
        own = muscles_of(given, _by_programme(given, day))
        short = {each: sets for each, sets in _short(given, remaining).items() if each in own}
        text = f"{day.title} had {done} of {planned} sets."
        if short:
            muscle = max(short, key=lambda each: (short[each], each))
            more = f"{short[muscle]:g} sets of {muscle.replace('_', ' ')}"
            text = f"{text} Add {more} in another session."
        else:
            text = f"{text} The week has enough. Go on."
        yield Finding(
            kind="shortened",
            verdict="caution" if short else "fine",
            subject=day.title,
            text=text,
            action="merge" if short else "go_on",
        )
