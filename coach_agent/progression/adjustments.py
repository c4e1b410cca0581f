"""What circumstances take away from a decision: hold, lighten, shorten or leave out.

The strictest of several counts, they do not multiply. Each one is told with its rule. Sources:
policy 1 and sections 7 and 8 of the training science that the constants name; all of it opinion.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil

from coach_agent.context import Slot
from coach_agent.pain import worst_pain
from coach_agent.plan import Adjustment, SetPrescription, StallAnalysis
from coach_agent.progression.block import BlockDecision
from coach_agent.progression.circumstances import Circumstances, DeloadReason, Layoff
from coach_agent.progression.constants import (
    DELOAD_LOAD_FACTOR,
    DELOAD_SETS_FACTOR,
    LAYOFF_LONG_LOAD,
    LAYOFF_MID_FIRST_SETS,
    LAYOFF_MID_LOAD,
    LOAD_TOLERANCE,
    READINESS_LOW_SETS,
    READINESS_VERY_LOW_LOAD,
    STALL_FIX_DELOAD,
    TAPER_VOLUME,
)
from coach_agent.progression.history import WORKING_TYPES, Attempt
from coach_agent.progression.ladder import Ladder

Group = tuple[SetPrescription, ...]

_DELOAD_WHY: Mapping[DeloadReason, str] = {
    "asked": "as you asked",
    "calendar": "the week planned for it",
    "running": "the week goes on",
    "stalls": "several lifts stand still",
    "rpe_drift": "the same work feels harder each time",
    "readiness": "you have felt tired for a while",
}


@dataclass(frozen=True)
class Restraint:
    """What one circumstance takes from an exercise.

    It always forbids an increase. `load_factor` is applied to the load done, `sets_factor` to the
    number of working sets, `sets_off` is taken from it; `is_easy` marks work that is light on
    purpose and so no measure of progress; with `drops` the exercise is left out.
    """

    adjustment: Adjustment
    load_factor: float = 1.0
    sets_factor: float = 1.0
    sets_off: int = 0
    is_easy: bool = False
    drops: bool = False


@dataclass(frozen=True)
class BlockPast:
    """What a block did last, with the loads it may use; `low` is the lower end of its target.

    `is_mastered`: its last two attempts reached the target with one load; `is_below_best`: the last
    load is already less than an earlier one.
    """

    last: Attempt
    ladder: Ladder | None
    low: int | None
    is_mastered: bool = False
    is_below_best: bool = False


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


def not_heavier_while_stalled(
    decision: BlockDecision, past: BlockPast, stall: StallAnalysis | None
) -> BlockDecision:
    """The decision of a lift that stands still: no step before the last load was mastered twice.

    A stall never forces a load up, and hard sets come off a little first. Repetitions may grow.
    """
    if stall is None or decision.load is None or past.ladder is None:
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
    if factor < 1:
        held = _lightened(held, past, factor)
    codes = dict.fromkeys((*(each.adjustment.rule for each in given), *held.codes))
    return replace(held, codes=tuple(codes))


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
    """What was done again, or the decision where that is less."""
    last = past.last
    load, reps = decision.load, decision.reps
    if load is not None and load > last.load + LOAD_TOLERANCE.value:
        load = last.load if past.ladder is None else past.ladder.existing(last.load)
    if reps is not None and decision.direction == "up":
        low = past.low or 1
        done = (None if answer is None else answer.reps for answer in last.answers)
        reps = (
            tuple(
                max(1, min(target, low if before is None else max(low, before)))
                if decision.load == load
                else max(low, before or low)
                for target, before in zip(reps, done, strict=False)
            )
            + reps[len(last.answers) :]
        )
    durations = decision.durations_s
    if durations is not None and decision.direction == "up":
        times = (None if answer is None else answer.duration_s for answer in last.answers)
        durations = tuple(
            target if before is None else min(target, max(1, before))
            for target, before in zip(durations, times, strict=False)
        )
    direction = "same" if decision.direction == "up" else decision.direction
    return replace(decision, direction=direction, load=load, reps=reps, durations_s=durations)


def _lightened(decision: BlockDecision, past: BlockPast, factor: float) -> BlockDecision:
    """Less load, always rounded down, with the fewest repetitions of the target."""
    if decision.load is None or past.ladder is None:
        return decision
    ladder = past.ladder
    lighter = ladder.reduced(min(decision.load, past.last.load), factor)
    if lighter is None:
        return decision
    reps = decision.reps
    if reps is not None and past.low is not None:
        reps = tuple(min(target, past.low) for target in reps)
    return replace(decision, direction="down", load=min(lighter, decision.load), reps=reps)


def _avoided(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    if slot.exercise_title in circumstances.avoided_titles:
        text = "Left out: your profile avoids it."
        yield Restraint(Adjustment(rule="avoided", text=text), drops=True)


def _pain(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    groups = {slot.primary_muscle_group or "", *slot.secondary_muscle_groups}
    pain = worst_pain(circumstances.pains, groups)
    if pain is None or pain.level == "mild":
        return
    if pain.level == "severe":
        text = f"Left out: severe pain ({pain.part}). Have it looked at before you train it again."
        yield Restraint(Adjustment(rule="pain_severe", text=text), drops=True)
    else:
        text = f"No increase with pain ({pain.part}); choose another exercise if it hurts."
        yield Restraint(Adjustment(rule="pain_moderate", text=text))


def _deload(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    reason = circumstances.deload
    if reason is None and slot.exercise_title in circumstances.deloaded_titles:
        reason = "asked"
    if reason is None:
        return
    text = (
        f"Easy on purpose, {_DELOAD_WHY[reason]}: "
        f"{DELOAD_SETS_FACTOR.value:.0%} of the sets at {DELOAD_LOAD_FACTOR.value:.0%} of the load."
    )
    yield Restraint(
        Adjustment(rule=f"deload_{reason}", text=text),
        load_factor=DELOAD_LOAD_FACTOR.value,
        sets_factor=DELOAD_SETS_FACTOR.value,
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
            Adjustment(rule="readiness_low", text=text), sets_off=-READINESS_LOW_SETS.value
        )
    elif circumstances.readiness == "very_low":
        less = -READINESS_VERY_LOW_LOAD.value
        text = f"You feel very low: {less:g} % less load and one set fewer."
        yield Restraint(
            Adjustment(rule="readiness_very_low", text=text),
            load_factor=1 - less / 100,
            sets_off=-READINESS_LOW_SETS.value,
            is_easy=True,
        )


def _layoff(layoff: Layoff | None) -> Iterable[Restraint]:
    if layoff == "mid":
        less = -LAYOFF_MID_LOAD.value
        text = f"Back after more than two weeks: {less:g} % less load and one set fewer."
        yield Restraint(
            Adjustment(rule="layoff_mid", text=text),
            load_factor=1 - less / 100,
            sets_off=-LAYOFF_MID_FIRST_SETS.value,
        )
    elif layoff == "long":
        less = -LAYOFF_LONG_LOAD.value
        text = f"Back after a long break: {less:g} % less load and one set fewer."
        yield Restraint(
            Adjustment(rule="layoff_long", text=text),
            load_factor=1 - less / 100,
            sets_off=-LAYOFF_MID_FIRST_SETS.value,
        )
