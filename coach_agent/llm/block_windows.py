"""Windows of allowed choices for the sets of one exercise, around the engine's proposal.

Loads are kg, as in a plan; assistance is its amount. Every corner of a window passes the guardrails
before it is offered.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import floor

from coach_agent.domain.constants.planning import (
    LLM_LIGHTER,
    LLM_LIGHTER_STEPS,
    LLM_REPS,
    LLM_TOLERANCE_VOLUME,
)
from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES, Attempt
from coach_agent.engine.loads.increments import ASSISTED, timed_step_s
from coach_agent.engine.loads.ladder import Ladder, ladder_for, load_of
from coach_agent.engine.models.block_history import history
from coach_agent.engine.models.moves import may_manage
from coach_agent.engine.models.select import Block, Model
from coach_agent.llm.choices import Option, Pick, apply_picks, proposed_pick
from coach_agent.planning.day_limits import Today
from coach_agent.planning.guardrails import violations
from coach_agent.profile.model import AthleteProfile

# Models that derive their sets from one load and its repetitions. Top sets with back-offs, waves,
# stages and custom steps are programmes: their numbers depend on each other, and the athlete chose
# them.
_FREE: frozenset[Model] = frozenset({"linear", "open", "double", "reps", "reps_range", "timed"})
_WITH_LOAD: frozenset[Model] = frozenset({"linear", "open", "double"})
_IN_A_RANGE: frozenset[Model] = frozenset({"double", "reps", "reps_range"})
_SHARE = LLM_TOLERANCE_VOLUME.value / 100
_FEWER, _MORE = LLM_REPS.value


@dataclass(frozen=True)
class BlockWindow:
    """Working sets that share a load, and the allowed choices for them.

    `set_indexes` are theirs in the proposal. `loads_kg` is ascending and includes the proposed one;
    empty without a load. `counts` has the minimum and maximum repetitions per set, or seconds if
    `is_timed`; empty without a count. An added set equals the last one.
    """

    set_indexes: tuple[int, ...]
    proposed: Pick
    loads_kg: tuple[float, ...]
    counts: tuple[tuple[int, int], ...]
    is_timed: bool
    least_sets: int
    most_sets: int

    @property
    def is_exact(self) -> bool:
        """True if only the proposal is allowed."""
        return self == exact(self.set_indexes, self.proposed, is_timed=self.is_timed)

    def range_at(self, place: int) -> tuple[int, int]:
        """Return the minimum and maximum repetitions or seconds of the set at this place, from
        0.
        """
        return self.counts[min(place, len(self.counts) - 1)]


def exact(set_indexes: tuple[int, ...], pick: Pick, *, is_timed: bool) -> BlockWindow:
    """Build the window that only allows the proposal."""
    return BlockWindow(
        set_indexes=set_indexes,
        proposed=pick,
        loads_kg=() if pick.load_kg is None else (pick.load_kg,),
        counts=tuple((count, count) for count in pick.counts),
        is_timed=is_timed,
        least_sets=pick.sets,
        most_sets=pick.sets,
    )


def block_windows(
    option: Option,
    plan: Plan,
    routine: RoutineContext,
    profile: AthleteProfile,
    today: Today,
    *,
    is_free: bool,
) -> tuple[BlockWindow, ...]:
    """Return the windows of an exercise; each corner passes the guardrails."""
    fixed = tuple(_runs(option))
    block = _free_block(option, fixed)
    if not is_free or block is None:
        return fixed

    def passes(window: BlockWindow) -> bool:
        return all(
            not violations(*alone(apply_picks(option, [pick])), profile, today)
            for pick in _corners(window)
        )

    def alone(slot: SlotPrescription) -> tuple[Plan, RoutineContext]:
        return (
            plan.model_copy(update={"slots": (slot,)}),
            routine.model_copy(update={"slots": (option.slot,)}),
        )

    around = _around(fixed[0], option, block, today)
    for window in (around, without_added_sets(around)):
        loads = [load for load in window.loads_kg if passes(replace(window, loads_kg=(load,)))]
        has_proposed = not window.loads_kg or window.proposed.load_kg in loads
        window = replace(window, loads_kg=tuple(loads))
        if has_proposed and passes(window):
            return (window,)
    return fixed


def _runs(option: Option) -> Iterator[BlockWindow]:
    """Yield the working sets in order, grouped by load."""
    working = [each for each in option.proposal.sets if each.set_type in WORKING_TYPES]
    timed = {index for each in option.slot_input.blocks for index in _indexes_if(each, "timed")}
    for _, run in groupby(working, key=lambda each: (each.weight_kg, _has_count(each, timed))):
        sets = tuple(run)
        indexes = tuple(each.set_index for each in sets)
        yield exact(indexes, proposed_pick(sets, timed), is_timed=indexes[0] in timed)


def _indexes_if(block: Block, model: Model) -> tuple[int, ...]:
    return block.set_indexes if block.model == model else ()


def _has_count(planned: SetPrescription, timed: set[int]) -> bool:
    value = planned.duration_s if planned.set_index in timed else planned.reps
    return value is not None


def _free_block(option: Option, runs: tuple[BlockWindow, ...]) -> Block | None:
    """Return the block with free choices; None if the numbers depend on each other or are fixed."""
    blocks = option.slot_input.blocks
    if len(runs) != 1 or len(blocks) != 1 or blocks[0].model not in _FREE:
        return None
    own = {each.set_index: each for each in option.slot_input.sets}
    has_own_ranges = all(
        each.set_index in own
        and (each.rep_range_start, each.rep_range_end)
        == (own[each.set_index].rep_range_start, own[each.set_index].rep_range_end)
        for each in option.proposal.sets
    )
    return blocks[0] if has_own_ranges else None


def _around(window: BlockWindow, option: Option, block: Block, today: Today) -> BlockWindow:
    """Return the candidate choices around the proposal, before the guardrails."""
    may_rise = _may_rise(option, today)
    counts = window.counts
    if block.model == "timed":
        steps = [(most, timed_step_s(most)) for _, most in counts]
        counts = tuple(
            (min(most, max(1, most - _FEWER * step)), most + step * may_rise)
            for most, step in steps
        )
    elif block.model in _IN_A_RANGE and block.target is not None:
        low, high = block.target.low or 1, block.target.high
        if all(low <= count and (high is None or count <= high) for count, _ in counts):
            counts = tuple(
                (max(low, count - _FEWER), min(count + _MORE * may_rise, high or count + _MORE))
                for count, _ in counts
            )
    loads = window.loads_kg
    if block.model in _WITH_LOAD and window.proposed.load_kg is not None:
        loads = tuple(_loads(window, option, block, today, may_rise=may_rise))
    is_at_end = option.proposal.sets[-1].set_index == window.set_indexes[-1]
    count = window.proposed.sets
    change = max(1, floor(_SHARE * count))
    is_whole = len(option.proposal.sets) == len(option.proposal.structure)
    may_grow = may_rise and is_whole and is_at_end and today.circumstances.minutes is None
    return replace(
        window,
        loads_kg=loads,
        counts=counts,
        least_sets=max(1, count - change) if is_at_end else count,
        most_sets=count + change if may_grow else count,
    )


def _may_rise(option: Option, today: Today) -> bool:
    """Return whether more than the proposal is allowed: it rises itself and no limit holds it."""
    slot = option.proposal
    reductions = [each for each in slot.adjustments if not each.is_remark]
    held = reductions or slot.limits or slot.stall or slot.is_easy
    circumstances = today.circumstances
    is_held_today = circumstances.readiness or circumstances.deload or circumstances.is_taper
    return slot.direction == "up" and not held and not is_held_today


def _needs_less(option: Option, today: Today) -> bool:
    """Return whether pain, fatigue or a stall justifies less than the engine's own reduction."""
    slot = option.proposal
    hurts = any(each.rule.startswith("pain_") and not each.is_remark for each in slot.adjustments)
    return not slot.is_easy and bool(hurts or slot.stall or today.circumstances.readiness)


def _loads(
    window: BlockWindow, option: Option, block: Block, today: Today, *, may_rise: bool
) -> Iterator[float]:
    """Yield the available loads around the proposed one, ascending as amounts."""
    kind = option.slot.exercise_type
    load = load_of(kind, window.proposed.load_kg)
    past = history(option.slot_input, option.slot_input.sets, block).attempts
    if load is None or not past:
        yield from window.loads_kg
        return
    ladder = ladder_for(option.slot_input, option.rules, past[0].load)
    # The last load may always be repeated.
    again = ladder.existing(past[0].load)
    found = {load, *([again] if again < load else [])}
    found |= {*_lighter(load, ladder, is_needed=_needs_less(option, today))}
    above = ladder.loads.next_above(load)
    is_allowed = above is not None and above <= ladder.highest_from(past[0].load)
    if (
        may_rise
        and above is not None
        and is_allowed
        and _looks_possible(above, past[0], window, option)
    ):
        found.add(above)
    yield from sorted(abs(each) for each in found)


def _lighter(load: float, ladder: Ladder, *, is_needed: bool) -> Iterator[float]:
    """Yield one small step down; if needed, that step at any size, and further ones."""
    least = load - abs(load) * LLM_LIGHTER.value / 100
    below: float | None = load
    for step in range(LLM_LIGHTER_STEPS.value if is_needed else 1):
        below = None if below is None else ladder.loads.next_below(below)
        if below is None or not (below >= least or (is_needed and not step)):
            return
        yield below


def _looks_possible(load: float, last: Attempt, window: BlockWindow, option: Option) -> bool:
    """Return whether a set of the last time proves the target of each set with a heavier load."""
    if option.slot.exercise_type == ASSISTED:
        return False
    goals = [
        each.rep_range_start or each.reps or 1
        for each in option.proposal.sets
        if each.set_index in window.set_indexes
    ]
    return all(may_manage(last, load, goal, needs_proof=True) for goal in goals)


def _corners(window: BlockWindow) -> Iterator[Pick]:
    """Yield the extremes of a window; the choices between them are also valid."""
    loads: tuple[float | None, ...] = window.loads_kg or (None,)
    for load, end, sets in product(loads, (0, 1), {window.least_sets, window.most_sets}):
        places = range(sets) if window.counts else ()
        yield Pick(load, tuple(window.range_at(place)[end] for place in places), sets)


def without_added_sets(window: BlockWindow) -> BlockWindow:
    """Return the window without added sets."""
    return replace(window, most_sets=min(window.most_sets, window.proposed.sets))
