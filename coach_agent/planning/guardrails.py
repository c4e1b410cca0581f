"""Final validation of a plan: code, independent of the author of the plan.

It shares facts with the engine (available loads, history) and none of its decisions.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from coach_agent.domain.constants.history import TYPO_MIN_OTHERS, TYPO_WINDOW
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.domain.units import load_text
from coach_agent.engine.history.attempts import WORKING_TYPES, Attempt
from coach_agent.engine.history.credible_loads import highest_credible
from coach_agent.engine.history.far_off import LoadKind, is_far_above, is_repeated_level
from coach_agent.engine.history.filter import is_far_below
from coach_agent.engine.history.outliers import loads_near_plan, real_sets, undoubted_sets
from coach_agent.engine.loads.increments import WEIGHTED
from coach_agent.engine.loads.ladder import Ladder, ladder_for, load_of
from coach_agent.engine.models.block_history import attempts_at_target, history, load_kind
from coach_agent.engine.models.credible_targets import with_credible_targets
from coach_agent.engine.models.day_targets import with_day_targets
from coach_agent.engine.models.moves import proves_a_jump
from coach_agent.engine.models.select import (
    LOAD_MODELS,
    SCHEME_MODELS,
    Block,
    Group,
    block_of,
    select_model,
    working_sets,
)
from coach_agent.engine.models.slots import renumber_sets, working_groups
from coach_agent.engine.models.training_max import highest_supported_load
from coach_agent.planning.day_limits import (
    DayCode,
    Today,
    day_violations,
    is_lighter,
    programme_counts,
    too_many_sets,
)
from coach_agent.profile.model import AthleteProfile, Rules

ViolationCode = (
    DayCode
    | Literal[
        "structure",
        "number",
        "reason",
        "reps",
        "load_unfounded",
        "load_unavailable",
        "jump",
        "suspected_typo",
        "volume",
    ]
)


@dataclass(frozen=True)
class Violation:
    """A violated limit of a plan; indexes are None if it concerns more than one set."""

    code: ViolationCode
    message: str
    exercise_index: int | None = None
    set_index: int | None = None


class GuardrailError(Exception):
    """A plan broke its limits and was stopped; `violations` lists them."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("\n".join(violation.message for violation in violations))
        self.violations = violations


_ANY_DAY = Today()


def violations(
    plan: Plan, routine: RoutineContext, profile: AthleteProfile, today: Today = _ANY_DAY
) -> tuple[Violation, ...]:
    """Validate a plan; returns all violations, empty for a valid plan.

    The structure is the routine's, except for sets left out or added at its end with the reason.
    Numbers are finite and not negative. Repetitions lie in the range. Each exercise has a reason. A
    load that the plan changes is founded on training, exists in the gym, and is at most one step or
    the jump cap above the last one; a latest load far above all others is no foundation. It has
    nothing that `today` forbids: an avoided exercise, one that loads a severe pain, an increase
    with pain, low readiness, in a deload or a taper, more sets than these allow, and more weekly
    sets of a muscle group than the athlete's limit.
    """
    if plan.routine_id != routine.routine_id or len(plan.slots) != len(routine.slots):
        message = f"The plan has other exercises than the routine {routine.title}."
        return (Violation("structure", message),)
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    body_kg = today.circumstances.body_kg or rules.body_kg
    rules = rules.model_copy(update={"body_kg": body_kg})
    of_slots = (
        violation
        for prescribed, slot in zip(plan.slots, routine.slots, strict=True)
        for violation in _slot_violations(
            prescribed, with_day_targets(with_credible_targets(slot, rules), rules), rules, today
        )
    )
    max_change_pct = profile.limits.weekly_volume_pct
    too_many = too_many_sets(plan, routine, rules, today, max_change_pct)
    return (*of_slots, *(Violation("volume", message) for message in too_many))


def _slot_violations(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules, today: Today
) -> Iterator[Violation]:
    where = f"Exercise {slot.exercise_index + 1}, {slot.exercise_title}"
    index = slot.exercise_index
    whole = prescribed.structure
    there, added = prescribed.sets[: len(whole)], prescribed.sets[len(whole) :]
    if (
        _structure(prescribed, whole, slot, rules)
        != _structure(slot, slot.planned_sets, slot, rules)
        or [each.set_type for each in there] != [each.set_type for each in whole[: len(there)]]
        or (
            len(prescribed.sets) != len(whole)
            and all(each.is_remark for each in prescribed.adjustments)
        )
        or not _are_more_of_the_same(added, there)
        or (added and programme_counts(slot, rules))
        or not _is_of_its_programme(whole, slot, rules)
    ):
        yield Violation(
            "structure", f"{where}: its place or its sets are not the routine's.", index
        )
        return
    if not prescribed.reason.strip() or not prescribed.reason_codes:
        yield Violation("reason", f"{where}: there is no reason.", index)
    broken = [each for each in prescribed.sets if not _has_sound_numbers(each)]
    for target in broken:
        yield Violation(
            "number",
            f"{where}, set {target.set_index + 1}: a number is negative or not finite.",
            index,
            target.set_index,
        )
    if broken:
        return
    current = _counterparts(prescribed.sets, slot.planned_sets)
    for target in prescribed.sets:
        before = current[target.set_index]
        is_kept = before is not None and target.reps == before.reps
        is_kept = is_kept or (target in added and target.reps is None)
        if not is_kept and not _is_in_range(target):
            message = f"{where}, set {target.set_index + 1}: {target.reps} reps are out of range."
            yield Violation("reps", message, index, target.set_index)
    for target, code, problem in _load_problems(prescribed, slot, rules):
        before = current[target.set_index]
        needs_no_past = code == "load_unfounded" or (code == "jump" and prescribed.rule == "keep")
        if needs_no_past and is_lighter(target, before, slot):
            continue
        if before is None or target.weight_kg != before.weight_kg:
            load = load_text(target.weight_kg or 0.0, rules.equipment.unit)
            message = f"{where}, set {target.set_index + 1}: {load} {problem}."
            yield Violation(code, message, index, target.set_index)
    for day_code, which, sentence in day_violations(prescribed, slot, rules, today.circumstances):
        place = None if which is None else which.set_index
        what = where if place is None else f"{where}, set {place + 1}"
        yield Violation(day_code, f"{what}: {sentence}", index, place)


def _are_more_of_the_same(added: Group, there: Group) -> bool:
    """Return whether added sets follow the last one and equal it: then its limits are theirs."""
    if not added:
        return True
    last = there[-1] if there else None
    return (
        last is not None
        and last.set_type in WORKING_TYPES
        and all(
            each.model_copy(
                update={"set_index": 0, "reps": last.reps, "duration_s": last.duration_s}
            )
            == last.model_copy(update={"set_index": 0})
            and each.set_index == last.set_index + more
            and (each.reps is None) is (last.reps is None)
            and (each.duration_s is None) is (last.duration_s is None)
            for more, each in enumerate(added, start=1)
        )
    )


def _load_problems(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules
) -> Iterator[tuple[SetPrescription, ViolationCode, str]]:
    """Yield the violations of the loads, also of those already in the routine."""
    there = {each.set_index: each for each in prescribed.sets}
    # Sets that were left out this time still belong to what the others were decided with.
    for group in working_groups(slot, prescribed.structure, rules):
        block = block_of(slot, group, rules)
        past = history(slot, slot.planned_sets, block).attempts
        # A wave is bounded by credible sets, not by the latest one.
        # Without any history nothing rests on it: then no load may be more than the routine's.
        is_wave = block.model == "training_max"
        limit = _credible_limit(slot, block, rules) if past and not is_wave else None
        base = _load_done(block, past, slot)
        ladder = None if base is None or is_wave else ladder_for(slot, rules, base)
        for target in (there[each.set_index] for each in group if each.set_index in there):
            yield from _working_problems(target, base, ladder, past, slot, rules)
            load = load_of(slot.exercise_type, target.weight_kg)
            if limit is not None and load is not None and load > limit:
                yield target, "suspected_typo", "rests on what looks like a typing error"
    working = working_sets(prescribed.sets)
    top_kg = max((each.weight_kg or 0.0 for each in working), default=0.0)
    for target in prescribed.sets:
        load = load_of(slot.exercise_type, target.weight_kg)
        if target.set_type in WORKING_TYPES or load is None:
            continue
        if not _exists(ladder_for(slot, rules, through_kg=load), load, slot, rules):
            yield target, "load_unavailable", "cannot be loaded"
        if target.set_type == "warmup" and (target.weight_kg or 0.0) > top_kg:
            yield target, "jump", "is more to warm up with than to work with"


def _working_problems(
    target: SetPrescription,
    base: float | None,
    ladder: Ladder | None,
    past: Sequence[Attempt],
    slot: SlotContext,
    rules: Rules,
) -> Iterator[tuple[SetPrescription, ViolationCode, str]]:
    """Yield the violations of a working load; `ladder` is None for the load of a wave."""
    load = load_of(slot.exercise_type, target.weight_kg)
    if load is None:
        return
    if base is None:
        yield target, "load_unfounded", "rests on nothing that was done"
        return
    shown = highest_supported_load(past, target.reps or 1) if ladder is None else None
    ladder = ladder or ladder_for(slot, rules, base, shown)
    if not _exists(ladder, load, slot, rules):
        yield target, "load_unavailable", "cannot be loaded"
    is_proved = bool(past) and proves_a_jump(past[0], target.rep_range_start or target.reps or 0)
    if shown is None and load > ladder.highest_from(base, is_proved=is_proved):
        yield target, "jump", f"is more than one step above {ladder.text(base)}"
    if shown is not None and load > shown:
        yield target, "jump", f"is more than the {ladder.text(shown)} that look possible"


def _load_done(block: Block, past: Sequence[Attempt], slot: SlotContext) -> float | None:
    """Return the last common load of all sets of the block; None without one."""
    if not past:
        return None
    if block.model in LOAD_MODELS:
        return past[0].load
    return 0.0 if slot.exercise_type == WEIGHTED else None


def _credible_limit(slot: SlotContext, block: Block, rules: Rules) -> float | None:
    """Return the highest load to prescribe after one without other evidence; otherwise None.

    Based on the recorded attempts themselves, not on the engine's selection of them.
    """
    kind = load_kind(slot, block)
    if block.target is None or kind is None:
        return None
    found = attempts_at_target(slot, slot.planned_sets, block, block.target)
    real = [each for each in map(real_sets, found) if each is not None and each.loads]
    if not real or any(answer.is_confirmed for answer in real[0].done):
        return None
    newest, planned = real[0], real[0].planned_load
    proofs = loads_near_plan(real[1:], kind) if planned is None else [planned]
    if any(not is_far_above(newest.loads[0], proof, kind) for proof in proofs):
        return None
    known = (
        _best_of_others(newest, real[1:], block.target.low, kind),
        highest_credible(slot, newest.at, kind),
    )
    far = [best for best in known if best is not None and is_far_above(newest.loads[0], best, kind)]
    if not far or is_repeated_level(newest.loads, min(far)):
        return None
    best = min(far)
    if _was_repeated(newest, real[1:], best, kind):
        return None
    highest = best + abs(best) * rules.limits.jump_pct / 100
    above = ladder_for(slot, rules, through_kg=best).loads.next_above(highest)
    return highest if above is None else above


def _was_repeated(newest: Attempt, others: Sequence[Attempt], usual: float, kind: LoadKind) -> bool:
    """Return whether several sets of an earlier day had about the load of the newest one."""
    return any(
        is_repeated_level(each.loads, usual)
        and not is_far_above(newest.loads[0], each.loads[0], kind)
        for each in others
        if each.loads
    )


def _best_of_others(
    newest: Attempt, others: Sequence[Attempt], low: int | None, kind: LoadKind
) -> float | None:
    """Return the best of the older attempts; None without any, or if they are as heavy as usual."""
    undoubted = [each for each in map(undoubted_sets, others) if each is not None and each.loads]
    if all(is_far_below(other, low) for other in undoubted):
        return None
    recent = [each.loads[-1] for each in others[: TYPO_WINDOW.value]]
    if len(recent) >= TYPO_MIN_OTHERS.value and not is_far_above(
        newest.loads[0], median(recent), kind
    ):
        # Most of the latest ones were about as heavy: together they are the usual level.
        return None
    return max(other.loads[-1] for other in undoubted)


def _exists(ladder: Ladder, load_kg: float, slot: SlotContext, rules: Rules) -> bool:
    """Return whether the load exists; one below the lightest does if it was lifted or planned
    before.

    If loads are counted from one that was done or planned, each of these is accepted as the base.
    """
    if ladder.loads.has(load_kg):
        return True
    known = {
        load_of(slot.exercise_type, weight_kg)
        for exposure in slot.exposures
        for done in exposure.sets
        for weight_kg in (done.weight_kg, done.planned_weight_kg)
    }
    if ladder.loads.floor(load_kg) is None:
        return load_kg in known
    return any(
        ladder_for(slot, rules, through_kg=each).loads.has(load_kg)
        for each in known
        if each is not None
    )


def _is_in_range(target: SetPrescription) -> bool:
    low, high = target.rep_range_start, target.rep_range_end
    if target.reps is None:
        return False
    return target.reps >= max(1, low or 1) and (high is None or target.reps <= high)


def _has_sound_numbers(target: SetPrescription) -> bool:
    numbers = (
        target.weight_kg,
        target.reps,
        target.duration_s,
        target.distance_m,
        target.custom_metric,
    )
    return all(number is None or (math.isfinite(number) and number >= 0) for number in numbers)


def _counterparts(sets: Group, planned: Group) -> dict[int, SetPrescription | None]:
    """Return the routine's set that each prescribed set changes, by index: the same one of its
    type.

    None for a set that the routine does not have yet, such as a programme's sixth set.
    """
    waiting: dict[str, Iterator[SetPrescription]] = {
        set_type: iter([each for each in planned if each.set_type == set_type])
        for set_type in {each.set_type for each in sets}
    }
    return {each.set_index: next(waiting[each.set_type], None) for each in sets}


def _is_of_its_programme(sets: Group, slot: SlotContext, rules: Rules) -> bool:
    """Return whether a programme's working sets match its allowed counts, or those of the
    routine.
    """
    counts = programme_counts(slot, rules)
    return not counts or len(working_sets(sets)) in {
        *counts,
        len(working_sets(slot.planned_sets)),
    }


def _structure(
    place: SlotContext | SlotPrescription, sets: Group, slot: SlotContext, rules: Rules
) -> tuple[object, ...]:
    """Return the part that a plan never changes; a programme's number of working sets is its
    own.
    """
    groups = working_groups(slot, sets, rules) if select_model(slot, rules) in SCHEME_MODELS else ()
    if groups and block_of(slot, groups[0], rules).model in SCHEME_MODELS:
        sets = renumber_sets(each for each in sets if each not in groups[0])
    return (
        place.exercise_index,
        place.occurrence,
        place.exercise_template_id,
        place.superset_id,
        place.rest_s,
        tuple(
            (
                each.set_index,
                each.set_type,
                each.rep_range_start,
                each.rep_range_end,
                each.distance_m,
                each.custom_metric,
            )
            for each in sets
        ),
    )
