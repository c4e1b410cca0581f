"""Decisions of the history for each block of an exercise, after breaks and stalls."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import floor

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.e1rm import epley_max, epley_reps
from coach_agent.domain.values import SameObjects
from coach_agent.engine.forecast.stall import is_at_limit
from coach_agent.engine.history.alternation import DayKind
from coach_agent.engine.history.attempts import load_half_noted
from coach_agent.engine.history.breaks import return_after_break
from coach_agent.engine.history.far_off import is_far_below
from coach_agent.engine.history.filter import CredibleAttempts
from coach_agent.engine.limits.apply import hold_while_stalled
from coach_agent.engine.limits.block_past import BlockPast
from coach_agent.engine.limits.programme_week import fit_to_reserve
from coach_agent.engine.limits.ramp_back import apply_ramp_back
from coach_agent.engine.limits.tested_max import limit_to_tested_max
from coach_agent.engine.loads.ladder import body_kg_of, ladder_for
from coach_agent.engine.models.block import BlockDecision, ReasonCode
from coach_agent.engine.models.block_history import history, load_kind
from coach_agent.engine.models.dispatch import decisions_for
from coach_agent.engine.models.select import SCHEME_MODELS, Block, Model, working_sets
from coach_agent.engine.models.slots import SlotInput
from coach_agent.language.messages import current_language, phrase
from coach_agent.profile.model import Rules

_SAME_KG = LOAD_TOLERANCE.value
# The places of a routine.
_REMEMBERED = 64

Decided = tuple[Mapping[Block, BlockDecision | None], Mapping[Block, BlockPast]]
"""The decision of each block, None if its targets stay, and the last state of decided blocks."""

# The others have repetitions of a programme, of own steps, or of another set.
_WITH_GOALS: frozenset[Model] = frozenset({"linear", "double", "top_set"})

_DAY_CODES: Mapping[DayKind, ReasonCode] = {
    "heavy": "heavy_day",
    "medium": "medium_day",
    "light": "light_day",
}


def decisions_of(slot: SlotInput, rules: Rules) -> Decided:
    """Return the history's decisions after breaks and stalls, and the last state of decided
    blocks.
    """
    # The groups of a slot and its prescription need the same decisions.
    return _decided(SameObjects(slot, rules), current_language())


@lru_cache(maxsize=_REMEMBERED)
def _decided(same: SameObjects, _language: str) -> Decided:
    slot, rules = same.held
    decisions: dict[Block, BlockDecision | None] = {}
    pasts: dict[Block, BlockPast] = {}
    found = {block: history(slot, slot.sets, block) for block in slot.blocks}
    for block, decision in decisions_for(slot, rules, found).items():
        if decision is not None:
            past = pasts[block] = _past(slot, block, found[block], rules)
            decision = _make_up_for_rack(decision, past, block.model)
            decision = apply_ramp_back(decision, past)
            decision = hold_while_stalled(decision, past, slot.stall)
            decision = limit_to_tested_max(decision, past, slot.tested_max_kg, slot.exposures)
            decision = fit_to_reserve(decision, past, block.model, slot.reserve)
            decision = _with_day(decision, found[block].day)
        decisions[block] = decision
    return decisions, pasts


def _make_up_for_rack(decision: BlockDecision, past: BlockPast, model: Model) -> BlockDecision:
    """Return the decision with more repetitions if the gym has no load near the last one.

    They are as hard as those done, up to `e1rm.hard_max_reps_eff`: above it an estimate is none.
    """
    ladder, last, goals, load = past.ladder, past.last, decision.reps, decision.load
    if (
        "load_unavailable" not in decision.codes
        or model not in _WITH_GOALS
        or not load
        or not goals
    ):
        return decision
    fewest = min(answer.reps or 0 for answer in last.done)
    is_far = ladder and ladder.is_whole_load and load < FLOOR_LOAD.value * last.load
    if not is_far or not fewest:
        return decision
    as_hard = floor(epley_reps(epley_max(last.load, fewest), load))
    most = min(as_hard, floor(E1RM_HARD_MAX_REPS.value))
    if most <= max(goals):
        return decision
    codes = (*decision.codes, "add_reps")
    reason = f"{decision.reason} {phrase('reason-made-up', count=most)}"
    return replace(decision, codes=codes, reason=reason, widened=(most,) * len(goals))


def _with_day(decision: BlockDecision, day: DayKind | None) -> BlockDecision:
    """Return the decision, with the kind of day if heavy and light ones take turns."""
    if day is None:
        return decision
    return replace(decision, codes=(*decision.codes, _DAY_CODES[day]))


def _past(slot: SlotInput, block: Block, found: CredibleAttempts, rules: Rules) -> BlockPast:
    """Return the last state of a block with a decision.

    Limits of a day go from what was lifted. So that is the newest attempt with a repetition,
    unless the load that failed after it was lighter.
    """
    past = found.attempts
    last = next((each for each in past if each.is_lifted), past[0])
    if last.loads and past[0].loads and last.load > past[0].load:
        last = past[0]
    held = found.held if last is past[0] else last
    low = None if block.target is None else block.target.low
    high = None if block.target is None else block.target.high
    loaded = [each for each in past if any(answer.load is not None for answer in each.done)]
    if not loaded or loaded[0] is not past[0]:
        return BlockPast(last, held, None, low, high)
    loads = [attempt.load for attempt in loaded]
    top = high or low or 1
    reached = [
        attempt.is_complete and all((answer.reps or 0) >= top for answer in attempt.done)
        for attempt in loaded[:2]
    ]
    # A typing error is no lower level; one that is odd, but possible, may be.
    newer = [each.load for each in found.doubts if each.load and each.usual is not None]
    if last.at is not None and block.model not in SCHEME_MODELS:
        working = [each.set_index for each in working_sets(slot.sets)]
        beside = load_half_noted(slot, working, block.set_indexes, last.at)
        kind = load_kind(slot, block)
        if beside is not None and not (kind and is_far_below(beside, last.load, kind)):
            newer.append(beside)
    return BlockPast(
        last,
        held,
        ladder_for(slot, rules, last.load),
        low,
        high,
        # Days that take turns have no break, but more time between those of one kind.
        ramp_back=None if found.day else return_after_break(loaded, body_kg_of(slot, rules)),
        is_mastered=len(loaded) > 1 and all(reached) and abs(loads[0] - loads[1]) <= _SAME_KG,
        is_at_limit=is_at_limit(slot),
        is_below_best=max(loads) > last.load + _SAME_KG,
        is_programme=block.model in SCHEME_MODELS,
        single_loads=tuple(
            each.load for each in loaded[1:] if all(answer.reps == 1 for answer in each.done)
        ),
        newer_load=min(newer, default=None),
    )
