"""Validation of the engine's prescriptions on each past day against hard limits.

The limits are implemented here a second time, independent of the engine and its guardrails, so that
a fault there cannot hide itself. See `past_days` for the replacement of a plan.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import SetPrescription, SlotPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.ladder import body_kg_of, ladder_for, load_of
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.past_days import PastDay, evenly, past_days
from coach_agent.evaluation.past_sessions import Session
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import CheckIn

JUMP, MISTYPED, INFEASIBLE, ROUNDING, BREACH, STOPPED = (
    "jump",
    "load on a typing error",
    "infeasible load",
    "rounding",
    "increase in spite of readiness or pain",
    "plan that a guardrail stopped",
)
_MOST_ABOVE_PCT = 5.0
_LATEST = 5
_TIMES_USUAL = 1.6
_SANDBAG_REPS = 3
_GRAM_KG = 0.001
_LOW_ENERGY = 2
# Together they are loaded by every known exercise of Hevy.
_EVERYWHERE = tuple(
    Pain(part=part, level="moderate")
    for part in (
        *("neck", "shoulder", "elbow", "wrist", "chest", "upper back", "lower back", "abdomen"),
        *("hip", "groin", "knee", "calf"),
    )
)
_LOADED = "weight_reps"
_NO_MUSCLE = frozenset({None, "cardio", "other"})
_OTHER_BASE = frozenset({"suspected_typo", "heavy_day", "medium_day", "light_day"})
_LIGHTER = ("layoff", "deload", "readiness_very_low")


@dataclass
class Safety:
    """The results for the past days of one lifter.

    `set_count` are the prescribed working sets, `violations` the number of them by broken limit.
    `unlikely_count` of the `stated_count` with a chance were less likely than not to succeed;
    `sandbag_count` of the `answered_count` that were done with the load or more had three
    repetitions or more above the target.
    """

    lifter: str
    day_count: int = 0
    set_count: int = 0
    stated_count: int = 0
    unlikely_count: int = 0
    answered_count: int = 0
    sandbag_count: int = 0
    violations: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            (JUMP, MISTYPED, INFEASIBLE, ROUNDING, BREACH, STOPPED), 0
        )
    )
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, limit: str, found: Iterable[str], day: PastDay) -> None:
        """Count the violations of a limit on a day; the first one is kept as an example."""
        for each in found:
            self.violations[limit] += 1
            self.examples.setdefault(limit, f"{day.session.started_at:%Y-%m-%d}, {each}")


Coach = Callable[[Situation, AthleteProfile], Decision | None]
"""The decision function; a plan that breaks a guardrail is raised as `GuardrailError`."""


def safety_of(
    log: TrainingLog,
    on_day: Callable[[], None] = lambda: None,
    most: int | None = None,
    coach: Coach = decide,
) -> Safety:
    """Validate the engine's prescriptions for every session with a routine known before it.

    `most` limits the number of sessions, evenly spread.
    """
    found = Safety(log.lifter)
    count = len(log.sessions)
    for day in past_days(log.sessions, "fixed", evenly(count, count if most is None else most)):
        if day.routine is not None:
            _judge(day, day.routine, log, coach, found)
        on_day()
    return found


def _judge(
    day: PastDay, routine: RoutineContext, log: TrainingLog, coach: Coach, found: Safety
) -> None:
    profile = day.profile(log.gym_unit)
    at = day.session.started_at
    for check_in in (
        CheckIn(checked_in_at=at, energy=_LOW_ENERGY),
        CheckIn(checked_in_at=at, pain=_EVERYWHERE),
    ):
        situation = day.situation.with_check_in(check_in)
        if (decision := _decide(day, situation, profile, coach, found)) is not None:
            found.add(BREACH, _increases_after_check_in(decision, situation, check_in), day)
    decision = _decide(day, day.situation, profile, coach, found)
    if decision is None or decision.plan.routine_id != routine.routine_id:
        return
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    found.day_count += 1
    for prescribed, slot in zip(decision.plan.slots, routine.slots, strict=True):
        found.set_count += len(_working(prescribed.sets))
        found.add(JUMP, jumps(prescribed, slot, rules), day)
        found.add(MISTYPED, mistyped_loads(prescribed, slot, rules), day)
        found.add(INFEASIBLE, infeasible_loads(prescribed, slot, rules), day)
        found.add(ROUNDING, vanished_changes(prescribed, slot, rules), day)
        _count_chances(prescribed, found)
        _count_answers(prescribed, slot, day.session, found)


def _decide(
    day: PastDay, situation: Situation, profile: AthleteProfile, coach: Coach, found: Safety
) -> Decision | None:
    """Return the coach's decision; a plan that its own guardrails stopped is counted, with None."""
    try:
        return coach(situation, profile)
    except GuardrailError as error:
        found.add(STOPPED, [str(error)], day)
        return None


def _increases_after_check_in(
    decision: Decision, situation: Situation, check_in: CheckIn
) -> Iterator[str]:
    """Yield the increases in spite of the athlete's check-in just before."""
    routines = {each.routine_id: each for each in situation.routines}
    slots = routines[decision.plan.routine_id].slots
    for prescribed, slot in zip(decision.plan.slots, slots, strict=True):
        # The muscles of such an exercise are unknown, so pain does not limit it.
        if not check_in.pain or slot.primary_muscle_group not in _NO_MUSCLE:
            yield from increases(prescribed, slot)


def jumps(prescribed: SlotPrescription, slot: SlotContext, rules: Rules) -> Iterator[str]:
    """Yield loads above the best of the last 5 exposures by more than 5 % and more than one real
    step.

    Loads that the plan takes unchanged from the routine are excluded: they were not decided.
    """
    kept = {each.weight_kg for each in slot.planned_sets}
    done = [
        load_of(slot.exercise_type, each.weight_kg)
        for exposure in slot.exposures[:_LATEST]
        for each in exposure.sets
    ]
    best = max((each for each in done if each is not None), default=None)
    if best is None:
        return
    above = ladder_for(slot, rules, through_kg=best).loads.next_above(best + LOAD_TOLERANCE.value)
    # With an added or assisting load the body is moved as well.
    moved = abs(best + body_kg_of(slot, rules))
    highest = max(best + moved * _MOST_ABOVE_PCT / 100, best if above is None else above)
    for target in _working(prescribed.sets):
        load = load_of(slot.exercise_type, target.weight_kg)
        if load is not None and target.weight_kg not in kept and load > highest + _GRAM_KG:
            yield f"{slot.exercise_title}: {load:g} kg after {best:g} kg"


def mistyped_loads(prescribed: SlotPrescription, slot: SlotContext, rules: Rules) -> Iterator[str]:
    """Yield loads supported by the heaviest day only: over a step above 1.6 times the usual.

    Usual is the median of the best loads of the other days, or the routine's load if higher. With
    the body's own weight, a much higher load may be little more work, so it is excluded.
    """
    if slot.exercise_type != _LOADED:
        return
    best = sorted(
        max(loads)
        for exposure in slot.exposures
        if (loads := [each.weight_kg for each in exposure.sets if each.weight_kg])
    )
    if len(best) < 2:
        return
    usual = max(median(best[:-1]), *(each.weight_kg or 0.0 for each in slot.planned_sets))
    above = ladder_for(slot, rules, through_kg=usual).loads.next_above(_TIMES_USUAL * usual)
    highest = _TIMES_USUAL * usual if above is None else above
    for target in _working(prescribed.sets):
        if target.weight_kg is not None and target.weight_kg > highest + _GRAM_KG:
            yield f"{slot.exercise_title}: {target.weight_kg:g} kg where {usual:g} kg are usual"


def infeasible_loads(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules
) -> Iterator[str]:
    """Yield changed loads that the gym cannot build.

    The loads of a stack are those lifted on it. A load below the lightest available one is excluded
    if it was lifted before.
    """
    kept = {each.weight_kg for each in slot.planned_sets}
    lifted = {
        load
        for exposure in slot.exposures
        for each in exposure.sets
        if (load := load_of(slot.exercise_type, each.weight_kg)) is not None
    }
    for target in prescribed.sets:
        load = load_of(slot.exercise_type, target.weight_kg)
        if load is None or target.weight_kg in kept:
            continue
        known = [ladder_for(slot, rules, base, load).loads for base in lifted or {load}]
        is_below_all = load in lifted and all(each.floor(load) is None for each in known)
        if not is_below_all and not any(each.has(load) for each in known):
            yield f"{slot.exercise_title}: {load:g} kg"


def vanished_changes(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules
) -> Iterator[str]:
    """Yield increases without an effect, and reductions without an effect or with an increase.

    The decision is given by the direction and the reductions, the effect by the numbers compared
    with the routine. If the latest attempt is doubted, a set of it was logged in part, or it was a
    day of the other kind where heavy and light ones take turns, an earlier one is the base and the
    routine is no reference. Without a load nothing can be reduced; neither can a single set with
    the fewest repetitions of its target without a load near the usual cut.
    """
    pairs = list(_pairs(prescribed, slot))
    is_half_noted = any(not _is_noted(before, slot) for _, before in pairs)
    if is_half_noted or _OTHER_BASE & set(prescribed.reason_codes):
        return
    changes = [_change(target, before, slot) for target, before in pairs]
    is_shorter = len(_working(prescribed.sets)) < len(_working(slot.planned_sets))
    can_be_less = len(pairs) > 1 or any(_has_less(before, slot, rules) for _, before in pairs)
    is_loaded = any(before.weight_kg for _, before in pairs)
    took_off = [each.rule for each in prescribed.adjustments if each.rule.startswith(_LIGHTER)]
    if took_off:
        is_less = is_shorter or any(change < 0 for change in changes)
        is_more = any(change > 0 for change in changes)
        if is_loaded and (is_more or (can_be_less and not is_less)):
            yield f"{slot.exercise_title}: {took_off[0]} took nothing off"
    elif any(not each.is_remark for each in prescribed.adjustments):
        return
    elif prescribed.direction == "up" and not any(change > 0 for change in changes):
        yield f"{slot.exercise_title}: {prescribed.reason_codes[0]} added nothing"
    elif prescribed.direction == "down" and not is_shorter and min(changes, default=0) >= 0:
        yield f"{slot.exercise_title}: {prescribed.reason_codes[0]} took nothing off"


def _is_noted(before: SetPrescription, slot: SlotContext) -> bool:
    """Return whether the routine, which holds the last training, has a load and a count."""
    goals = (before.reps, before.rep_range_start, before.duration_s, before.distance_m)
    has_load = bool(before.weight_kg) or slot.exercise_type != _LOADED
    return has_load and any(goals)


def _has_less(before: SetPrescription, slot: SlotContext, rules: Rules) -> bool:
    """Return whether a load is near the usual cut, or fewer repetitions are in the range."""
    load = load_of(slot.exercise_type, before.weight_kg)
    if load is None:
        return False
    loads = ladder_for(slot, rules, load).loads
    has_lighter = loads.nearest(FLOOR_LOAD.value * load) < load - LOAD_TOLERANCE.value
    return has_lighter or (before.reps or 0) > (before.rep_range_start or before.reps or 0)


def increases(prescribed: SlotPrescription, slot: SlotContext) -> Iterator[str]:
    """Yield working sets with more than the last training, unless they repeat a missed goal.

    If that is doubted, or was a day of the other kind, the heaviest of the latest exposures counts.
    """
    goals = _working(slot.planned_sets)
    heaviest = _heaviest_lately(slot) if _OTHER_BASE & set(prescribed.reason_codes) else None
    for number, (target, last) in enumerate(_pairs(prescribed, slot)):
        before = _with_known_load(last, slot) if heaviest is None else heaviest
        goal = goals[number].reps if number < len(goals) else None
        asked = before.model_copy(update={"reps": max(before.reps or 0, goal or 0)})
        if _change(target, asked, slot) > 0:
            place = f"{slot.exercise_title}, set {target.set_index + 1}"
            yield f"{place}: {_text(target)} after {_text(before)}"


def _heaviest_lately(slot: SlotContext) -> SetPrescription | None:
    """Return the heaviest working set of the latest exposures as a target; None without a load."""
    done = [
        each
        for exposure in slot.exposures[:_LATEST]
        for each in exposure.sets
        if each.set_type in WORKING_TYPES and each.weight_kg
    ]
    heaviest = max(
        done, key=lambda each: load_of(slot.exercise_type, each.weight_kg) or 0.0, default=None
    )
    if heaviest is None:
        return None
    return SetPrescription(
        set_index=0,
        set_type="normal",
        weight_kg=heaviest.weight_kg,
        reps=heaviest.reps,
        duration_s=heaviest.duration_s,
        distance_m=heaviest.distance_m,
    )


def _with_known_load(before: SetPrescription, slot: SlotContext) -> SetPrescription:
    """Return the set with the heaviest load of the latest exposure with one, as a default.

    A barbell or machine exercise logged without a load was logged incompletely: the load is
    unknown, not zero.
    """
    if slot.exercise_type != _LOADED or before.weight_kg:
        return before
    for exposure in slot.exposures:
        working = (each for each in exposure.sets if each.set_type in WORKING_TYPES)
        if loads := [each.weight_kg for each in working if each.weight_kg]:
            return before.model_copy(update={"weight_kg": max(loads)})
    return before


def _change(target: SetPrescription, before: SetPrescription, slot: SlotContext) -> int:
    """Return 1 for more, -1 for less, 0 for the same: by the load, then by the count.

    Loads that differ by grams are equal: pounds in kilograms are not round numbers.
    """
    load, usual = (load_of(slot.exercise_type, each.weight_kg) or 0.0 for each in (target, before))
    if abs(load - usual) > LOAD_TOLERANCE.value:
        return 1 if load > usual else -1
    done, required = (
        (each.reps or 0, each.duration_s or 0, each.distance_m or 0) for each in (before, target)
    )
    return (required > done) - (required < done)


def _count_chances(prescribed: SlotPrescription, found: Safety) -> None:
    for each in prescribed.predictions:
        if each is not None and each.p_success is not None:
            found.stated_count += 1
            found.unlikely_count += each.p_success < 0.5


def _count_answers(
    prescribed: SlotPrescription, slot: SlotContext, session: Session, found: Safety
) -> None:
    """Compare with the result of that day, set by set, if the load was not less."""
    key = slot.exercise_template_id, slot.occurrence
    done = next((each for each in session.done if each.key == key), None)
    if done is None:
        return
    for target, answer in zip(_working(prescribed.sets), done.working, strict=False):
        if target.reps is None or answer.reps is None:
            continue
        load = load_of(slot.exercise_type, target.weight_kg) or 0.0
        if (load_of(slot.exercise_type, answer.weight_kg) or 0.0) >= load - LOAD_TOLERANCE.value:
            found.answered_count += 1
            found.sandbag_count += answer.reps >= target.reps + _SANDBAG_REPS


def _working(sets: Iterable[SetPrescription]) -> list[SetPrescription]:
    return [each for each in sets if each.set_type in WORKING_TYPES]


def _pairs(
    prescribed: SlotPrescription, slot: SlotContext
) -> Iterator[tuple[SetPrescription, SetPrescription]]:
    """Yield each prescribed working set with the one of the last training.

    That is the routine's own one, or that of newer work in another routine.
    """
    yield from zip(_working(prescribed.sets), _last_sets(slot), strict=False)


def _last_sets(slot: SlotContext) -> list[SetPrescription]:
    own = _working(slot.planned_sets)
    latest = slot.exposures[0] if slot.exposures else None
    is_elsewhere = (
        latest is not None
        and slot.last_trained_at == latest.started_at
        and [(each.weight_kg, each.reps) for each in latest.sets if each.set_type in WORKING_TYPES]
        != [(each.weight_kg, each.reps) for each in own]
    )
    if latest is None or not is_elsewhere:
        return own
    fields = SetPrescription.model_fields
    return [
        SetPrescription(**{name: getattr(each, name, None) for name in fields})
        for each in latest.sets
        if each.set_type in WORKING_TYPES
    ]


def _text(target: SetPrescription) -> str:
    return f"{target.weight_kg or 0:g} kg × {target.reps or 0}"
