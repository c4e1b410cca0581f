"""Dispatch of a block to its progression model."""

from collections.abc import Mapping
from dataclasses import replace

from coach_agent.domain.constants.progression import (
    BACKOFF_FACTOR,
    GZCLP_STAGES,
    TM_CYCLE_LOWER,
    TM_CYCLE_UPPER,
    TM_WAVE,
    TOP_RPE,
)
from coach_agent.domain.constants.recovery import LAYOFF_HOLD_UNTIL
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.explain.reasons import SetNames
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.history.filter import CredibleAttempts
from coach_agent.engine.loads.increments import WEIGHTED, customary_kg, is_lower_body
from coach_agent.engine.loads.ladder import Ladder, ladder_for
from coach_agent.engine.models.block import BlockDecision, BlockHistory
from coach_agent.engine.models.bodyweight import open_reps, reps_in_range, time_progression
from coach_agent.engine.models.custom_steps import apply_custom_steps
from coach_agent.engine.models.double_progression import (
    done_again,
    double_progression,
    linear_progression,
)
from coach_agent.engine.models.gzclp import stage_progression
from coach_agent.engine.models.in_doubt import hold_on_doubts
from coach_agent.engine.models.select import Block, Target
from coach_agent.engine.models.slots import SlotInput
from coach_agent.engine.models.top_backoff import backoff
from coach_agent.engine.models.totals import distance, rep_sum
from coach_agent.engine.models.training_max import (
    Programme,
    highest_supported_load,
    wave_progression,
)
from coach_agent.engine.models.variations import harder_variation
from coach_agent.profile.equipment import Equipment
from coach_agent.profile.exercise_rules import ExerciseRule, stage, wave_set
from coach_agent.profile.model import Rules


def decisions_for(
    slot: SlotInput, rules: Rules, pasts: Mapping[Block, CredibleAttempts]
) -> dict[Block, BlockDecision | None]:
    """Return the decision of each block; None if the routine's own targets stay.

    `pasts` has the `history` of each block.
    """
    decisions: dict[Block, BlockDecision | None] = {}
    for block in slot.blocks:
        decisions[block] = _decide(slot, block, rules, pasts[block], decisions)
    return decisions


def names_of(slot: SlotInput, block: Block) -> SetNames:
    """Return the names of the sets of a block."""
    working = [planned.set_index for planned in slot.sets if planned.set_type in WORKING_TYPES]
    numbers = tuple(working.index(index) + 1 for index in block.set_indexes)
    return SetNames(numbers, len(working))


def _decide(
    slot: SlotInput,
    block: Block,
    rules: Rules,
    found: CredibleAttempts,
    before: Mapping[Block, BlockDecision | None],
) -> BlockDecision | None:
    target = block.target
    if block.model == "keep" or target is None:
        return None
    rule = rules.for_exercise(slot.exercise_title)
    past = BlockHistory(
        found.attempts,
        names_of(slot, block),
        _rpe_cap(rule, block),
        rule.min_exposures,
        is_stale=_is_stale(slot, found),
        has_effort=slot.reserve is not None,
    )
    unit = rules.equipment.unit
    if block.model == "timed":
        held_s = tuple(each.duration_s or 1 for _, each in found.held.nearest)
        return hold_on_doubts(time_progression(past), past, found.doubts, held_s, None, unit)
    if block.model in {"reps", "reps_range"}:
        decision = _by_reps(slot, past, target, rules)
        again = done_again(found.held, target.low, target.high)
        decision = hold_on_doubts(decision, past, found.doubts, again, None, unit)
        return replace(decision, reps=None) if target.is_default else decision
    ladder = _ladder(slot, block, past, rules)
    decision = _by_load(slot, block, target, past, rules, ladder, before)
    if block.model in {"stages", "rep_sum", "distance"}:
        held_goals = decision.reps
    else:
        held_goals = done_again(found.held, target.low, target.high)
    decision = hold_on_doubts(decision, past, found.doubts, held_goals, ladder, unit)
    return replace(decision, reps=None, widened=None) if target.is_default else decision


def _is_stale(slot: SlotInput, found: CredibleAttempts) -> bool:
    """Return whether only easy workouts followed the newest attempt, for as long as a break.

    A doubted workout since then holds the load by itself.
    """
    done_at = found.attempts[0].at
    if done_at is None or any(each.code == "suspected_typo" for each in found.doubts):
        return False
    latest = max(exposure.started_at for exposure in slot.exposures)
    return (latest - done_at).days > LAYOFF_HOLD_UNTIL.value


def _by_reps(slot: SlotInput, past: BlockHistory, target: Target, rules: Rules) -> BlockDecision:
    if target.low is None or target.high is None:
        return open_reps(past, target.low)
    added = ladder_for(slot, rules, through_kg=0.0) if slot.exercise_type == WEIGHTED else None
    harder = harder_variation(slot.exercise_title)
    return reps_in_range(past, target.low, target.high, added, harder)


def _by_load(
    slot: SlotInput,
    block: Block,
    target: Target,
    past: BlockHistory,
    rules: Rules,
    ladder: Ladder,
    before: Mapping[Block, BlockDecision | None],
) -> BlockDecision:
    low, high = target.low, target.high
    rule = rules.for_exercise(slot.exercise_title)
    if block.model == "training_max":
        return wave_progression(past, _programme(slot, rule, rules.equipment), ladder)
    if block.model == "stages":
        return stage_progression(
            past, [stage(text) for text in rule.stages or GZCLP_STAGES.value], ladder
        )
    if block.model == "rep_sum" and rule.rep_sum is not None:
        return rep_sum(past, rule.rep_sum, ladder)
    if target.metres is not None:
        return distance(past, target.metres, ladder)
    if block.model == "steps" or low is None:  # the other models need a lower end
        return apply_custom_steps(past, rule.steps, low, ladder)
    top = next((each for each in before.values() if each), None)
    if block.model == "backoff" and top is not None and top.load is not None:
        factor = BACKOFF_FACTOR.value if rule.backoff_pct is None else rule.backoff_pct / 100
        return backoff(past, low, high or low, ladder, top.load, factor)
    if block.model in {"double", "top_set", "backoff"} and high is not None:
        return double_progression(past, low, high, ladder)
    return linear_progression(past, low, ladder, is_open=block.model != "linear")


def _ladder(slot: SlotInput, block: Block, past: BlockHistory, rules: Rules) -> Ladder:
    """Return the ladder through the last load; for a wave, up to the plausible maximum."""
    up_to_kg = highest_supported_load(past.attempts, 1) if block.model == "training_max" else None
    return ladder_for(slot, rules, past.last.load, up_to_kg)


def _programme(slot: SlotInput, rule: ExerciseRule, gym: Equipment) -> Programme:
    cycle = TM_CYCLE_LOWER if is_lower_body(slot) else TM_CYCLE_UPPER
    increment_kg = rule.increment_kg or customary_kg(cycle.value, gym)
    return Programme(
        weeks=tuple(tuple(wave_set(text) for text in week) for week in rule.wave or TM_WAVE.value),
        increment_kg=None if rule.tm_change == "amrap" else increment_kg,
        start_kg=rule.training_max_kg,
        mark_kg=1.0 if gym.unit == "kg" else KILOGRAMS_PER_POUND,
    )


def _rpe_cap(rule: ExerciseRule, block: Block) -> float | None:
    """Return the athlete's own cap; a top set has one by default."""
    if rule.rpe_cap is None and block.model == "top_set":
        return TOP_RPE.value[1]
    return rule.rpe_cap
