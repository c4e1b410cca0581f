"""What circumstances take away from a decision: hold, lighten, shorten or leave out.

The strictest of several counts, they do not multiply. Each one is told with its rule. Sources:
policy 1 and sections 7 and 8 of the training science that the constants name; all of it opinion.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from coach_agent.context import Slot
from coach_agent.pain import worst_pain
from coach_agent.plan import Adjustment, StallAnalysis
from coach_agent.progression.block import BlockDecision, ReasonCode
from coach_agent.progression.choosing import Group
from coach_agent.progression.circumstances import Circumstances, DeloadReason, Layoff, Return
from coach_agent.progression.constants import (
    DELOAD_LOAD_FACTOR,
    DELOAD_RIR_MIN,
    DELOAD_SETS_FACTOR,
    LAYOFF_LONG_LOAD,
    LAYOFF_MID_FIRST_SETS,
    LAYOFF_MID_LOAD,
    LOAD_TOLERANCE,
    PAIN_DROP_FROM,
    PAIN_NO_INCREASE_FROM,
    READINESS_LOW_RPE_CAP,
    READINESS_LOW_SETS,
    READINESS_VERY_LOW_LOAD,
    STALL_FIX_DELOAD,
    TAPER_VOLUME,
)
from coach_agent.progression.history import WORKING_TYPES, Attempt
from coach_agent.progression.ladder import Ladder
from coach_agent.progression.loaded import done_again
from coach_agent.progression.strength import HIGHEST_RPE
from coach_agent.titles import compared_title

_DELOAD_WHY: Mapping[DeloadReason, str] = {
    "asked": "as you asked",
    "calendar": "the week planned for it",
    "running": "the week goes on",
    "stalls": "several lifts stand still",
    "rpe_drift": "the same work feels harder each time",
    "readiness": "you have felt tired for a while",
}


# What keeps a load where it is although all was reached.
_HOLDING: frozenset[ReasonCode] = frozenset({"rpe_cap", "too_soon", "suspected_typo"})


@dataclass(frozen=True)
class Restraint:
    """What one circumstance takes from an exercise.

    It always forbids an increase. `load_factor` is applied to the load without that increase,
    `sets_factor` to the number of working sets, `sets_off` is taken from it; no set is to be harder
    than `rpe_cap`; `is_easy` marks work that is light on purpose and so no measure of progress;
    with `drops` the exercise is left out.
    """

    adjustment: Adjustment
    load_factor: float = 1.0
    sets_factor: float = 1.0
    sets_off: int = 0
    rpe_cap: float | None = None
    is_easy: bool = False
    drops: bool = False


@dataclass(frozen=True)
class BlockPast:
    """What a block did last, with the loads it may use, and the ends of its target.

    `way_back`: to what it did before a long break not long ago. `is_mastered`: its last two
    attempts reached the target with one load; `is_below_best`: the last load is already less than
    an earlier one. `is_programme`: it has its own sets and repetitions.
    """

    last: Attempt
    ladder: Ladder | None
    low: int | None
    high: int | None
    way_back: Return | None = None
    is_mastered: bool = False
    is_below_best: bool = False
    is_programme: bool = False


def restraints(
    slot: Slot, layoff: Layoff | None, circumstances: Circumstances
) -> tuple[Restraint, ...]:
    """Everything that holds the exercise back today."""
    found = [
        *_avoided(slot, circumstances),
        *_pain(slot, circumstances),
        *_deload(slot, circumstances),
        *_taper(circumstances),
        *_readiness(circumstances),
        *_layoff(layoff),
    ]
    return tuple(found)


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

    A stall never forces a load up, and hard sets come off a little first. Repetitions may grow.
    """
    if stall is None or decision.load is None or past.ladder is None:
        return decision
    if decision.loads:  # a programme has its own way out
        return decision
    is_step = decision.load > past.last.load + LOAD_TOLERANCE.value
    is_eased = stall.fix_type == "deload" and not past.is_below_best
    if not is_eased and (not is_step or past.is_mastered):
        return decision
    held = _held(decision, past)
    if is_eased:
        held = _lightened(held, past, 1 - STALL_FIX_DELOAD.value / 100)
    return replace(
        held,
        codes=tuple(dict.fromkeys(("stalled", *held.codes))),
        reason=f"It stands still. {stall.suggested_fix}",
    )


def restrained(
    decision: BlockDecision, past: BlockPast, restraining: Iterable[Restraint]
) -> BlockDecision:
    """The decision without its increase, and lighter where something asks for that."""
    given = tuple(restraining)
    if not given:
        return decision
    held = _held(decision, past)
    factor = min(each.load_factor for each in given)
    return _lightened(held, past, factor) if factor < 1 else held


def lightened_as_kept(
    planned: Sequence[float], limit: float, ladder: Ladder, restraining: Iterable[Restraint]
) -> BlockDecision | None:
    """Loads (kg) that no history decides, at most `limit` and less where something asks for that.

    None where they stay as planned.
    """
    factor = min((each.load_factor for each in restraining), default=1.0)
    loads = []
    for load in planned:
        held = load if load <= limit + LOAD_TOLERANCE.value else ladder.existing(limit)
        reduced = ladder.reset(held, factor) if factor < 1 else held
        loads.append(held if reduced is None else min(reduced, held))
    if not loads or all(one == other for one, other in zip(loads, planned, strict=True)):
        return None
    return BlockDecision("down", (), "", load=max(loads), loads=tuple(loads))


def sets_left(count: int, restraining: Iterable[Restraint]) -> int:
    """How many of `count` working sets are to be done: at least one."""
    left = count
    for each in restraining:
        left = min(left, ceil(count * each.sets_factor), count - each.sets_off)
    return max(1, left)


def cut(sets: Group, restraining: Iterable[Restraint]) -> Group:
    """The sets that are to be done: the first ones, so that they keep their indexes."""
    given = tuple(restraining)
    if any(each.drops for each in given):
        return ()
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
    if decision.direction == "down" and not decision.loads:
        return decision
    loads = [answer.load for answer in past.last.done if answer.load is not None]
    limit = None
    if loads and past.ladder is not None:
        # Where loads differ, as in a wave, the heaviest set is what was done.
        limit = past.ladder.existing(max(loads) if decision.loads else past.last.load)
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


def _lightened(decision: BlockDecision, past: BlockPast, factor: float) -> BlockDecision:
    """Less load, always rounded down, with the fewest repetitions of the target.

    At the bottom, where there is no less, the load stays.
    """
    ladder = past.ladder
    if decision.load is None or ladder is None:
        return decision

    def lighter(load: float) -> float:
        reduced = ladder.reset(load, factor)
        return load if reduced is None else min(reduced, load)

    reps, low = decision.reps, past.low
    if reps is not None and low is not None and not decision.loads:
        reps = tuple(min(target, low) for target in reps)
    return replace(
        decision,
        direction="down",
        load=lighter(decision.load),
        loads=decision.loads and tuple(lighter(each) for each in decision.loads),
        reps=reps,
    )


def _avoided(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    avoided = {compared_title(title) for title in circumstances.avoided_titles}
    if compared_title(slot.exercise_title) in avoided:
        text = f"Left out: your profile avoids it.{_instead(slot, circumstances)}"
        yield Restraint(Adjustment(rule="avoided", text=text), drops=True)


def _pain(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    groups = {slot.primary_muscle_group or "", *slot.secondary_muscle_groups}
    pain = worst_pain(circumstances.pains, groups)
    if pain is None or not pain.is_at_least(PAIN_NO_INCREASE_FROM.value):
        return
    instead = _instead(slot, circumstances)
    if pain.is_at_least(PAIN_DROP_FROM.value):
        text = f"Left out: severe pain ({pain.part}). Have it looked at before you train it again."
        yield Restraint(Adjustment(rule="pain_severe", text=f"{text}{instead}"), drops=True)
    else:
        text = f"No increase with pain ({pain.part}); choose another exercise if it hurts."
        yield Restraint(Adjustment(rule="pain_moderate", text=f"{text}{instead}"))


def _instead(slot: Slot, circumstances: Circumstances) -> str:
    """What the athlete's profile names to do instead, as a sentence; empty if it names nothing."""
    titles = circumstances.substitutes.get(slot.exercise_title, ())
    return f" Instead: {' or '.join(titles)}." if titles else ""


def _deload(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    reason = circumstances.deload
    if reason is None and slot.exercise_title in circumstances.deloaded_titles:
        reason = "asked"
    if reason is None:
        return
    text = (
        f"Easy on purpose, {_DELOAD_WHY[reason]}: "
        f"{DELOAD_SETS_FACTOR.value:.0%} of the sets at {DELOAD_LOAD_FACTOR.value:.0%} of the "
        f"load, each with {DELOAD_RIR_MIN.value} repetitions to spare."
    )
    yield Restraint(
        Adjustment(rule=f"deload_{reason}", text=text),
        load_factor=DELOAD_LOAD_FACTOR.value,
        sets_factor=DELOAD_SETS_FACTOR.value,
        rpe_cap=HIGHEST_RPE - DELOAD_RIR_MIN.value,
        is_easy=True,
    )


def _taper(circumstances: Circumstances) -> Iterable[Restraint]:
    if circumstances.is_taper:
        text = f"Taper: {-TAPER_VOLUME.value:g} % fewer sets, the load stays."
        yield Restraint(
            Adjustment(rule="taper", text=text), sets_factor=1 + TAPER_VOLUME.value / 100
        )


def _readiness(circumstances: Circumstances) -> Iterable[Restraint]:
    if circumstances.readiness == "low":
        text = "You feel low: no increase and one set fewer."
        yield Restraint(
            Adjustment(rule="readiness_low", text=text),
            sets_off=-READINESS_LOW_SETS.value,
            rpe_cap=READINESS_LOW_RPE_CAP.value,
        )
    elif circumstances.readiness == "very_low":
        less = -READINESS_VERY_LOW_LOAD.value
        text = f"You feel very low: {less:g} % less load and one set fewer."
        yield Restraint(
            Adjustment(rule="readiness_very_low", text=text),
            load_factor=1 - less / 100,
            sets_off=-READINESS_LOW_SETS.value,
            rpe_cap=READINESS_LOW_RPE_CAP.value,
            is_easy=True,
        )


def _layoff(layoff: Layoff | None) -> Iterable[Restraint]:
    if layoff is None:
        return
    is_long = layoff == "long"
    less = -(LAYOFF_LONG_LOAD if is_long else LAYOFF_MID_LOAD).value
    away = "a long break" if is_long else "more than two weeks"
    text = f"Back after {away}: {less:g} % less load and one set fewer."
    yield Restraint(
        Adjustment(rule=f"layoff_{layoff}", text=text),
        load_factor=1 - less / 100,
        sets_off=-LAYOFF_MID_FIRST_SETS.value,
    )
