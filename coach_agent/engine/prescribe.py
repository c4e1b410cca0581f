"""Convert the decisions of an exercise to sets with targets, and a reason in words."""

from collections.abc import Iterable, Mapping

from coach_agent.domain.plan import Adjustment, DoneSet, Place, SetPrescription, SlotPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.programme_week import effort_cap
from coach_agent.engine.limits.rest import kind_of, rest_s
from coach_agent.engine.limits.restraints import Restraint
from coach_agent.engine.limits.set_cuts import cut_sets
from coach_agent.engine.limits.warmup import warmup_loads
from coach_agent.engine.loads.increments import ASSISTED, REPS_ONLY, WEIGHTED
from coach_agent.engine.loads.ladder import bar_of, ladder_for
from coach_agent.engine.models.block import BlockDecision, Direction
from coach_agent.engine.models.dispatch import names_of
from coach_agent.engine.models.select import SCHEME_MODELS, Block, Group
from coach_agent.engine.models.slots import SlotInput, drop_loads, renumber_sets
from coach_agent.language.messages import phrase
from coach_agent.profile.model import Rules

Decisions = Mapping[Block, BlockDecision | None]
Fields = dict[str, float | None]
"""Fields of a set that a plan decides."""

_DAYS = {"heavy_day": "day-heavy", "medium_day": "day-medium", "light_day": "day-light"}
"""Codes of days with their message."""
# Default repetitions to find a load: few enough not to tire.
_SEARCH_REPS = 5
_BODY_SEARCH = {
    REPS_ONLY: "load-search-body",
    ASSISTED: "load-search-assisted",
    WEIGHTED: "load-search-added",
}
_ONLY_WARMUPS = "no_working_sets"
_LIMITS = frozenset(
    {
        *("load_unavailable", "no_heavier_load", "no_lighter_load", "step_infeasible"),
        *("rpe_cap", "too_soon", "stalled", "lighter_than_planned", "suspected_typo", "tested_max"),
        "reserve",
    }
)


def prescription(
    slot: SlotInput,
    decisions: Decisions,
    today: Decisions,
    restraining: tuple[Restraint, ...],
    rules: Rules,
    step_kg: float | None,
    remarks: tuple[Adjustment, ...] = (),
) -> SlotPrescription:
    """Build the prescription of the exercise.

    `decisions` are those of its history, `today` the decisions after all restraints, `restraining`;
    `step_kg` is one step of its loads, `remarks` change nothing.
    """
    latest = slot.exposures[0] if slot.exposures else None
    codes, reason = _explanation(slot, decisions, rules)
    whole = sets_of(slot, decisions, rules)
    is_wave = any(block.model == "training_max" for block in slot.blocks)
    sets = whole
    if restraining or any(each and each.widened for each in decisions.values()):
        sets = cut_sets(
            sets_of(slot, today, rules, is_wide=True), whole, restraining, is_wave=is_wave
        )
    adjustments = tuple(each.adjustment for each in restraining)
    limits = (
        *(code for code in codes if code in _LIMITS),
        *(each.rule for each in adjustments),
    )
    if adjustments:
        codes = tuple(dict.fromkeys((*(each.rule for each in adjustments), *codes)))
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
        direction=direction_of(today.values()),
        step_kg=step_kg,
        advised_rest_s=_advised_rest_s(slot, whole),
        rpe_cap=_rpe_cap(slot, restraining, rules),
        stall=slot.stall,
        limits=limits,
        adjustments=(*adjustments, *remarks),
        whole_sets=() if sets == whole else whole,
        is_easy=any(each.is_easy for each in restraining),
        note=_note(today, slot, rules, reason) if sets else None,
    )


def _note(today: Decisions, slot: SlotInput, rules: Rules, reason: str) -> str | None:
    """Return the athlete's note on the exercise: a harder variation, or a load search."""
    notes = [decision.note for decision in today.values() if decision and decision.note]
    if reason == load_search(slot, rules):
        notes.append(reason)
    return next(iter(notes), None)


def load_search(slot: SlotInput, rules: Rules) -> str | None:
    """Describe a load search for an exercise that was never done; None if it has a load.

    Sets of the target's repetitions with increasing load, until one leaves two or three in reserve.
    If the body is the load or a part of it, the sets themselves are the search.
    """
    working = [each for each in slot.sets if each.set_type in WORKING_TYPES]
    if slot.exposures or any(each.weight_kg for each in working):
        return None
    if (message := _BODY_SEARCH.get(slot.exercise_type or "")) is not None:
        return phrase(message)
    if slot.exercise_type != "weight_reps":
        return None
    ladder = ladder_for(slot, rules, through_kg=0.0, up_to_kg=10 * rules.equipment.machine_step_kg)
    first = ladder.loads.lightest or ladder.loads.next_above(0.0) or ladder.increment_kg
    reps = next((each.reps or each.rep_range_start for each in working), None) or _SEARCH_REPS
    loads = [first]
    for _ in range(2):
        loads.append(ladder.loads.nearest(loads[-1] + 2 * ladder.increment_kg))
    sets = ", ".join(f"{ladder.text(load)} × {reps}" for load in dict.fromkeys(loads))
    return phrase("load-search", sets=sets)


def direction_of(decisions: Iterable[BlockDecision | None]) -> Direction:
    """Return the direction of an exercise as a whole: down takes precedence."""
    directions = {decision.direction for decision in decisions if decision}
    if "down" in directions:
        return "down"
    return "up" if "up" in directions else "same"


def _rpe_cap(slot: SlotInput, restraining: tuple[Restraint, ...], rules: Rules) -> float | None:
    """Return the maximum RPE of a set; None for an athlete without logged RPE."""
    own = rules.for_exercise(slot.exercise_title).rpe_cap
    if not any(done.rpe is not None for each in slot.exposures for done in each.sets):
        return None
    caps = [own, effort_cap(slot.reserve), *(each.rpe_cap for each in restraining)]
    return min((cap for cap in caps if cap is not None), default=None)


def _advised_rest_s(slot: SlotInput, sets: Group) -> int | None:
    """Return the default rest if the routine has none."""
    if slot.rest_s is not None:
        return None
    kind = kind_of(slot.primary_muscle_group, slot.secondary_muscle_groups)
    reps = [each.reps or each.rep_range_start for each in sets if each.set_type in WORKING_TYPES]
    fewest = min((each for each in reps if each is not None), default=None)
    return rest_s(kind, fewest, in_superset=slot.superset_id is not None)


def sets_of(slot: SlotInput, decisions: Decisions, rules: Rules, *, is_wide: bool = False) -> Group:
    """Return the sets of a slot with the decided targets; the rest as in the routine.

    A programme defines its number of working sets, copied from the routine's first one. With
    `is_wide` goals may lie beyond the routine's own, as a range that starts with these.
    """
    targets = {
        **_warmup_targets(slot, decisions, rules),
        **_drop_targets(slot, rules),
        **_working_targets(slot, decisions, is_wide=is_wide),
    }
    return renumber_sets(
        planned.model_copy(update=target) if target else planned
        for planned in slot.sets
        for target in targets.get(planned.set_index, [{}])
    )


def _working_targets(
    slot: SlotInput, decisions: Decisions, *, is_wide: bool
) -> dict[int, list[Fields]]:
    """Return the decided fields by index of the planned set, one entry for each resulting set."""
    planned = {each.set_index: each for each in slot.sets}
    targets: dict[int, list[Fields]] = {}
    for block, decision in decisions.items():
        if decision is None:
            continue
        if block.model in SCHEME_MODELS:
            places = range(decision.set_count or 0)
            targets[block.set_indexes[0]] = [
                _scheme_fields(decision, place)
                | _wider(decision, place, (decision.reps or ())[place], is_wide=is_wide)
                for place in places
            ]
            continue
        for place, index in enumerate(block.set_indexes):
            fields = _fields(decision, place, planned[index])
            low = planned[index].rep_range_start
            if low is None and block.target is not None and block.target.is_routines:
                low = block.target.low
            if planned[index].rep_range_end is None and planned[index].rep_range_start is not None:
                low = None  # an open set stays open
            targets[index] = [fields | _wider(decision, place, low, is_wide=is_wide)]
    return targets


def _wider(decision: BlockDecision, place: int, low: int | None, *, is_wide: bool) -> Fields:
    """Return a goal beyond the target; a routine's own becomes a range from its lower end `low`.

    Goals below it are the way up to it: a range that ends with the target.
    """
    if not is_wide or decision.reps is None or decision.widened is None:
        return {}
    goal = decision.widened[place]
    if goal == decision.reps[place]:
        return {}
    if goal < decision.reps[place]:
        lowest = min(decision.widened)
        return {"reps": goal, "rep_range_start": lowest, "rep_range_end": decision.reps[place]}
    wider: Fields = {"reps": goal}
    return wider if low is None else wider | {"rep_range_start": low, "rep_range_end": goal}


def _fields(decision: BlockDecision, place: int, planned: SetPrescription) -> Fields:
    fields: Fields = {}
    load = decision.load_at(place)
    if load is not None:
        fields["weight_kg"] = abs(load)
    if decision.reps is not None:
        highest = planned.rep_range_end or decision.reps[place]
        goal = min(decision.reps[place], highest)
        if decision.is_closed and goal < (planned.rep_range_start or 1):
            fields["rep_range_start"] = goal
        fields["reps"] = goal if decision.is_closed else max(planned.rep_range_start or 1, goal)
        if decision.is_closed and planned.rep_range_start is not None:
            fields["rep_range_end"] = planned.rep_range_end or goal
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


def _warmup_targets(slot: SlotInput, decisions: Decisions, rules: Rules) -> dict[int, list[Fields]]:
    """Return the loads of the ramp; the number of warm-ups and their repetitions stay."""
    first = decisions[slot.blocks[0]] if slot.has_ramp else None
    top_kg = None if first is None else first.load_at(0)
    if first is None or top_kg is None:
        return {}
    ladder = ladder_for(slot, rules, through_kg=top_kg)
    warmups = [planned for planned in slot.sets if planned.set_type == "warmup"]
    top_reps = first.reps[0] if first.reps else None
    reps = [planned.reps for planned in warmups]
    fitted = warmup_loads(slot, reps, top_kg, top_reps, ladder, bar_of(slot, rules))
    return {
        planned.set_index: [{"weight_kg": load_kg}]
        for planned, load_kg in zip(warmups, fitted, strict=True)
    }


def _drop_targets(slot: SlotInput, rules: Rules) -> dict[int, list[Fields]]:
    """Return the last loads of drop sets, at most a tested maximum: the size of a drop is left to
    the athlete.
    """
    is_whole_load = slot.exercise_type not in {ASSISTED, WEIGHTED}
    most = slot.tested_max_kg if is_whole_load else None
    loads = {
        index: load if most is None else min(load, most) for index, load in drop_loads(slot).items()
    }
    return {
        index: [{"weight_kg": abs(ladder_for(slot, rules, through_kg=load).existing(load))}]
        for index, load in loads.items()
    }


def _explanation(
    slot: SlotInput, decisions: Decisions, rules: Rules
) -> tuple[tuple[str, ...], str]:
    """Return the reason codes of a slot, and its reason for people."""
    if not decisions:
        return (_ONLY_WARMUPS,), phrase("kept-only-warmups")
    kept = {block.keep_code for block in decisions if block.keep_code}
    if len(kept) == 1 and not any(decisions.values()):
        (code,) = kept
        if code == "no_history" and (search := load_search(slot, rules)):
            return (code,), search
        return (code,), phrase("kept", why=_kept(code))
    codes: list[str] = []
    reasons = []
    for block, decision in decisions.items():
        if decision is not None:
            codes += decision.codes
            reasons.append(decision.reason)
        elif block.keep_code:
            codes.append(block.keep_code)
            sets = names_of(slot, block).whole
            reasons.append(phrase("kept-sets", sets=sets, why=_kept(block.keep_code)))
    days = (phrase(message) for code, message in _DAYS.items() if code in codes)
    return tuple(dict.fromkeys(codes)), " ".join(dict.fromkeys((*days, *reasons)))


def with_reason_of_sets(
    prescribed: SlotPrescription, slot: SlotInput, decisions: Decisions, rules: Rules
) -> SlotPrescription:
    """Return a shortened exercise without the reasons of sets that are left out.

    A reduction of the day compares with the whole exercise, so it keeps them.
    """
    there = {each.set_index for each in prescribed.sets}
    left = {
        block: decision
        for block, decision in decisions.items()
        if not there.isdisjoint(block.set_indexes)
    }
    is_reduced = any(each.forbids_increase for each in prescribed.adjustments)
    if not left or len(left) == len(decisions) or is_reduced:
        return prescribed
    _, reason = _explanation(slot, left, rules)
    return prescribed.model_copy(update={"reason": reason})


def _kept(code: str) -> str:
    return phrase(f"kept-{code.replace('_', '-')}")
