"""The week of the followed programme on a day, and its demands on a routine."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from coach_agent.domain.block import (
    BlockDay,
    BlockDemand,
    BlockExercise,
    BlockWeek,
    FollowedProgramme,
)
from coach_agent.domain.context import RoutineContext, SlotContext, TrainedRoutine
from coach_agent.domain.days import local_date
from coach_agent.domain.muscle_sets import set_credits
from coach_agent.domain.plan import Adjustment
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.language.messages import phrase
from coach_agent.planning.day_limits import Today, most_sets, most_weekly_sets
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.contexts import MOST_WORKOUTS

_WEEK = timedelta(weeks=1)
SAID_AFTER_END = timedelta(weeks=2)
"""Time after the end of a block in which its end is stated."""


@dataclass(frozen=True)
class BlockPlace:
    """The place of a day in a followed programme.

    `week` counts from 0 without the weeks off, `begins` is its first day; `is_over`: all weeks have
    passed.
    """

    week: int
    begins: date
    is_over: bool


def block_place(
    programme: FollowedProgramme, day: date, trained: Collection[date], *, may_wait: bool
) -> BlockPlace | None:
    """Return the place of a day in a programme; None before its start.

    Weeks have seven days from the start. A week without a workout of the programme (`trained`) does
    not count if the programme `may_wait`: the same week comes again. An easy week counts: rest is
    what it is for.
    """
    if day < programme.start:
        return None
    week, begins = 0, programme.start
    calendar = programme.calendar
    while calendar.place_of(week) is not None and begins + _WEEK <= day:
        is_done = not may_wait or calendar.phase_of(week) == "deload"
        if is_done or any(begins <= each < begins + _WEEK for each in trained):
            week += 1
        begins += _WEEK
    return BlockPlace(week, begins, calendar.place_of(week) is None)


def place_on(situation: Situation, profile: AthleteProfile, day: date) -> BlockPlace | None:
    """Return the place of a day in the athlete's programme; None without one, or before its start.

    Before an event a programme does not wait: the date of the event stays.
    """
    if situation.programme is None:
        return None
    return _place(situation.programme, situation.trained, profile, day)


def due_sessions(
    programme: FollowedProgramme | None,
    trained: Sequence[TrainedRoutine],
    profile: AthleteProfile,
    today: date,
) -> tuple[str, ...]:
    """Return the routines of the programme, the next one first: after the last one trained.

    Empty without a programme under way, and if the profile has an order or weekdays.
    """
    if programme is None or profile.routines or profile.weekdays:
        return ()
    place = _place(programme, trained, profile, today)
    if place is None or place.is_over:
        return ()
    order = tuple(day.routine_id for day in programme.calendar.days)
    done = [
        order.index(each.routine_id)
        for each in trained
        if each.routine_id in order
        and local_date(each.started_at, profile.timezone) >= programme.start
    ]
    first = done[-1] + 1 if done else 0
    return order[first:] + order[:first]


def _place(
    programme: FollowedProgramme,
    trained: Sequence[TrainedRoutine],
    profile: AthleteProfile,
    day: date,
) -> BlockPlace | None:
    event = profile.season.event_date
    may_wait = event is None or event < programme.start
    days = _trained_days(programme, trained, profile, day)
    return block_place(programme, day, days, may_wait=may_wait)


def _trained_days(
    programme: FollowedProgramme,
    trained: Sequence[TrainedRoutine],
    profile: AthleteProfile,
    day: date,
) -> set[date]:
    """Return the days with a workout of the programme.

    The oldest workouts are not known: before the first known one all weeks count as trained.
    """
    own = {each.routine_id for each in programme.calendar.days}
    days = {
        local_date(each.started_at, profile.timezone) for each in trained if each.routine_id in own
    }
    if len(trained) >= MOST_WORKOUTS:
        first = local_date(trained[0].started_at, profile.timezone)
        weeks = max(0, (min(first, day) - programme.start).days // 7 + 1)
        days |= {programme.start + number * _WEEK for number in range(weeks)}
    return days


def is_easy_week(situation: Situation, profile: AthleteProfile, day: date) -> bool:
    """Return whether a day is in an easy week of the programme."""
    place = place_on(situation, profile, day)
    if place is None or situation.programme is None:
        return False
    return situation.programme.calendar.phase_of(place.week) == "deload"


def has_easy_weeks(situation: Situation, profile: AthleteProfile) -> bool:
    """Return whether the programme is under way and plans its own easy weeks."""
    place = place_on(situation, profile, situation.today)
    if place is None or place.is_over or situation.programme is None:
        return False
    return "deload" in situation.programme.calendar.phases


def block_week(
    situation: Situation, profile: AthleteProfile, routine: RoutineContext
) -> BlockWeek | None:
    """Return the week of the programme for a routine; None for one that is not of it.

    None also before the start, after the end, and where the programme says nothing of weeks.
    """
    programme, place = situation.programme, place_on(situation, profile, situation.today)
    if programme is None or place is None or place.is_over:
        return None
    calendar = programme.calendar
    at, day = calendar.place_of(place.week), calendar.day_of(routine.routine_id)
    if at is None or day is None:
        return None
    demands = tuple(_demands(day, at, routine))
    if len(calendar.phases) == 1 and calendar.phases[0] is None and not any(map(_is_any, demands)):
        return None
    return BlockWeek(
        programme_id=programme.programme_id,
        programme_title=calendar.title,
        week=at + 1,
        weeks=len(calendar.phases),
        phase=calendar.phases[at],
        demands=demands,
    )


def _is_any(demand: BlockDemand) -> bool:
    return bool(demand.change or demand.is_left_out or demand.reserve is not None)


def _demands(day: BlockDay, at: int, routine: RoutineContext) -> list[BlockDemand]:
    """Return the demands on the exercises that the routine still has; others are the athlete's."""
    known = {
        (normalize_title(each.exercise_title), each.occurrence): each for each in day.exercises
    }
    found = []
    for slot in routine.slots:
        planned = known.get(_key(slot))
        if planned is None:
            continue
        sets = planned.sets[at]
        found.append(
            BlockDemand(
                exercise_title=slot.exercise_title,
                occurrence=slot.occurrence,
                change=0 if not sets else sets - planned.base,
                is_left_out=sets == 0,
                reserve=planned.reserve[at],
            )
        )
    return found


def _key(exercise: BlockExercise | SlotContext) -> tuple[str, int]:
    return normalize_title(exercise.exercise_title), exercise.occurrence


def within_volume(
    week: BlockWeek, routine: RoutineContext, today: Today, max_change_pct: float
) -> BlockWeek:
    """Return the week with as many added sets as the limits of an exercise and of a week allow.

    The sets of the routine are always allowed. Added sets are given to the exercises in their
    order, one at a time.
    """
    slots = {(slot.exercise_title, slot.occurrence): slot for slot in routine.slots}
    wanted = {(each.exercise_title, each.occurrence): each for each in week.demands}
    counts = {
        key: _count(slot) + min(0, wanted[key].change if key in wanted else 0)
        for key, slot in slots.items()
    }
    added = dict.fromkeys(slots, 0)
    for _ in range(max((each.change for each in week.demands), default=0)):
        for key, demand in wanted.items():
            whole = _count(slots[key])
            if added[key] >= demand.change or whole + added[key] >= most_sets(whole):
                continue
            if _fits(slots, counts, slots[key], today, max_change_pct):
                added[key] += 1
                counts[key] += 1
    demands = tuple(
        each.model_copy(update={"change": added[each.exercise_title, each.occurrence]})
        if each.change > 0
        else each
        for each in week.demands
    )
    return week.model_copy(update={"demands": demands})


def _fits(
    slots: Mapping[tuple[str, int], SlotContext],
    counts: Mapping[tuple[str, int], int],
    grown: SlotContext,
    today: Today,
    max_change_pct: float,
) -> bool:
    """Return whether another set of an exercise keeps the weekly sets of its muscles in limits."""
    for group, credit in set_credits(grown.primary_muscle_group, grown.secondary_muscle_groups):
        weeks = today.weeks.get(group)
        if not weeks:
            continue
        planned = credit + sum(
            count * share
            for key, count in counts.items()
            for slot in (slots[key],)
            for muscle, share in set_credits(
                slot.primary_muscle_group, slot.secondary_muscle_groups
            )
            if muscle == group
        )
        if today.this_week.get(group, 0.0) + planned > most_weekly_sets(weeks, max_change_pct):
            return False
    return True


def _count(slot: SlotContext) -> int:
    return sum(each.set_type in WORKING_TYPES for each in slot.planned_sets)


def end_of_block(situation: Situation, profile: AthleteProfile) -> Adjustment | None:
    """Return the sentence that the programme is over, for two weeks; None otherwise."""
    place, programme = place_on(situation, profile, situation.today), situation.programme
    if programme is None or place is None or not place.is_over:
        return None
    if situation.today >= place.begins + SAID_AFTER_END:
        return None
    count = len(programme.calendar.phases)
    return Adjustment(
        rule="block_over",
        text=phrase("block-over", title=programme.calendar.title, weeks=count, name=programme.name),
    )
