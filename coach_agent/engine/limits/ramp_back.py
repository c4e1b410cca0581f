"""Return to the loads before a long break, in large steps while sets are easy."""

from dataclasses import replace

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import (
    LAYOFF_RETURN_RPE,
    LAYOFF_RETURN_SPARE,
    LAYOFF_RETURN_STEP,
)
from coach_agent.domain.e1rm import epley_load
from coach_agent.engine.limits.block_past import BlockPast, shown_max
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, ReasonCode
from coach_agent.language.messages import break_text, phrase

# Codes that hold a load although all targets were reached.
_HOLDING: frozenset[ReasonCode] = frozenset({"rpe_cap", "too_soon", "suspected_typo"})


def apply_ramp_back(decision: BlockDecision, past: BlockPast) -> BlockDecision:
    """Return the decision, or the step of the ramp after a break.

    Earlier loads come back faster than they came first. So while sets are easy a range need not be
    filled, and a step may be twice an ordinary one. The limit is the old load, or after less than
    planned the plan of that day, and a hold of an ordinary step also holds this one. If sets were
    too hard, the load drops to one that leaves repetitions in reserve.
    """
    last, ladder, way = past.last, past.ladder, past.ramp_back
    if way is None or ladder is None or decision.loads or decision.load is None:
        return decision
    low = past.low or 1
    easy_rpe, hard_rpe = LAYOFF_RETURN_RPE.value
    hardest = max((answer.rpe for answer in last.done if answer.rpe is not None), default=0.0)
    is_missed = any((answer.reps or 0) < low for answer in last.done)
    if is_missed or hardest >= hard_rpe:
        return _turn_back(decision, past, ladder, low)
    old = way.load
    if last.is_lighter_than_planned and last.planned_load is not None:
        old = min(old, last.planned_load)
    is_held = not _HOLDING.isdisjoint(decision.codes) or not last.is_complete
    if is_held or old <= last.load or hardest > easy_rpe:
        return decision
    wished = last.load + ladder.moved(last.load) * LAYOFF_RETURN_STEP.value / 100
    ordinary = ladder.up(last.load) or last.load
    load = ladder.existing(min(max(ordinary, ladder.within_cap(wished, last.load)), old))
    # Easy sets alone may justify the same large step: the ramp is an additional reason.
    is_large = decision.load > ordinary + LOAD_TOLERANCE.value
    tolerance = -LOAD_TOLERANCE.value if is_large else LOAD_TOLERANCE.value
    if load <= decision.load + tolerance:
        return decision
    reps = decision.reps
    if reps is not None and past.low is not None:
        reps = (low,) * len(reps)
    return replace(
        decision,
        direction="up",
        codes=("back_to_old_load", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=phrase(
            "reason-way-back",
            old=ladder.text(way.load),
            span=break_text(way.weeks),
            load=ladder.text(load),
        ),
        load=load,
        reps=reps,
        widened=None,
    )


def _turn_back(decision: BlockDecision, past: BlockPast, ladder: Ladder, low: int) -> BlockDecision:
    """Return the load that leaves a reserve at `low` repetitions, from the hardest set, if it is
    lower.

    If the body is part of the load this cannot be estimated: one step down.
    """
    last = past.last
    if ladder.is_whole_load:
        wished = epley_load(shown_max(last), low + LAYOFF_RETURN_SPARE.value)
        load = ladder.loads.nearest(wished)
    else:
        load = ladder.down(last.load) or last.load
    if load >= last.load - LOAD_TOLERANCE.value or decision.load is None:
        return decision
    return replace(
        decision,
        direction="down",
        codes=("back_too_fast", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=phrase(
            "reason-turn-back",
            last=ladder.text(last.load),
            load=ladder.text(min(load, decision.load)),
        ),
        load=min(load, decision.load),
        reps=None if decision.reps is None else (low,) * len(decision.reps),
        widened=None,
    )
