"""The deterministic engine: from structure and history to the next workout, set by set.

`settled` brings a routine into the engine's input, `prescribe` turns that into the plan. The plan
depends on the input alone, and the input not on what an earlier plan wrote into the routine.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from coach_agent.context import RoutineContext, SlotContext
from coach_agent.plan import DoneSet, Plan, SetPrescription, SlotPrescription
from coach_agent.profile import Rules
from coach_agent.progression.block import BlockDecision, Direction
from coach_agent.progression.choosing import SCHEME_MODELS, Block, Group
from coach_agent.progression.constants import rule_version
from coach_agent.progression.deciding import decisions_for, names_of
from coach_agent.progression.ladder import bar_of, ladder_for
from coach_agent.progression.shape import (
    SlotInput,
    drop_loads,
    joined_groups,
    numbered,
    shape,
    with_one_working_set,
    working_groups,
)
from coach_agent.progression.warmup import fit_ramp, ramp
from coach_agent.values import Value

Fields = dict[str, float | None]
"""Fields of a set that a plan decides."""

_KEPT = {
    "no_history": "not done yet",
    "target_changed": "not done with this target yet",
    "no_target": "no target to progress towards",
    "not_progressed": "endurance work is the athlete's own",
}
_ONLY_WARMUPS = "no_working_sets"


class EngineInput(Value):
    """Everything that a plan depends on, and nothing else."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rules: Rules
    slots: tuple[SlotInput, ...]


def settled(athlete_id: str, routine: RoutineContext, rules: Rules) -> EngineInput:
    """The engine's input for a routine."""
    return EngineInput(
        athlete_id=athlete_id,
        routine_id=routine.routine_id,
        routine_title=routine.title,
        rules=rules,
        slots=tuple(_settled_slot(slot, rules) for slot in routine.slots),
    )


def prescribe(given: EngineInput) -> Plan:
    """The next workout."""
    slots, directions = [], []
    for slot in given.slots:
        decisions = decisions_for(slot, given.rules)
        slots.append(_prescription(slot, decisions, given.rules))
        directions.append(_direction(decisions.values()))
    return Plan(
        athlete_id=given.athlete_id,
        routine_id=given.routine_id,
        routine_title=given.routine_title,
        rule_version=rule_version(),
        summary=_summary(directions),
        slots=tuple(slots),
    )


def _settled_slot(slot: SlotContext, rules: Rules) -> SlotInput:
    """The slot with working sets in groups that stay apart once the plan is in the routine.

    Groups are what shares target and load now. Two of them may come to the same load, for example
    when a top set is reset to that of the back-off sets, and then nobody could tell them apart
    any more: such groups decide together. Each round joins some, so this ends.
    """
    slot = with_one_working_set(slot, rules)
    groups = working_groups(slot, slot.planned_sets, rules)
    while True:
        shaped = shape(slot, groups, rules)
        decisions = decisions_for(shaped, rules)
        targets = {each.set_index: each for each in _sets(shaped, decisions, rules)}
        prescribed = [tuple(targets[each.set_index] for each in group) for group in groups]
        joined = joined_groups(groups, prescribed, slot, rules)
        if len(joined) == len(groups):
            return shaped
        groups = joined


def _prescription(
    slot: SlotInput, decisions: Mapping[Block, BlockDecision | None], rules: Rules
) -> SlotPrescription:
    latest = slot.exposures[0] if slot.exposures else None
    codes, reason = _explanation(slot, decisions)
    return SlotPrescription(
        exercise_index=slot.exercise_index,
        occurrence=slot.occurrence,
        exercise_template_id=slot.exercise_template_id,
        exercise_title=slot.exercise_title,
        superset_id=slot.superset_id,
        rest_s=slot.rest_s,
        rule=", ".join(dict.fromkeys(block.model for block in slot.blocks)) or "keep",
        reason_codes=codes,
        reason=reason,
        last_done_at=latest.started_at if latest else None,
        last_done=tuple(
            DoneSet(**{name: getattr(done, name) for name in DoneSet.model_fields})
            for done in (latest.sets if latest else ())
        ),
        sets=_sets(slot, decisions, rules),
    )


def _sets(slot: SlotInput, decisions: Mapping[Block, BlockDecision | None], rules: Rules) -> Group:
    """The sets of a slot with the targets that were decided; all else as in the routine.

    A programme has as many working sets as it says, made like the routine's first one.
    """
    targets = {
        **_warmup_targets(slot, decisions, rules),
        **_drop_targets(slot, rules),
        **_working_targets(slot, decisions),
    }
    return numbered(
        planned.model_copy(update=target)
        for planned in slot.sets
        for target in targets.get(planned.set_index, [{}])
    )


def _working_targets(
    slot: SlotInput, decisions: Mapping[Block, BlockDecision | None]
) -> dict[int, list[Fields]]:
    """By index of the planned set, what is decided for it, or for each of the sets it becomes."""
    planned = {each.set_index: each for each in slot.sets}
    targets: dict[int, list[Fields]] = {}
    for block, decision in decisions.items():
        if decision is None:
            continue
        if block.model in SCHEME_MODELS:
            places = range(decision.set_count or 0)
            targets[block.set_indexes[0]] = [_scheme_fields(decision, place) for place in places]
            continue
        for place, index in enumerate(block.set_indexes):
            targets[index] = [_fields(decision, place, planned[index])]
    return targets


def _fields(decision: BlockDecision, place: int, planned: SetPrescription) -> Fields:
    fields: Fields = {}
    load = decision.load_at(place)
    if load is not None:
        fields["weight_kg"] = abs(load)
    if decision.reps is not None:
        highest = planned.rep_range_end or decision.reps[place]
        fields["reps"] = max(planned.rep_range_start or 1, min(decision.reps[place], highest))
    if decision.durations_s is not None:
        fields["duration_s"] = decision.durations_s[place]
    return fields


def _scheme_fields(decision: BlockDecision, place: int) -> Fields:
    load, reps = decision.load_at(place), decision.reps[place] if decision.reps else None
    is_open = place in decision.open_places
    return {
        "weight_kg": None if load is None else abs(load),
        "reps": reps,
        "rep_range_start": reps if is_open else None,
        "rep_range_end": None,
    }


def _warmup_targets(
    slot: SlotInput, decisions: Mapping[Block, BlockDecision | None], rules: Rules
) -> dict[int, list[Fields]]:
    """The loads of the ramp; how many warm-ups there are, and their repetitions, stay."""
    first = decisions[slot.blocks[0]] if slot.has_ramp else None
    top_kg = None if first is None else first.load_at(0)
    if first is None or top_kg is None:
        return {}
    loads = ladder_for(slot, rules, through_kg=top_kg).loads
    indexes = [planned.set_index for planned in slot.sets if planned.set_type == "warmup"]
    top_reps = first.reps[0] if first.reps else None
    steps = fit_ramp(ramp(top_kg, top_reps, loads, bar_of(slot, rules)), len(indexes))
    return {
        index: [{"weight_kg": step.load_kg}] for index, step in zip(indexes, steps, strict=True)
    }


def _drop_targets(slot: SlotInput, rules: Rules) -> dict[int, list[Fields]]:
    """The loads with which drop sets were done last: how far to drop is the athlete's feeling."""
    return {
        index: [{"weight_kg": abs(ladder_for(slot, rules, through_kg=load).existing(load))}]
        for index, load in drop_loads(slot).items()
    }


def _explanation(
    slot: SlotInput, decisions: Mapping[Block, BlockDecision | None]
) -> tuple[tuple[str, ...], str]:
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
            name = names_of(slot, block).whole
            reasons.append(f"{name} kept as the routine says: {_KEPT[block.keep_code]}.")
    return tuple(dict.fromkeys(codes)), " ".join(reasons)


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
