"""What restraints take away from a decision: hold, lighten, shorten or leave out.

The strictest of several counts, they do not multiply.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from coach_agent.plan import StallAnalysis
from coach_agent.progression.block import BlockDecision, Direction, Eased, ReasonCode
from coach_agent.progression.choosing import Group
from coach_agent.progression.circumstances import Return
from coach_agent.progression.constants import (
    E1RM_TESTED_DAYS,
    E1RM_TESTED_SPARE,
    LOAD_TOLERANCE,
    STALL_FIX_DELOAD,
)
from coach_agent.progression.history import WORKING_TYPES, Attempt
from coach_agent.progression.ladder import Ladder
from coach_agent.progression.loaded import done_again
from coach_agent.progression.restraints import Restraint
from coach_agent.progression.strength import epley_load, epley_max, epley_reps, is_tested_max
from coach_agent.progression.wording import count_reps

# What keeps a load where it is although all was reached.
_HOLDING: frozenset[ReasonCode] = frozenset({"rpe_cap", "too_soon", "suspected_typo"})


@dataclass(frozen=True)
class BlockPast:
    """What a block did last, with the loads it may use, and the ends of its target.

    `way_back`: to what it did before a long break not long ago. `is_mastered`: its last two
    attempts reached the target with one load; `is_below_best`: the last load is already less than
    an earlier one; `is_at_limit`: the last workout showed that no more was possible.
    `is_programme`: it has its own sets and repetitions. `newer_load` is the lightest since, which
    was probably mistyped or only half noted.
    """

    last: Attempt
    ladder: Ladder | None
    low: int | None
    high: int | None
    way_back: Return | None = None
    is_mastered: bool = False
    is_below_best: bool = False
    is_at_limit: bool = False
    is_programme: bool = False
    newer_load: float | None = None


def back_after_break(decision: BlockDecision, past: BlockPast) -> BlockDecision:
    """The decision, or a step towards the load before a long break if that is more.

    What was lifted before comes back in a few exposures, so a range need not be filled first. The
    step is an ordinary one from what was done, or more within the jump cap where that takes too
    long. The old load is the limit, after less than planned the plan of that day, and what holds
    an ordinary step holds this one.
    """
    last, ladder, way = past.last, past.ladder, past.way_back
    if way is None or ladder is None or decision.loads or decision.load is None:
        return decision
    if not _HOLDING.isdisjoint(decision.codes):
        return decision
    low, old = past.low or 1, way.load
    if last.is_lighter_than_planned and last.planned_load is not None:
        old = min(old, last.planned_load)
    if old <= last.load:
        return decision
    is_hit = last.is_complete and all((answer.reps or 0) >= low for answer in last.done)
    share = ladder.loads.nearest(last.load + (old - last.load) / way.exposures_left)
    step = max(ladder.up(last.load) or last.load, ladder.within_cap(share, last.load))
    load = ladder.existing(min(step, old))
    if not is_hit or load <= decision.load + LOAD_TOLERANCE.value:
        return decision
    reps = decision.reps
    if reps is not None and past.low is not None:
        reps = (low,) * len(reps)
    return replace(
        decision,
        direction="up",
        codes=("back_to_old_load", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=(
            f"Back after a break, {ladder.text(way.load)} before it: next step {ladder.text(load)}."
        ),
        load=load,
        reps=reps,
        widened=None,
    )


def not_heavier_while_stalled(
    decision: BlockDecision, past: BlockPast, stall: StallAnalysis | None
) -> BlockDecision:
    """The decision of a lift that stands still: no step before the last load was mastered twice.

    A stall never forces a load up, and hard sets come off a little first, if they still are hard.
    Below an earlier load the way back is an ordinary one: what was taken off is to be built up
    again, and would look like standing still. Repetitions may grow.
    """
    if stall is None or decision.load is None or past.ladder is None:
        return decision
    if decision.loads or past.is_below_best:  # a programme has its own way out
        return decision
    is_step = decision.load > past.last.load + LOAD_TOLERANCE.value
    is_eased = stall.fix_type == "deload" and past.is_at_limit
    if not is_eased and (not is_step or past.is_mastered):
        return decision
    held = _held(decision, past)
    if is_eased:
        held = _lightened(held, past, 1 - STALL_FIX_DELOAD.value / 100, fills_up=True)
    return replace(
        held,
        codes=tuple(dict.fromkeys(("stalled", *held.codes))),
        reason=f"It stands still. {stall.suggested_fix}",
    )


def below_tested_max(
    decision: BlockDecision, past: BlockPast, tested_max_kg: float | None
) -> BlockDecision:
    """The decision with loads that a maximum, tested lately, leaves room for.

    A repetition more than asked for must be possible, or the load was done for as many without
    being a maximum itself. Of a programme with loads of its own none is above the maximum.
    """
    ladder = past.ladder
    if tested_max_kg is None or ladder is None or decision.load is None or ladder.is_assistance:
        return decision
    if decision.loads:
        loads = tuple(min(each, ladder.existing(tested_max_kg)) for each in decision.loads)
        return replace(decision, load=max(loads), loads=loads)
    reps = min(decision.reps or (past.low or 1,))
    limit = tested_max_kg
    if ladder.is_whole_load:
        limit = epley_load(tested_max_kg, reps + E1RM_TESTED_SPARE.value)
    shown = [
        answer.load
        for answer in past.last.done
        if answer.load and (answer.reps or 0) >= reps and not is_tested_max(answer.reps, answer.rpe)
    ]
    highest = max(ladder.existing(min(limit, tested_max_kg)), min(shown, default=0.0))
    if decision.load <= highest + LOAD_TOLERANCE.value:
        return decision
    text = ladder.text(highest)
    directions: dict[int, Direction] = {-1: "down", 0: "same", 1: "up"}
    change = highest - past.last.load
    is_moved = abs(change) > LOAD_TOLERANCE.value
    return replace(
        decision,
        direction=directions[is_moved * (1 if change > 0 else -1)],
        codes=("tested_max", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=(
            f"You tested a maximum of {ladder.text(tested_max_kg)} in the last "
            f"{E1RM_TESTED_DAYS.value} days, so no more than {text} for {count_reps(reps)}."
        ),
        load=highest,
        widened=None,
    )


def restrained(
    decision: BlockDecision, past: BlockPast, restraining: Iterable[Restraint]
) -> BlockDecision:
    """The decision without increase and open sets, and lighter where something asks for that."""
    given = tuple(restraining)
    if not given:
        return decision
    held = replace(_held(decision, past), open_places=(), is_closed=True)
    factor = min(each.load_factor for each in given)
    spare = max(each.spare_reps for each in given)
    if factor == 1:
        return held
    return _lightened(held, past, factor, spare, fills_up=not any(each.is_easy for each in given))


def lightened_as_kept(
    planned: Sequence[float], limit: float, ladder: Ladder, restraining: Iterable[Restraint]
) -> BlockDecision | None:
    """Loads (kg) that no history decides, at most `limit` and less where something asks for that.

    None where they stay as planned.
    """
    factor = min((each.load_factor for each in restraining), default=1.0)
    at_most = [
        load if load <= limit + LOAD_TOLERANCE.value else ladder.existing(limit) for load in planned
    ]
    loads = [_lighter(load, ladder, factor) for load in at_most]
    if not loads or loads == list(planned):
        return None
    eased: frozenset[Eased] = frozenset() if loads == at_most else frozenset({"load"})
    return BlockDecision("down", (), "", load=max(loads), loads=tuple(loads), eased=eased)


def sets_left(count: int, restraining: Iterable[Restraint]) -> int:
    """How many of `count` working sets are to be done: at least one."""
    left = count
    for each in restraining:
        left = min(left, ceil(count * each.sets_factor), count - each.sets_off)
    return max(1, left)


def cut(sets: Group, restraining: Iterable[Restraint], *, is_wave: bool = False) -> Group:
    """The sets that are to be done: the first ones, so that they keep their indexes.

    A wave leads to its last set and stays whole.
    """
    given = tuple(restraining)
    if any(each.drops for each in given):
        return ()
    if is_wave:
        return sets
    working = [each.set_index for each in sets if each.set_type in WORKING_TYPES]
    left = sets_left(len(working), given)
    if left >= len(working):
        return sets
    last = working[left - 1]
    return tuple(each for each in sets if each.set_index <= last)


def _held(decision: BlockDecision, past: BlockPast) -> BlockDecision:
    """What was done again, or the decision where that is less.

    Also of one that says to repeat: a wave goes on, and a goal that was missed is more than what
    was done. To the body alone no load is added.
    """
    if decision.direction == "down" and not decision.loads and past.newer_load is None:
        return decision
    loads = [answer.load for answer in past.last.done if answer.load is not None]
    limit = None
    if loads and past.ladder is not None:
        # Where loads differ, as in a wave, the heaviest set is what was done.
        base = max(loads) if decision.loads else past.last.load
        # The newer one may be right: on a day without increase nothing rises above it.
        limit = past.ladder.existing(min(base, past.newer_load or base))
    load = _at_most(decision.load, limit) if loads else None
    return replace(
        decision,
        direction="down" if decision.direction == "down" else "same",
        load=load,
        loads=decision.loads and tuple(_at_most(each, limit) or each for each in decision.loads),
        reps=_held_reps(decision, past, load),
        durations_s=_held_seconds(decision, past),
        widened=None,
    )


def _held_reps(
    decision: BlockDecision, past: BlockPast, load: float | None
) -> tuple[int, ...] | None:
    """The repetitions done, in the range; with a load that came down not fewer than decided.

    Those of a programme are its own.
    """
    is_as_many = decision.reps is not None and len(decision.reps) == len(past.last.answers)
    if decision.reps is None or past.is_programme or not is_as_many:
        return decision.reps
    again = done_again(past.last, past.low, past.high)
    if load != decision.load:
        return again
    return tuple(min(pair) for pair in zip(decision.reps, again, strict=True))


def _held_seconds(decision: BlockDecision, past: BlockPast) -> tuple[int, ...] | None:
    if decision.durations_s is None:
        return None
    done = [None if answer is None else answer.duration_s for answer in past.last.answers]
    return tuple(
        min(target, max(1, before or target))
        for target, before in zip(decision.durations_s, done, strict=True)
    )


def _at_most(load: float | None, limit: float | None) -> float | None:
    if load is None or limit is None or load <= limit + LOAD_TOLERANCE.value:
        return load
    return limit


def _lightened(
    decision: BlockDecision,
    past: BlockPast,
    factor: float,
    spare_reps: int = 0,
    *,
    fills_up: bool = False,
) -> BlockDecision:
    """Less load, always rounded down, with the fewest repetitions of the target.

    With `fills_up` there are as many more, within the target, as the rounding took beyond the
    factor: where loads are far apart 2.5 % less would else become 20.

    At the bottom, where there is no less, the load stays. Without a load there are fewer
    repetitions, though no fewer than the target's, or seconds.
    """
    ladder, low = past.ladder, past.low
    reps, seconds = decision.reps, decision.durations_s
    load, loads = decision.load, decision.loads
    if load is None or ladder is None:
        least = low or 1
        reps = reps and tuple(min(each, max(least, each - spare_reps)) for each in reps)
        seconds = seconds and tuple(max(1, floor(each * factor)) for each in seconds)
    else:
        wished = factor * load
        load = _lighter(load, ladder, factor)
        loads = loads and tuple(_lighter(each, ladder, factor) for each in loads)
        if reps is not None and low is not None and not loads:
            least = _as_much(wished, low, load, past.high) if fills_up else low
            reps = tuple(max(min(target, low), least) for target in reps)
    became_less: dict[Eased, bool] = {
        "load": (load, loads) != (decision.load, decision.loads),
        "reps": reps != decision.reps,
        "time": seconds != decision.durations_s,
    }
    eased = frozenset(name for name, is_less in became_less.items() if is_less)
    return replace(
        decision,
        direction="down" if eased else decision.direction,
        load=load,
        loads=loads,
        reps=reps,
        durations_s=seconds,
        eased=eased,
    )


def _as_much(wished: float, low: int, load: float, high: int | None) -> int:
    """The repetitions with a load that ask for as much as `low` with the wished one, up to `high`.

    With assistance, where the load is below 0, they are `low`.
    """
    if high is None or not 0 < load < wished:
        return low
    return max(low, min(high, floor(epley_reps(epley_max(wished, low), load) + 1e-9)))


def _lighter(load: float, ladder: Ladder, factor: float) -> float:
    """The load times the factor, rounded down; itself where there is nothing lighter."""
    reduced = ladder.reset(load, factor) if factor < 1 else None
    return load if reduced is None else min(reduced, load)
