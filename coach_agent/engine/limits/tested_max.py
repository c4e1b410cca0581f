"""Limit loads by a maximum that was tested recently."""

from collections.abc import Sequence
from dataclasses import replace

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.constants.strength import E1RM_TESTED_DAYS, E1RM_TESTED_SPARE
from coach_agent.domain.context import Exposure
from coach_agent.domain.e1rm import (
    epley_load,
    is_planned_single,
    is_tested_max,
    is_trained_single,
)
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.limits.block_past import BlockPast
from coach_agent.engine.models.block import BlockDecision, Direction
from coach_agent.language.messages import phrase


def limit_to_tested_max(
    decision: BlockDecision,
    past: BlockPast,
    tested_max_kg: float | None,
    exposures: Sequence[Exposure],
) -> BlockDecision:
    """Limit the decision's loads by a recently tested maximum, or by one that is the last work.

    A maximum is no load of the training, however long ago it was. A repetition more than the target
    must be possible, or the load was done for as many without being a maximum itself, or as singles
    of the training: those are repeated, not eased, and so are singles that were eased already.
    Where the gym has no load near the limit, the last one is repeated for what was done of it. No
    load of a programme is above the maximum.
    """
    ladder = past.ladder
    if ladder is None or decision.load is None or ladder.is_assistance:
        return decision
    is_recent = tested_max_kg is not None
    if tested_max_kg is None:
        tested_max_kg = _last_maximum(past, exposures)
    if tested_max_kg is None:
        return decision
    # The maximum may be one of another stack.
    most = ladder.existing(tested_max_kg)
    if decision.loads:
        loads = tuple(min(each, most) for each in decision.loads)
        return replace(decision, load=max(loads), loads=loads)
    reps = min(decision.reps or (past.low or 1,))
    limit = tested_max_kg
    if ladder.is_whole_load:
        limit = epley_load(tested_max_kg, reps + E1RM_TESTED_SPARE.value)
    limit = min(limit, tested_max_kg)
    eased = ladder.existing(limit)
    if ladder.loads.floor(limit) is None:  # nothing lighter is there
        eased = min(max(eased, ladder.loads.lightest), most)
    if _is_hard_training(past):
        highest, reps = max(eased, min(past.last.load, most)), 1
    else:
        shown = [
            answer.load
            for answer in past.last.done
            if answer.load
            and (answer.reps or 0) >= reps
            and not is_tested_max(answer.reps, answer.rpe)
        ]
        highest = max(eased, min([*shown, most]) if shown else 0.0)
        proved = _fewest_trained(past, tested_max_kg)
        if proved and highest < min(FLOOR_LOAD.value * limit, past.last.load):
            highest, reps = past.last.load, min(reps, proved)
    is_more = (
        reps < min(decision.reps or (reps,)) and decision.load >= highest - LOAD_TOLERANCE.value
    )
    if decision.load <= highest + LOAD_TOLERANCE.value and not is_more:
        return decision
    texts = {
        "maximum": ladder.text(tested_max_kg),
        "load": ladder.text(highest),
        "reps": count_reps(reps),
    }
    directions: dict[int, Direction] = {-1: "down", 0: "same", 1: "up"}
    change = highest - past.last.load
    is_moved = abs(change) > LOAD_TOLERANCE.value
    return replace(
        decision,
        direction=directions[is_moved * (1 if change > 0 else -1)],
        codes=("tested_max", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=phrase("reason-tested-max", **texts, days=E1RM_TESTED_DAYS.value)
        if is_recent
        else phrase("reason-last-maximum", **texts),
        load=highest,
        reps=(reps,) * len(decision.reps) if is_more and decision.reps else decision.reps,
        widened=None,
    )


def _fewest_trained(past: BlockPast, tested_max_kg: float) -> int:
    """Return the fewest repetitions of the last attempt; 0 if a set was a maximum or is above."""
    done = past.last.done
    is_training = past.last.load <= tested_max_kg and not any(
        is_tested_max(answer.reps, answer.rpe) for answer in done
    )
    return min(answer.reps or 0 for answer in done) if is_training else 0


def _last_maximum(past: BlockPast, exposures: Sequence[Exposure]) -> float | None:
    """Return the load of the last work if that was the test of a maximum; a programme has none.

    Something heavier since then, or on that day, shows more.
    """
    last = past.last
    if past.is_programme or _is_hard_training(past):
        return None
    if not all(is_tested_max(answer.reps, answer.rpe) for answer in last.done):
        return None
    heaviest = max(
        (
            done.weight_kg or 0.0
            for each in exposures
            if last.at is None or each.started_at >= last.at
            for done in each.sets
        ),
        default=0.0,
    )
    return last.load if heaviest <= last.load + LOAD_TOLERANCE.value else None


def _is_hard_training(past: BlockPast) -> bool:
    """Return whether all sets were singles as hard as a tested maximum, but no test: planned,
    usual, or below an earlier load.
    """
    last = past.last
    if not all(is_tested_max(answer.reps, answer.rpe) for answer in last.done):
        return False
    return (
        past.is_below_best
        or is_trained_single(last.load, past.single_loads)
        or all(
            is_planned_single(answer.load, answer.planned_load, answer.planned_reps_low)
            for answer in last.done
        )
    )
