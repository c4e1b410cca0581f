"""Apply the day's limits to a decision: the training's demand, then the strictest reduction.

Cuts never multiply: each is computed from the last load, and the lowest result applies, the
training's included. So there is one comparison with the last time, and one floor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil, floor

from coach_agent.domain.constants.loads import INCREMENT_TIMED, LOAD_TOLERANCE
from coach_agent.domain.constants.progression import DOUBLE_FAR_BELOW
from coach_agent.domain.constants.recovery import (
    DELOAD_BLOCK_UNRATED,
    FLOOR_LOAD,
    STALL_FIX_DELOAD,
)
from coach_agent.domain.e1rm import (
    epley_load,
    epley_max,
    epley_reps,
)
from coach_agent.domain.plan import StallAnalysis
from coach_agent.engine.history.far_off import is_far_more
from coach_agent.engine.limits.block_past import BlockPast, shown_max
from coach_agent.engine.limits.restraints import Restraint
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision
from coach_agent.engine.models.double_progression import done_again
from coach_agent.language.messages import phrase


def hold_while_stalled(
    decision: BlockDecision, past: BlockPast, stall: StallAnalysis | None
) -> BlockDecision:
    """Return the decision of a stalled lift: no step before the last load was mastered twice.

    A stall never forces a load up, and hard sets are reduced a little first, if they are still
    hard. Below an earlier load the way back is an ordinary one: the reduction must be built up
    again, which would look like a stall. Repetitions may grow.
    """
    if stall is None or decision.load is None or past.ladder is None:
        return decision
    if decision.loads or past.is_below_best:  # a programme has its own reset
        return decision
    is_step = decision.load > past.last.load + LOAD_TOLERANCE.value
    is_eased = stall.fix_type == "deload" and past.is_at_limit
    if not is_eased and (not is_step or past.is_mastered):
        return decision
    held = _hold(decision, past)
    if is_eased:
        factor = 1 - STALL_FIX_DELOAD.value / 100
        load = past.ladder.reduced(past.last.load, factor, is_needed=True)
        if decision.direction == "down" and decision.load <= load + LOAD_TOLERANCE.value:
            return replace(decision, codes=tuple(dict.fromkeys(("stalled", *decision.codes))))
        held = _reduce_load(held, past, load, past.ladder.share(past.last.load, factor))
    return replace(
        held,
        codes=tuple(dict.fromkeys(("stalled", *held.codes))),
        reason=phrase(
            "reason-stuck", load=past.ladder.text(past.last.load), fix=stall.suggested_fix
        ),
    )


def apply_limits(
    decision: BlockDecision, past: BlockPast, restraining: Iterable[Restraint]
) -> BlockDecision:
    """Return the decision without increase and open sets, and lighter if a restraint requires it.

    A heavy day is compared with the heavy day before: with its repetitions the light load would be
    no training.
    """
    active = tuple(restraining)
    if not active:
        return decision
    limited = _apply_reductions(decision, past, active)
    most = min((each.most_reps for each in active if each.most_reps), default=None)
    if most is None or limited.reps is None or max(limited.reps) <= most:
        return limited
    reps = tuple(min(each, most) for each in limited.reps)
    return replace(limited, direction="down", reps=reps)


def _apply_reductions(
    decision: BlockDecision, past: BlockPast, active: Sequence[Restraint]
) -> BlockDecision:
    # Advice to go on to something harder is none for such a day.
    held = replace(_hold(_without_goals(decision), past), open_places=(), is_closed=True, note=None)
    if held.load is None or past.ladder is None:
        return _reduce_without_load(held, past, active)
    if held.loads:
        return _reduce_wave(held, past.ladder, active)
    if all(each.load_factor == 1 for each in active):
        return held
    done = past.last.load
    load = min(_cut(done, past.ladder, active), held.load)
    factor = min(each.load_factor for each in active)
    wished = past.ladder.share(done, factor)
    if (kept := _kept_by_reserve(past, past.ladder, active)) is not None and kept > wished:
        wished = kept
        load = min(max(load, past.ladder.existing(wished)), held.load)
    reserve = max((each.reserve for each in active if not each.has_floor), default=0)
    if reserve and past.ladder.is_whole_load and any(answer.rpe for answer in past.last.done):
        shown = shown_max(past.last) * min(each.strength for each in active)
        wished = min(wished, epley_load(shown, (past.low or 1) + reserve))
        load = min(load, past.ladder.loads.nearest(wished))
    fills_up = not any(each.is_easy for each in active)
    if load >= done - LOAD_TOLERANCE.value:
        reduced = _reduce_reps(held, past, factor, active)
        below = _load_below(done, past.ladder, active)
        if reduced is not held or below is None:
            return reduced
        load, fills_up = below, False
    return _reduce_load(
        held,
        past,
        load,
        wished,
        fills_up=fills_up,
        has_floor=all(each.has_floor for each in active),
    )


def _load_below(load: float, ladder: Ladder, active: Iterable[Restraint]) -> float | None:
    """Return the next load down if a restraint without a floor requires less, as after a break.

    None if it is farther than the usual largest cut: then the load itself is nearer to any cut.
    """
    takes_any = any(each.load_factor < 1 and not each.has_floor for each in active)
    nearest = ladder.loads.nearest(ladder.share(load, FLOOR_LOAD.value))
    is_near = nearest < load - LOAD_TOLERANCE.value
    return ladder.down(load) if takes_any and is_near else None


def _kept_by_reserve(past: BlockPast, ladder: Ladder, active: Sequence[Restraint]) -> float | None:
    """Return the load, at most the last one, with which the low end of the target leaves the
    spare repetitions of all lighter restraints.

    None if one of them does not keep the load, or the body is part of it. Sets without an RPE count
    as done at the usual effort of a programme.
    """
    lighter = [each for each in active if each.load_factor < 1]
    if not ladder.is_whole_load or not all(each.keeps_load for each in lighter):
        return None
    shown = shown_max(past.last, unrated=DELOAD_BLOCK_UNRATED.value)
    spare = max(each.spare_reps for each in lighter)
    return min(epley_load(shown, (past.low or 1) + spare), past.last.load)


def _without_goals(decision: BlockDecision) -> BlockDecision:
    """Return the decision without goals beyond its target; goals on the way up to it stay."""
    if decision.reps is None or decision.widened is None:
        return decision
    reps = tuple(min(pair) for pair in zip(decision.reps, decision.widened, strict=True))
    return replace(decision, reps=reps, widened=None)


def _cut(load: float, ladder: Ladder, active: Iterable[Restraint]) -> float:
    """Return the lowest load of all restraints."""
    return min(each.load_of(load, ladder) for each in active)


def _reduce_load(
    held: BlockDecision,
    past: BlockPast,
    load: float,
    wished: float,
    *,
    fills_up: bool = True,
    has_floor: bool = True,
) -> BlockDecision:
    """Return less load with the fewest repetitions of the target.

    `fills_up` adds repetitions, within the target, for the rounding of the load below the requested
    one: with large gaps between loads a cut of 8 % would become 20. Only a load below the held one
    raises repetitions. If the body alone is more than the requested load, repetitions fall below
    the target without `has_floor`.
    """
    reps, low, ladder = held.reps, past.low, past.ladder
    if reps is not None and low is not None and ladder is not None:
        is_lighter = held.load is None or load < held.load - LOAD_TOLERANCE.value
        moved, share = ladder.moved(load), wished + ladder.body_kg
        least, most = 0, low
        if is_lighter:
            least = _equivalent_reps(share, low, moved, past.high) if fills_up else low
        if not has_floor and ladder.hangs_on_body and not load and 0 < share < moved:
            least = most = max(1, floor(epley_reps(epley_max(share, low), moved) + 1e-9))
            if most < DOUBLE_FAR_BELOW.value * low:
                note = phrase("note-too-hard", reps=low)
                held = replace(held, note=note)
        reps = tuple(max(min(target, most), least) for target in reps)
    return replace(held, direction="down", load=load, reps=reps)


def _reduce_reps(
    held: BlockDecision, past: BlockPast, factor: float, active: Sequence[Restraint]
) -> BlockDecision:
    """Keep the load if the rack has none near enough, and cut repetitions instead.

    The number of repetitions is the cut's equivalent after Epley, limited to the lower end of a
    range, and to half of fixed ones. Without any, the next lighter load.
    """
    if held.reps is None or held.load is None or past.ladder is None or past.is_programme:
        return held
    is_range = past.low is not None and past.high != past.low
    reps = tuple(
        max(
            past.low or 1 if is_range else ceil(each / 2),
            min(each - 1, floor((each + 30) * factor - 30)),
        )
        for each in held.reps
    )
    fewer = tuple(min(pair) for pair in zip(reps, held.reps, strict=True))
    if fewer != held.reps:
        return replace(held, direction="down", reps=fewer)
    below = past.ladder.down(held.load)
    is_far = any(each.load_factor == factor and each.is_easy for each in active)
    if below is None or not is_far:
        return held
    return replace(held, direction="down", load=below)


def _reduce_without_load(
    held: BlockDecision, past: BlockPast, active: Sequence[Restraint]
) -> BlockDecision:
    """Reduce repetitions or time if there is no load to reduce.

    No fewer than the target's, except after a break: then the range is the goal of training, not
    its reduced state.
    """
    reps, seconds = held.reps, held.durations_s
    if reps is not None:
        reps = tuple(
            min(
                each,
                *(
                    max(
                        1 if not restraint.has_floor else past.low or 1,
                        min(floor(each * restraint.reps_factor), each - restraint.spare_reps),
                    )
                    for restraint in active
                ),
            )
            for each in reps
        )
    if seconds is not None:
        factor = min(each.reps_factor for each in active)
        seconds = tuple(_round_down(each, factor) for each in seconds)
    is_less = (reps, seconds) != (held.reps, held.durations_s)
    return replace(
        held,
        direction="down" if is_less else held.direction,
        reps=reps,
        durations_s=seconds,
    )


def _round_down(seconds: int, factor: float) -> int:
    """Return the share of a time in whole steps, at least a second."""
    if factor == 1:
        return seconds
    left, step = floor(seconds * factor), INCREMENT_TIMED.value
    return max(1, left // step * step if left >= 2 * step else left)


def _reduce_wave(held: BlockDecision, ladder: Ladder, active: Sequence[Restraint]) -> BlockDecision:
    """Return the loads of a programme, each reduced by the strictest cut."""
    loads = tuple(_cut(each, ladder, active) for each in held.loads or ())
    if loads == held.loads:
        return held
    return replace(held, direction="down", load=max(loads), loads=loads)


def reduce_kept_sets(
    planned: Sequence[float], limit: float, ladder: Ladder, restraining: Iterable[Restraint]
) -> BlockDecision | None:
    """Limit loads (kg) without a deciding history to `limit`, and less if a restraint requires it.

    None if they stay as planned.
    """
    active = tuple(restraining)
    at_most = [
        load if load <= limit + LOAD_TOLERANCE.value else ladder.existing(limit) for load in planned
    ]
    loads = [_cut(load, ladder, active) for load in at_most]
    if not loads or loads == list(planned):
        return None
    return BlockDecision("down", (), "", load=max(loads), loads=tuple(loads))


def _hold(decision: BlockDecision, past: BlockPast) -> BlockDecision:
    """Return the last workout again, or the decision if that is less.

    Also for a decision to repeat: a wave goes on, and a missed goal is above the last result. No
    load is added to a bodyweight exercise.
    """
    if decision.direction == "down" and not decision.loads and past.newer_load is None:
        return decision
    loads = [answer.load for answer in past.last.done if answer.load is not None]
    limit = None
    if loads and past.ladder is not None:
        # If loads differ, as in a wave, the heaviest set is the reference.
        base = max(loads) if decision.loads else past.last.load
        # The newer one may be right: on a day without increase no load may exceed it.
        limit = past.ladder.existing(min(base, past.newer_load or base))
    load = _at_most(decision.load, limit) if loads else None
    return replace(
        decision,
        direction="down" if decision.direction == "down" else "same",
        load=load,
        loads=decision.loads and tuple(_at_most(each, limit) or each for each in decision.loads),
        reps=_hold_reps(decision, past, load),
        durations_s=_hold_seconds(decision, past),
        widened=None,
    )


def _hold_reps(
    decision: BlockDecision, past: BlockPast, load: float | None
) -> tuple[int, ...] | None:
    """Return the done repetitions, in the range; after a load reduction no fewer than decided.

    A programme keeps its own. If the plan of that day is unknown, fewer may have been its goal.
    """
    is_as_many = decision.reps is not None and len(decision.reps) == len(past.last.answers)
    if decision.reps is None or past.is_programme or not is_as_many:
        return decision.reps
    low = past.low if past.last.is_target_known else None
    again = done_again(past.held, low, past.high)
    if load != decision.load:
        return again
    return tuple(min(pair) for pair in zip(decision.reps, again, strict=True))


def _hold_seconds(decision: BlockDecision, past: BlockPast) -> tuple[int, ...] | None:
    """Return the done times, up to the decided ones; one that is far off is no level."""
    if decision.durations_s is None:
        return None
    done = [None if answer is None else answer.duration_s for answer in past.held.answers]
    return tuple(
        target if not before or is_far_more(target, before) else min(target, before)
        for target, before in zip(decision.durations_s, done, strict=True)
    )


def _at_most(load: float | None, limit: float | None) -> float | None:
    if load is None or limit is None or load <= limit + LOAD_TOLERANCE.value:
        return load
    return limit


def _equivalent_reps(wished: float, low: int, load: float, high: int | None) -> int:
    """Return the repetitions with a load equivalent to `low` with the requested one, up to `high`.

    Loads are totals, with the body.
    """
    if high is None or not 0 < load < wished:
        return low
    return max(low, min(high, floor(epley_reps(epley_max(wished, low), load) + 1e-9)))
