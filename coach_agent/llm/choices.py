"""Apply a choice within the windows to the plan. Loads are kg, as in a plan."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import (
    EXCHANGED,
    Adjustment,
    Plan,
    SetPrescription,
    SlotPrescription,
)
from coach_agent.engine.duration import minutes_of
from coach_agent.engine.engine import summary_of, with_predictions
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.conditions import Background
from coach_agent.engine.limits.warmup import warmup_loads
from coach_agent.engine.loads.ladder import bar_of, ladder_for, load_of
from coach_agent.engine.models.block import Direction
from coach_agent.engine.models.block_history import history
from coach_agent.engine.models.select import Group
from coach_agent.engine.models.slots import SlotInput
from coach_agent.language.messages import phrase
from coach_agent.profile.model import Rules

CHOSEN_LOAD, CHOSEN_COUNT, CHOSEN_SETS = "coach_load", "coach_reps", "coach_sets"


@dataclass(frozen=True)
class Pick:
    """The choice for a block: a load, the repetitions or seconds of each set, and the number of
    sets.

    No load and no counts if the plan has none.
    """

    load_kg: float | None
    counts: tuple[int, ...]
    sets: int


@dataclass(frozen=True)
class Option:
    """An exercise for a place: the engine's proposal with its inputs.

    `rules` and `background` are those of the decision.
    """

    proposal: SlotPrescription
    slot: SlotContext
    slot_input: SlotInput
    rules: Rules
    background: Background

    @property
    def is_swap(self) -> bool:
        """True if it replaces the routine's exercise."""
        return self.proposal.replaces is not None


def proposed_pick(sets: Sequence[SetPrescription], timed: set[int]) -> Pick:
    """Return the engine's choice for these sets."""
    values = [each.duration_s if each.set_index in timed else each.reps for each in sets]
    counts = tuple(each for each in values if each is not None)
    return Pick(sets[0].weight_kg, counts if len(counts) == len(sets) else (), len(sets))


def apply_picks(option: Option, picks: Sequence[Pick]) -> SlotPrescription:
    """Return the exercise with the choices for its blocks, in their order.

    Only an exercise with one block can differ from the proposal: otherwise the numbers depend on
    each other.
    """
    proposal = option.proposal
    if len(picks) != 1:
        return proposal
    (pick,) = picks
    timed = {
        index
        for each in option.slot_input.blocks
        if each.model == "timed"
        for index in each.set_indexes
    }
    working = [each for each in proposal.sets if each.set_type in WORKING_TYPES]
    before = proposed_pick(working, timed)
    if pick == before:
        return proposal
    sets = _with_warmups(_with_pick(proposal.sets, pick, timed), pick, before, option)
    changes = tuple(_describe_choices(pick, before, option, is_timed=bool(timed)))
    names = tuple(each.rule for each in changes)
    changed = proposal.model_copy(
        update={
            "sets": sets,
            "whole_sets": proposal.structure if pick.sets != before.sets else proposal.whole_sets,
            "direction": _direction(pick, before, option),
            "adjustments": (*proposal.adjustments, *changes),
            "limits": tuple(dict.fromkeys((*proposal.limits, *names))),
            "reason_codes": tuple(dict.fromkeys((*proposal.reason_codes, *names))),
        }
    )
    return with_predictions(changed, option.slot_input, option.rules, option.background.accuracy)


def in_place(own: Option, other: Option, picks: Sequence[Pick]) -> tuple[SlotPrescription, ...]:
    """Return the slots in the place of `own` if `other` was chosen: itself, or a replacement for
    today.

    With a replacement its own exercise is left out in the same way as by circumstances, so the next
    plan restores it.
    """
    slot = apply_picks(other, picks)
    if not other.is_swap:
        return (slot,)
    return _left_out(own, slot.exercise_title), slot


def chosen(
    plan: Plan, places: Sequence[tuple[SlotPrescription, ...]], background: Background
) -> Plan:
    """Return the plan with these slots in these places in this order; its totals are recomputed."""
    slots = [slot for place in places for slot in place]
    numbered = tuple(
        slot if slot.exercise_index == index and slot.replaces is None else _move(slot, index)
        for index, slot in enumerate(slots)
    )
    if numbered == plan.slots:
        return plan
    return plan.model_copy(
        update={
            "slots": numbered,
            "summary": summary_of(numbered),
            "minutes": minutes_of(numbered, background.minutes_a_set, background.paced_workouts),
        }
    )


def arrange_routine(
    routine: RoutineContext, plan: Plan, exchanged: Mapping[int, SlotContext]
) -> RoutineContext:
    """Return the routine as arranged by the plan: its places in the plan's order, with
    replacements.

    Guardrails validate a plan that moves or replaces exercises against it. `exchanged` are the
    replacements by the index of the replaced place in the routine.
    """
    slots = []
    for index, prescribed in enumerate(plan.slots):
        before = index_before(prescribed)
        slot = routine.slots[before] if prescribed.replaces is None else exchanged[before]
        slots.append(slot.model_copy(update={"exercise_index": index}))
    return routine.model_copy(update={"slots": tuple(slots)})


def index_before(slot: SlotPrescription) -> int:
    """Return the index of a slot's place in the routine that the plan was built for."""
    return slot.exercise_index if slot.moved_from is None else slot.moved_from


def _move(slot: SlotPrescription, index: int) -> SlotPrescription:
    return slot.model_copy(update={"exercise_index": index, "moved_from": index_before(slot)})


def _left_out(own: Option, instead: str) -> SlotPrescription:
    slot = own.proposal
    if not slot.sets:
        return slot
    adjustment = Adjustment(rule=EXCHANGED, text=phrase("left-out-exchanged", exercise=instead))
    return slot.model_copy(
        update={
            "sets": (),
            "whole_sets": slot.structure,
            "predictions": (),
            "notes": own.slot.notes,
            "direction": "out",
            "adjustments": (*slot.adjustments, adjustment),
            "limits": tuple(dict.fromkeys((*slot.limits, EXCHANGED))),
            "reason_codes": tuple(dict.fromkeys((*slot.reason_codes, EXCHANGED))),
        }
    )


def _with_pick(sets: Group, pick: Pick, timed: set[int]) -> Group:
    working = [each.set_index for each in sets if each.set_type in WORKING_TYPES]
    last = working[min(pick.sets, len(working)) - 1]
    # Sets after the work, such as a drop set, stay only if all of the work stays.
    kept = [each for each in sets if each.set_index <= last or pick.sets >= len(working)]
    added = pick.sets - len(working)
    if added > 0:
        kept += [
            kept[-1].model_copy(update={"set_index": kept[-1].set_index + more})
            for more in range(1, added + 1)
        ]
    picked = []
    places = iter(range(pick.sets))
    for each in kept:
        if each.set_type not in WORKING_TYPES:
            picked.append(each)
            continue
        place = next(places)
        update: dict[str, float | int | None] = {"weight_kg": pick.load_kg}
        if pick.counts:
            update["duration_s" if timed else "reps"] = pick.counts[place]
        picked.append(each.model_copy(update=update))
    return tuple(picked)


def _with_warmups(sets: Group, pick: Pick, before: Pick, option: Option) -> Group:
    """Return the sets with warm-ups that lead up to the chosen load."""
    top_kg = pick.load_kg
    warmups = [each for each in sets if each.set_type == "warmup"]
    if top_kg is None or top_kg == before.load_kg or not warmups or not option.slot_input.has_ramp:
        return sets
    ladder = ladder_for(option.slot_input, option.rules, through_kg=top_kg)
    bar_kg = bar_of(option.slot_input, option.rules)
    top_reps, reps = next(iter(pick.counts), None), [each.reps for each in warmups]
    fitted = iter(warmup_loads(option.slot_input, reps, top_kg, top_reps, ladder, bar_kg))
    return tuple(
        each.model_copy(update={"weight_kg": next(fitted)}) if each.set_type == "warmup" else each
        for each in sets
    )


def _describe_choices(
    pick: Pick, before: Pick, option: Option, *, is_timed: bool
) -> Iterable[Adjustment]:
    """Yield a sentence for each choice that differs from the proposal."""
    unit = option.rules.equipment.unit
    if pick.load_kg != before.load_kg and pick.load_kg is not None and before.load_kg is not None:
        kind = option.slot.exercise_type
        load, other = (format_set_load(each, kind, unit) for each in (pick.load_kg, before.load_kg))
        text = phrase("chosen-load", now=load, before=other)
        yield Adjustment(rule=CHOSEN_LOAD, text=text)
    shared = min(pick.sets, before.sets)
    if pick.counts[:shared] != before.counts[:shared]:
        counts, others = (", ".join(map(str, each)) for each in (pick.counts, before.counts))
        message = "chosen-seconds" if is_timed else "chosen-reps"
        text = phrase(message, now=counts, before=others)
        yield Adjustment(rule=CHOSEN_COUNT, text=text)
    if pick.sets != before.sets:
        text = phrase("chosen-sets", now=pick.sets, before=before.sets)
        yield Adjustment(rule=CHOSEN_SETS, text=text)


def _direction(pick: Pick, before: Pick, option: Option) -> Direction:
    """Return the direction of the exercise with the choice, compared with the last time."""
    proposal = option.proposal
    own = proposal.direction if proposal.direction != "out" else "same"
    kind = option.slot.exercise_type
    load, other = (load_of(kind, each.load_kg) for each in (pick, before))
    if load is not None and other is not None and load != other:
        if load > other:
            return "up"
        past = history(
            option.slot_input, option.slot_input.sets, option.slot_input.blocks[0]
        ).attempts
        base = past[0].load if past else other
        if own != "up" or load < base - LOAD_TOLERANCE.value:
            return "down"
        return "up" if load > base + LOAD_TOLERANCE.value else "same"
    shared = min(pick.sets, before.sets)
    more = sum(pick.counts[:shared]) - sum(before.counts[:shared])
    if more < 0:
        return "same" if own == "up" else "down"
    return "up" if more > 0 else own
