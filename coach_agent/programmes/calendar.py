"""The calendar of a programme: the phase, sets and effort of each week, by day.

It is what a followed programme changes in plans; loads are progressed by the engine.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from coach_agent.domain.block import BlockCalendar, BlockDay, BlockExercise, Phase
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.programmes.first_weeks import first_weeks, weeks_of
from coach_agent.programmes.model import STAGE, Block, Programme, groups_of, is_skipped
from coach_agent.programmes.numbers import EASY_SHARE

_FIRST_WEEKS = 4


@dataclass(frozen=True)
class _Week:
    block: Block
    place: int


def calendar_of(programme: Programme, routine_ids: Mapping[str, str]) -> BlockCalendar:
    """Return the calendar of a programme; `routine_ids` are the routines by day.

    Days without a routine are left out. A programme ends with `ends`, or if its last block is an
    easy one; any other one goes on with its last block.
    """
    weeks = _weeks(programme)
    phases = tuple(_phases(weeks))
    goes_on = _goes_on(programme, phases)
    cycle_from = len(weeks) - programme.blocks[-1].weeks
    if goes_on and len(programme.blocks) == 1:
        cycle_from = 0
    return BlockCalendar(
        title=programme.title,
        phases=phases,
        cycle_from=cycle_from if goes_on else None,
        days=tuple(
            BlockDay(
                title=day,
                routine_id=routine_ids[day],
                exercises=tuple(_exercises(programme, day, first, weeks)),
            )
            for day, first in _first_week_by_day(programme).items()
            if day in routine_ids
        ),
    )


def length_of(programme: Programme) -> tuple[int, bool]:
    """Return the number of weeks of all blocks, and whether the last one goes on after them."""
    weeks = _weeks(programme)
    return len(weeks), _goes_on(programme, tuple(_phases(weeks)))


def sessions_of_week(programme: Programme, week: int, after: str | None = None) -> tuple[str, ...]:
    """Return the days of a week, from 0, in the order of training; those without sets are none.

    With `order = "rolling"` they follow the day `after`, which was trained last before the week.
    """
    block, place, _ = next(islice(weeks_of(programme), week, None))
    days = list(block.days)
    is_rolling = programme.order == "rolling" and after in days
    first = days.index(after) + 1 if is_rolling and after is not None else 0
    planned = [days[(first + turn) % len(days)] for turn in range(programme.days_per_week)]
    trained = {day for day in days if _trained(_Week(block, place), day)}
    return tuple(day for day in planned if day in trained)


def _goes_on(programme: Programme, phases: Sequence[Phase | None]) -> bool:
    return not programme.ends and phases[-1] != "deload"


def _weeks(programme: Programme) -> list[_Week]:
    count = sum(block.weeks * block.repeats for block in programme.blocks)
    return [_Week(block, place) for block, place, _ in islice(weeks_of(programme), count)]


def _phases(weeks: list[_Week]) -> Iterator[Phase | None]:
    """Yield the phase of each week: the stated one, or an easy week where loads and sets say so."""
    totals = [_total(week) for week in weeks]
    for week, total in zip(weeks, totals, strict=True):
        stated = week.block.phase_in(week.place)
        is_easy = week.block.is_held and total <= EASY_SHARE.value * max(totals)
        yield stated or ("deload" if is_easy else None)


def _total(week: _Week) -> int:
    """Return the working sets of all days of a week; those of stages do not count."""
    return sum(
        _count(week.block.sets_in(day, lift, week.place)) or 0
        for day, lifts in week.block.days.items()
        for lift in lifts
    )


def _count(sets: str) -> int | None:
    """Return the number of sets but drop sets; None for those of a stage, 0 for none."""
    if sets == STAGE:
        return None
    groups = () if is_skipped(sets) else groups_of(sets)
    return sum(group.count for group in groups if not group.is_drop)


def _first_week_by_day(programme: Programme) -> dict[str, int]:
    """Return the week, from 0, in which each day of the first block is trained first."""
    count = max(_FIRST_WEEKS, len(programme.blocks[0].days))
    found: dict[str, int] = {}
    for session in first_weeks(programme, {}, count):
        if session.exercises:
            found.setdefault(session.day, session.week - 1)
    return {day: found[day] for day in programme.blocks[0].days if day in found}


def _exercises(
    programme: Programme, day: str, first: int, weeks: list[_Week]
) -> Iterator[BlockExercise]:
    """Yield the exercises of a day that its routine was made with."""
    occurrences: Counter[str] = Counter()
    made_in = weeks[min(first, len(weeks) - 1)]
    for lift in made_in.block.days[day]:
        sets = made_in.block.sets_in(day, lift, made_in.place)
        if is_skipped(sets):
            continue
        title = programme.lifts[lift].exercise
        occurrences[title] += 1
        counts = tuple(_sets_in(week, day, lift, made_in) for week in weeks)
        yield BlockExercise(
            exercise_title=title,
            occurrence=occurrences[title],
            base=_count(sets) or 0,
            sets=counts,
            reserve=tuple(_reserve_in(week, day, lift) for week in weeks),
        )


def _sets_in(week: _Week, day: str, lift: str, made_in: _Week) -> int | None:
    """Return the sets in a week; None if they are a stage's, or not those of the routine.

    That is so if the block has other days, and if a lift that the routine lacks takes turns with
    this one: then both weeks are trained as the routine is.
    """
    if lift not in week.block.days.get(day, {}):
        return None
    count = _count(week.block.sets_in(day, lift, week.place))
    others = _trained(week, day) - _trained(made_in, day)
    return None if count == 0 and others else count


def _trained(week: _Week, day: str) -> set[str]:
    lifts = week.block.days[day]
    return {lift for lift in lifts if not is_skipped(week.block.sets_in(day, lift, week.place))}


def _reserve_in(week: _Week, day: str, lift: str) -> float | None:
    """Return the repetitions in reserve in a week: those of the lift's sets, or of the block.

    Sets of which some have a load in percent and some an effort have none.
    """
    if lift not in week.block.days.get(day, {}):
        return None
    sets = week.block.sets_in(day, lift, week.place)
    if sets == STAGE or is_skipped(sets):
        return None
    efforts = [
        group.rir if group.rir is not None else group.rpe and HIGHEST_RPE - group.rpe
        for group in groups_of(sets)
        if not group.is_drop
    ]
    if all(each is None for each in efforts):
        return week.block.reserve_in(week.place)
    stated = [each for each in efforts if each is not None]
    return min(stated) if len(stated) == len(efforts) else None
