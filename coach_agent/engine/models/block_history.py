"""The history of a block of sets: its credible attempts, and those of the next kind of day."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from coach_agent.domain.constants.loads import BODY_KG
from coach_agent.domain.constants.recovery import LAYOFF_HOLD_UNTIL
from coach_agent.domain.context import SameHistory, Slot
from coach_agent.engine.history.alternation import DayKind, kinds_of, next_day
from coach_agent.engine.history.attempts import (
    Answer,
    Attempt,
    Measure,
    attempts,
    is_after_break,
    scheme_attempts,
)
from coach_agent.engine.history.credible_loads import credible_loads
from coach_agent.engine.history.day_goals import Goal, goals_of_days
from coach_agent.engine.history.far_off import LoadKind
from coach_agent.engine.history.filter import CredibleAttempts, filter_outliers
from coach_agent.engine.history.odd_loads import hard_days
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.models.select import (
    LOAD_MODELS,
    SCHEME_MODELS,
    Block,
    Group,
    Model,
    Target,
    working_sets,
)
from coach_agent.profile.equipment import equipment_kind

# The places of a few routines; each is kept with its exposures.
_REMEMBERED = 256


# The others have the loads of a programme, of own steps, or of another set.
_WITH_DAYS: frozenset[Model] = frozenset(
    {"linear", "open", "double", "top_set", "rep_sum", "distance"}
)


def history(slot: Slot, sets: Group, block: Block) -> CredibleAttempts:
    """Return the exposures of the block's sets, and doubts about newer ones.

    Excludes other targets (5 repetitions with 100 kg are no failed 12) and probably mistyped loads.
    If only other targets were trained for as long as a break, the state of this one is unknown.
    """
    return _history(SameHistory(slot), _indexes(sets), block)


@lru_cache(maxsize=_REMEMBERED)
def _history(key: SameHistory, working: tuple[int, ...], block: Block) -> CredibleAttempts:
    slot, target = key.slot, block.target
    if target is None:
        return CredibleAttempts()
    loads, low, is_hard = load_kind(slot, block), target.low, hard_days(slot)
    has_bar = equipment_kind(slot.exercise_title, slot.equipment, slot.exercise_type) == "barbell"
    past = _attempts_of(slot, working, block)
    if (turn := _of_own_goal(past, slot, block, target)) is not None:
        day, own, other = turn
        believed = filter_outliers(own, low, loads, lambda _: None, is_hard, has_bar=has_bar)
        if believed.attempts:
            return replace(believed, day=day, other=other)
    found = _at_target(past, target)
    if found and found[0].at is not None:
        worked = (each.started_at for each in slot.exposures if not each.is_easy)
        latest = max(worked, default=found[0].at)
        if (latest - found[0].at).days > LAYOFF_HOLD_UNTIL.value:
            return CredibleAttempts()

    # A load that comes again each time is no typing error, however far it is from the others.
    if (turn := _of_one_day(found, slot, block, is_filtered=False)) is not None:
        day, own, other = turn
        believed = filter_outliers(own, low, loads, lambda _: None, is_hard, has_bar=has_bar)
        if believed.attempts:
            return replace(believed, day=day, other=other)
    highest = (lambda _: None) if loads is None else credible_loads(slot, loads)
    believed = filter_outliers(found, low, loads, highest, is_hard, has_bar=has_bar)
    if (turn := _of_one_day(believed.attempts, slot, block, is_filtered=True)) is None:
        return believed
    day, own, other = turn
    return replace(believed, attempts=own, day=day, other=other)


def _of_one_day(
    past: tuple[Attempt, ...], slot: Slot, block: Block, *, is_filtered: bool
) -> tuple[DayKind, tuple[Attempt, ...], tuple[Attempt, ...]] | None:
    """Return the kind of the next day, its attempts and those of other kinds; None if heavy and
    light days take no turns.

    A heavy load that was managed in no workout is no kind of day, but a load that is too heavy. No
    heavier day follows a light one that was missed. A break ends the alternation. A heavy day that
    was held back may be an error until the attempts are filtered.
    """
    target = block.target
    if block.model not in _WITH_DAYS or target is None:
        return None
    kinds = _kinds_of_days(past, slot)
    if not kinds or (None in kinds and not is_filtered):
        return None
    day, low = next_day(kinds), target.low or 1
    heavy = (each for kind, each in zip(kinds, past, strict=False) if kind == "heavy")
    if not any(_is_managed(each, low) for each in heavy):
        return None
    if day != "light" and not _is_managed(past[0], low):
        return None
    return day, *_split(kinds, past, day)


def next_goal(slot: Slot, sets: Group, block: Block) -> tuple[Goal, frozenset[Goal]] | None:
    """Return the repetitions of the next workout and those of all kinds, of days that take turns
    with their own; None if they do not.

    A light day that was missed comes again.
    """
    past = attempts_of(slot, sets, block)
    kinds, goals = _goals_of_days(past, slot, block)
    if not goals or kinds[0] is None:
        return None
    last, day = kinds[0], next_day(kinds)
    if day != "light" and not _is_managed(past[0], goals[last][0]):
        day = last
    return goals[day], frozenset(goals.values())


def _of_own_goal(
    past: tuple[Attempt, ...], slot: Slot, block: Block, target: Target
) -> tuple[DayKind, tuple[Attempt, ...], tuple[Attempt, ...]] | None:
    """Return the kind of day with this target, its attempts and those of other kinds, if days take
    turns with their own repetitions; None if they do not.
    """
    kinds, goals = _goals_of_days(past, slot, block)
    days = [day for day, goal in goals.items() if goal == (target.low, target.high)]
    if not days:
        return None
    day = next((each for each in (next_day(kinds), kinds[0]) if each in days), days[0])
    return day, *_split(kinds, past, day)


def _split(
    kinds: Sequence[DayKind | None], past: Sequence[Attempt], day: DayKind
) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...]]:
    """Return the attempts of a kind of day, and those of the others."""
    by_kind = list(zip(kinds, past, strict=False))
    own = tuple(each for kind, each in by_kind if kind == day)
    return own, tuple(each for kind, each in by_kind if kind != day)


def _goals_of_days(
    past: tuple[Attempt, ...], slot: Slot, block: Block
) -> tuple[tuple[DayKind | None, ...], Mapping[DayKind, Goal]]:
    """Return the kinds of days that take turns, and their goals; empty unless these differ."""
    kinds = _kinds_of_days(past, slot) if block.model in _WITH_DAYS else ()
    goals = goals_of_days(kinds, past)
    heavy = [each for kind, each in zip(kinds, past, strict=False) if kind == "heavy"]
    if not goals or not any(_is_managed(each, goals["heavy"][0]) for each in heavy):
        return kinds, {}
    return kinds, goals


def _kinds_of_days(past: tuple[Attempt, ...], slot: Slot) -> tuple[DayKind | None, ...]:
    """Return the kind of each attempt, newest first; empty if days took no turns without breaks."""
    if not all(each.loads for each in past):
        return ()
    body_kg = BODY_KG.value if slot.exercise_type in {ASSISTED, WEIGHTED} else 0.0
    kinds = kinds_of([body_kg + each.load for each in past])
    if any(is_after_break(after, [before]) for after, before in pairwise(past[: len(kinds)])):
        return ()
    return kinds


def _is_managed(attempt: Attempt, low: int) -> bool:
    return all((answer.reps or 0) >= low for answer in attempt.done)


def attempts_at_target(
    slot: Slot, sets: Group, block: Block, target: Target
) -> tuple[Attempt, ...]:
    """Return the attempts with this or an unknown planned target, newest first, credible or not."""
    return _at_target(attempts_of(slot, sets, block), target)


def load_kind(slot: Slot, block: Block) -> LoadKind | None:
    """Return the kind of the block's loads; None if it progresses without any."""
    if block.model not in LOAD_MODELS:
        return None
    return "part" if slot.exercise_type in {ASSISTED, WEIGHTED} else "whole"


def attempts_of(slot: Slot, sets: Group, block: Block) -> tuple[Attempt, ...]:
    """Return all attempts at the block's sets, newest first, measured as its model progresses."""
    return _attempts_of(slot, _indexes(sets), block)


def _attempts_of(slot: Slot, working: tuple[int, ...], block: Block) -> tuple[Attempt, ...]:
    if block.model in SCHEME_MODELS:
        return scheme_attempts(slot, is_wave=block.model == "training_max")
    measure: Measure = "distance" if block.model == "distance" else "reps"
    if block.model in LOAD_MODELS - {"distance"}:
        measure = "load"
    elif block.model == "timed":
        measure = "duration"
    return attempts(slot, working, block.set_indexes, measure)


def _indexes(sets: Group) -> tuple[int, ...]:
    """Return the indexes of the working sets."""
    return tuple(planned.set_index for planned in working_sets(sets))


def _at_target(found: Sequence[Attempt], target: Target) -> tuple[Attempt, ...]:
    return tuple(each for each in found if _may_have_target(each, target))


def _may_have_target(attempt: Attempt, target: Target) -> bool:
    """Return whether the range of that day's plan starts like this one, or is unknown."""
    return not target.is_routines or all(
        answer.planned_reps_low in {None, target.low} or _leads_to(answer, target)
        for answer in attempt.done
    )


def _leads_to(answer: Answer, target: Target) -> bool:
    """Return whether a range is below the target and ends with it: the way up to it."""
    low, high = answer.planned_reps_low, answer.planned_reps_high
    is_below = low is not None and target.low is not None and low < target.low
    return is_below and high is not None and high == target.low
