"""The deterministic engine: from structure and history to the next workout, set by set.

`settled` brings a routine into the engine's input, `prescribe` turns that into the plan. The plan
depends on the input alone, and the input not on what an earlier plan wrote into the routine.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from coach_agent.context import RoutineContext, SlotContext
from coach_agent.plan import DoneSet, Place, Plan, SlotPrescription
from coach_agent.profile import Rules
from coach_agent.progression.adjustments import (
    BlockPast,
    Restraint,
    cut,
    restrained,
    restraints,
)
from coach_agent.progression.block import BlockDecision, BlockHistory, Direction
from coach_agent.progression.circumstances import Circumstances, Layoff, layoff_before
from coach_agent.progression.constants import rule_version
from coach_agent.progression.history import WORKING_TYPES
from coach_agent.progression.ladder import WEIGHTED, bar_of, ladder_for
from coach_agent.progression.loaded import double, linear, with_doubts
from coach_agent.progression.shape import (
    Block,
    Group,
    SlotInput,
    drop_loads,
    history,
    joined_groups,
    shape,
    working_groups,
)
from coach_agent.progression.unloaded import open_reps, reps_in_range, timed
from coach_agent.progression.warmup import fit_ramp, ramp
from coach_agent.progression.wording import SetNames
from coach_agent.values import Value

_KEPT = {
    "no_history": "not done yet",
    "target_changed": "not done with this target yet",
    "no_target": "no target to progress towards",
    "not_progressed": "endurance work is the athlete's own",
}
_ONLY_WARMUPS = "no_working_sets"

Decisions = Mapping[Block, BlockDecision | None]


class EngineInput(Value):
    """Everything that a plan depends on, and nothing else."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rules: Rules
    circumstances: Circumstances = Circumstances()
    slots: tuple[SlotInput, ...]


def settled(
    athlete_id: str,
    routine: RoutineContext,
    rules: Rules,
    circumstances: Circumstances | None = None,
    today: date | None = None,
) -> EngineInput:
    """The engine's input for a routine.

    `today` is the athlete's day, by which breaks are measured; None: whatever the day, there was
    no break. Of the day only what it means goes into the input, so the input of a night on which
    nothing changed is that of the night before.
    """
    return EngineInput(
        athlete_id=athlete_id,
        routine_id=routine.routine_id,
        routine_title=routine.title,
        rules=rules,
        circumstances=circumstances or Circumstances(),
        slots=tuple(_settled_slot(slot, rules, today) for slot in routine.slots),
    )


def prescribe(given: EngineInput) -> Plan:
    """The next workout."""
    slots, directions = [], []
    for slot in given.slots:
        restraining = restraints(slot, slot.layoff, given.circumstances)
        decisions = _decisions(slot, given.rules)
        today = _restrained(slot, decisions, restraining, given.rules)
        slots.append(_prescription(slot, decisions, today, restraining, given.rules))
        directions.append(_direction(today.values()))
    return Plan(
        athlete_id=given.athlete_id,
        routine_id=given.routine_id,
        routine_title=given.routine_title,
        rule_version=rule_version(),
        summary=_summary(directions),
        deload=given.circumstances.deload,
        slots=tuple(slots),
    )


def _settled_slot(slot: SlotContext, rules: Rules, today: date | None) -> SlotInput:
    """The slot with working sets in groups that stay apart once the plan is in the routine.

    Groups are what shares target and load now. Two of them may come to the same load, for example
    when a top set is reset to that of the back-off sets, and then nobody could tell them apart
    any more: such groups decide together. Each round joins some, so this ends.
    """
    groups = working_groups(slot, slot.planned_sets, rules)
    while True:
        shaped = shape(slot, groups, rules)
        targets = {each.set_index: each for each in _sets(shaped, _decisions(shaped, rules), rules)}
        prescribed = [tuple(targets[each.set_index] for each in group) for group in groups]
        joined = joined_groups(groups, prescribed, slot, rules)
        if len(joined) == len(groups):
            return shaped.model_copy(update={"layoff": _layoff(slot, today)})
        groups = joined


def _layoff(slot: SlotContext, today: date | None) -> Layoff | None:
    """How long the exercise was not done by today, wherever it was done last."""
    newest = slot.exposures[0].started_at if slot.exposures else None
    last = max((at for at in (slot.last_trained_at, newest) if at is not None), default=None)
    return None if last is None or today is None else layoff_before(today, last.date())


def _decisions(slot: SlotInput, rules: Rules) -> Decisions:
    return {block: _decide(slot, block, rules) for block in slot.blocks}


def _restrained(
    slot: SlotInput, decisions: Decisions, restraining: Sequence[Restraint], rules: Rules
) -> Decisions:
    """The decisions as circumstances let them be today."""
    return {
        block: decision and restrained(decision, _past(slot, block, rules), restraining)
        for block, decision in decisions.items()
    }


def _past(slot: SlotInput, block: Block, rules: Rules) -> BlockPast:
    """What a block with a decision did last."""
    last = history(slot, slot.sets, block).attempts[0]
    has_load = any(answer.load is not None for answer in last.done)
    return BlockPast(
        last,
        ladder_for(slot, rules, through_kg=last.load) if has_load else None,
        None if block.target is None else block.target.low,
    )


def _decide(slot: SlotInput, block: Block, rules: Rules) -> BlockDecision | None:
    """What the block does next; None where the routine's own targets stay."""
    target = block.target
    if block.model == "keep" or target is None:
        return None
    found = history(slot, slot.sets, block)
    past = BlockHistory(
        found.attempts,
        _names(slot, block),
        rules.for_exercise(slot.exercise_title).rpe_cap,
    )
    if block.model == "timed":
        return timed(past)
    if target.low is None or (block.model == "reps" and target.high is None):
        return open_reps(past, target.low)
    if block.model == "reps_range" and target.high is not None:
        can_add = slot.exercise_type == WEIGHTED
        added = ladder_for(slot, rules, through_kg=0.0) if can_add else None
        return reps_in_range(past, target.low, target.high, added)
    ladder = ladder_for(slot, rules, through_kg=past.last.load)
    if block.model == "double" and target.high is not None:
        decision = double(past, target.low, target.high, ladder)
        return with_doubts(decision, past, found.doubts, target.low, target.high, ladder)
    decision = linear(past, target.low, ladder, is_open=block.model == "open")
    return with_doubts(decision, past, found.doubts, target.low, target.low, ladder)


def _prescription(
    slot: SlotInput,
    decisions: Decisions,
    today: Decisions,
    restraining: Sequence[Restraint],
    rules: Rules,
) -> SlotPrescription:
    latest = slot.exposures[0] if slot.exposures else None
    codes, reason = _explanation(slot, today)
    whole = _sets(slot, decisions, rules)
    sets = cut(_sets(slot, today, rules), restraining)
    adjustments = tuple(each.adjustment for each in restraining)
    if adjustments:
        codes = tuple(dict.fromkeys((*(each.rule for each in adjustments), *codes)))
        reason = " ".join(each.text for each in adjustments)
    return SlotPrescription(
        **{name: getattr(slot, name) for name in Place.model_fields},
        rule=", ".join(dict.fromkeys(block.model for block in slot.blocks)) or "keep",
        reason_codes=codes,
        reason=reason,
        last_done_at=latest.started_at if latest else None,
        last_done=tuple(
            DoneSet(**{name: getattr(done, name) for name in DoneSet.model_fields})
            for done in (latest.sets if latest else ())
        ),
        sets=sets,
        adjustments=adjustments,
        whole_sets=() if sets == whole else whole,
        is_easy=any(each.is_easy for each in restraining),
    )


def _sets(slot: SlotInput, decisions: Decisions, rules: Rules) -> Group:
    """The sets of a slot with the targets that were decided; all else as in the routine."""
    targets = {
        **_warmup_targets(slot, decisions, rules),
        **_drop_targets(slot, rules),
        **_working_targets(decisions),
    }
    return tuple(planned.model_copy(update=targets.get(planned.set_index)) for planned in slot.sets)


def _working_targets(
    decisions: Decisions,
) -> dict[int, dict[str, float]]:
    targets: dict[int, dict[str, float]] = {}
    for block, decision in decisions.items():
        if decision is None:
            continue
        for place, index in enumerate(block.set_indexes):
            target = targets.setdefault(index, {})
            if decision.load is not None:
                target["weight_kg"] = abs(decision.load)
            if decision.reps is not None:
                target["reps"] = decision.reps[place]
            if decision.durations_s is not None:
                target["duration_s"] = decision.durations_s[place]
    return targets


def _warmup_targets(
    slot: SlotInput, decisions: Decisions, rules: Rules
) -> dict[int, dict[str, float]]:
    """The loads of the ramp; how many warm-ups there are, and their repetitions, stay."""
    first = decisions[slot.blocks[0]] if slot.has_ramp else None
    if first is None or first.load is None or not first.reps:
        return {}
    loads = ladder_for(slot, rules, through_kg=first.load).loads
    indexes = [planned.set_index for planned in slot.sets if planned.set_type == "warmup"]
    steps = fit_ramp(ramp(first.load, first.reps[0], loads, bar_of(slot, rules)), len(indexes))
    return {index: {"weight_kg": step.load_kg} for index, step in zip(indexes, steps, strict=True)}


def _drop_targets(slot: SlotInput, rules: Rules) -> dict[int, dict[str, float]]:
    """The loads with which drop sets were done last: how far to drop is the athlete's feeling."""
    return {
        index: {"weight_kg": abs(ladder_for(slot, rules, through_kg=load).existing(load))}
        for index, load in drop_loads(slot).items()
    }


def _explanation(slot: SlotInput, decisions: Decisions) -> tuple[tuple[str, ...], str]:
    """The reason codes of a slot, and its reason for a person."""
    if not decisions:
        return (_ONLY_WARMUPS,), "Kept as the routine says: no working sets."
    kept = {block.keep_code for block in decisions if block.keep_code}
    if len(kept) == 1 and not any(decisions.values()):
        (code,) = kept
        return (code,), f"Kept as the routine says: {_KEPT[code]}."
    codes: list[str] = []
    reasons = []
    for block, decision in decisions.items():
        if decision is not None:
            codes += decision.codes
            reasons.append(decision.reason)
        elif block.keep_code:
            codes.append(block.keep_code)
            name = _names(slot, block).whole
            reasons.append(f"{name} kept as the routine says: {_KEPT[block.keep_code]}.")
    return tuple(dict.fromkeys(codes)), " ".join(reasons)


def _names(slot: SlotInput, block: Block) -> SetNames:
    working = [planned.set_index for planned in slot.sets if planned.set_type in WORKING_TYPES]
    numbers = tuple(working.index(index) + 1 for index in block.set_indexes)
    return SetNames(numbers, len(working))


def _direction(decisions: Iterable[BlockDecision | None]) -> Direction:
    """Where an exercise goes as a whole: what goes down is told first."""
    directions = {decision.direction for decision in decisions if decision}
    if "down" in directions:
        return "down"
    return "up" if "up" in directions else "same"


def _summary(directions: Iterable[Direction]) -> str:
    counts = Counter(directions)
    labels: dict[Direction, str] = {"up": "up", "same": "unchanged", "down": "down"}
    parts = [f"{counts[key]} {label}" for key, label in labels.items() if counts[key]]
    return f"Exercises: {', '.join(parts)}."
