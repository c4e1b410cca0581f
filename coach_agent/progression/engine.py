"""The deterministic engine: from structure and history to the next workout, set by set.

`settled` brings a routine into the engine's input, `prescribe` turns that into the plan. The plan
depends on the input alone, and the input not on what an earlier plan wrote into the routine.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from coach_agent.context import RoutineContext, SlotContext
from coach_agent.plan import DoneSet, Place, Plan, SessionMinutes, SlotPrescription
from coach_agent.profile import Rules
from coach_agent.progression.adjustments import (
    BlockPast,
    Restraint,
    cut,
    not_heavier_while_stalled,
    restrained,
    restraints,
)
from coach_agent.progression.block import BlockDecision, BlockHistory, Direction
from coach_agent.progression.circumstances import (
    Background,
    Circumstances,
    Layoff,
    layoff_before,
)
from coach_agent.progression.constants import LOAD_TOLERANCE, rule_version
from coach_agent.progression.duration import TimedSet, session_minutes
from coach_agent.progression.history import WORKING_TYPES
from coach_agent.progression.ladder import WEIGHTED, bar_of, ladder_for
from coach_agent.progression.loaded import double, linear, with_doubts
from coach_agent.progression.prediction import predictions
from coach_agent.progression.rest import kind_of, rest_s
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
from coach_agent.progression.shortening import within_time
from coach_agent.progression.stall import stall_of
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
_SAME_KG = LOAD_TOLERANCE.value
_LIMITS = frozenset(
    {
        *("load_unavailable", "no_heavier_load", "no_lighter_load", "step_infeasible"),
        *("rpe_cap", "stalled", "lighter_than_planned", "suspected_typo"),
    }
)
_ONLY_WARMUPS = "no_working_sets"

Decisions = Mapping[Block, BlockDecision | None]


class EngineInput(Value):
    """Everything that a plan depends on, and nothing else."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rules: Rules
    circumstances: Circumstances = Circumstances()
    background: Background = Background()
    slots: tuple[SlotInput, ...]


def settled(
    athlete_id: str,
    routine: RoutineContext,
    rules: Rules,
    circumstances: Circumstances | None = None,
    background: Background | None = None,
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
        background=background or Background(),
        slots=tuple(_settled_slot(slot, rules, today) for slot in routine.slots),
    )


def prescribe(given: EngineInput) -> Plan:
    """The next workout."""
    decided, directions = [], []
    for slot in given.slots:
        restraining = restraints(slot, slot.layoff, given.circumstances)
        decisions = _decisions(slot, given.rules)
        today = _restrained(slot, decisions, restraining, given.rules)
        decided.append(_prescription(slot, decisions, today, restraining, given.rules))
        directions.append(_direction(today.values()))
    pace = given.background.minutes_a_set, given.background.paced_workouts
    slots = within_time(
        tuple(decided),
        given.circumstances.minutes,
        lambda slots: minutes_of(slots, *pace).minutes,
        {title for title, rule in given.rules.exercises.items() if rule.is_optional},
    )
    return Plan(
        athlete_id=given.athlete_id,
        routine_id=given.routine_id,
        routine_title=given.routine_title,
        rule_version=rule_version(),
        summary=_summary(directions),
        deload=given.circumstances.deload,
        minutes=minutes_of(slots, *pace),
        insight=given.background.insight,
        advice=given.background.advice,
        slots=tuple(
            _foreseen(prescribed, slot, given.background.errors)
            for prescribed, slot in zip(slots, given.slots, strict=True)
        ),
    )


def minutes_of(
    slots: Iterable[SlotPrescription], minutes_a_set: float | None, paced_workouts: int
) -> SessionMinutes:
    """How long a workout will take, at the athlete's own pace where that is known."""
    sets = [
        TimedSet(each.reps or each.rep_range_start, each.duration_s, rest_of(slot))
        for slot in slots
        for each in slot.sets
    ]
    return session_minutes(sets, minutes_a_set, paced_workouts)


def rest_of(slot: SlotPrescription) -> int:
    """The rest between the sets of an exercise in seconds: the routine's, else the advised one."""
    return slot.advised_rest_s or 0 if slot.rest_s is None else slot.rest_s


def _foreseen(
    prescribed: SlotPrescription, slot: SlotInput, errors: tuple[float, ...]
) -> SlotPrescription:
    """The exercise with what to expect of each of its sets."""
    working = [each.set_index for each in slot.sets if each.set_type in WORKING_TYPES]
    found = predictions(slot, working, prescribed.sets, errors)
    expected = tuple(found.get(each.set_index) for each in prescribed.sets)
    return prescribed.model_copy(update={"predictions": expected})


def _settled_slot(slot: SlotContext, rules: Rules, today: date | None) -> SlotInput:
    """The slot with working sets in groups that stay apart once the plan is in the routine.

    Groups are what shares target and load now. Two of them may come to the same load, for example
    when a top set is reset to that of the back-off sets, and then nobody could tell them apart
    any more: such groups decide together. Each round joins some, so this ends.
    """
    today_is = {"layoff": _layoff(slot, today), "stall": stall_of(slot)}
    groups = working_groups(slot, slot.planned_sets, rules)
    while True:
        shaped = shape(slot, groups, rules).model_copy(update=today_is)
        targets = {each.set_index: each for each in _sets(shaped, _decisions(shaped, rules), rules)}
        prescribed = [tuple(targets[each.set_index] for each in group) for group in groups]
        joined = joined_groups(groups, prescribed, slot, rules)
        if len(joined) == len(groups):
            return shaped
        groups = joined


def _layoff(slot: SlotContext, today: date | None) -> Layoff | None:
    """How long the exercise was not done by today, wherever it was done last."""
    newest = slot.exposures[0].started_at if slot.exposures else None
    last = max((at for at in (slot.last_trained_at, newest) if at is not None), default=None)
    return None if last is None or today is None else layoff_before(today, last.date())


def _decisions(slot: SlotInput, rules: Rules) -> Decisions:
    decisions: dict[Block, BlockDecision | None] = {}
    for block in slot.blocks:
        decision = _decide(slot, block, rules)
        if decision is not None and slot.stall is not None:
            past = _past(slot, block, rules)
            decision = not_heavier_while_stalled(decision, past, slot.stall)
        decisions[block] = decision
    return decisions


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
    past = history(slot, slot.sets, block).attempts
    last, low = past[0], None if block.target is None else block.target.low
    if all(answer.load is None for answer in last.done):
        return BlockPast(last, None, low)
    loads = [attempt.load for attempt in past]
    top = None if block.target is None else block.target.high or low
    reached = [
        attempt.is_complete and all((answer.reps or 0) >= (top or 1) for answer in attempt.done)
        for attempt in past[:2]
    ]
    return BlockPast(
        last,
        ladder_for(slot, rules, through_kg=last.load),
        low,
        is_mastered=len(past) > 1 and all(reached) and abs(loads[0] - loads[1]) <= _SAME_KG,
        is_below_best=max(loads) > last.load + _SAME_KG,
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
        direction=_direction(today.values()),
        advised_rest_s=_advised_rest_s(slot, whole),
        stall=slot.stall,
        limits=tuple(code for code in codes if code in _LIMITS),
        adjustments=adjustments,
        whole_sets=() if sets == whole else whole,
        is_easy=any(each.is_easy for each in restraining),
    )


def _advised_rest_s(slot: SlotInput, sets: Group) -> int | None:
    """How long to rest where the routine does not say."""
    if slot.rest_s is not None:
        return None
    kind = kind_of(slot.primary_muscle_group, slot.secondary_muscle_groups)
    reps = [each.reps or each.rep_range_start for each in sets if each.set_type in WORKING_TYPES]
    fewest = min((each for each in reps if each is not None), default=None)
    return rest_s(kind, fewest, in_superset=slot.superset_id is not None)


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
