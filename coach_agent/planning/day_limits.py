"""Limits of a day for a plan: pain, readiness, a deload, avoided exercises, weekly sets.

Input of the guardrails: only facts of check-ins and training, not the engine's conclusions.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Literal

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.meet import (
    MEET_LIGHT_LOAD,
    MEET_RECOVERY_LOAD,
    MEET_RECOVERY_RPE,
    MEET_RECOVERY_SETS,
    TAPER_VOLUME,
)
from coach_agent.domain.constants.planning import LLM_TOLERANCE_VOLUME
from coach_agent.domain.constants.progression import GZCLP_STAGES, TM_WAVE
from coach_agent.domain.constants.recovery import (
    DELOAD_SETS_FACTOR,
    PAIN_DROP_FROM,
    PAIN_NO_INCREASE_FROM,
    READINESS_LOW_RPE_CAP,
    READINESS_LOW_SETS,
)
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.domain.muscle_sets import set_credits
from coach_agent.domain.pain import worst_pain
from coach_agent.domain.plan import Place, Plan, SetPrescription, SlotPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.units import load_text
from coach_agent.engine.history.attempts import WORKING_TYPES, Answer, Attempt, last_lifted
from coach_agent.engine.history.far_off import is_far_more
from coach_agent.engine.limits.conditions import (
    Circumstances,
    DeloadReason,
    spare_in_deload,
)
from coach_agent.engine.limits.set_cuts import near_end
from coach_agent.engine.limits.volume import Weeks
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import ladder_for, load_of
from coach_agent.engine.models.block_history import history
from coach_agent.engine.models.select import (
    LOAD_MODELS,
    SCHEME_MODELS,
    Block,
    Group,
    block_of,
    working_sets,
)
from coach_agent.engine.models.slots import working_groups
from coach_agent.profile.equipment import equipment_kind
from coach_agent.profile.exercise_rules import stage
from coach_agent.profile.model import Rules

DayCode = Literal[
    "avoided", "pain", "increase", "sets", "rpe_cap", "meet", "maximum", "unavailable"
]


@dataclass(frozen=True)
class Today:
    """The facts of a day that limit a plan.

    `weeks` and `this_week` are the athlete's weekly sets by muscle group, see `volume_advice`.
    """

    circumstances: Circumstances = field(default_factory=Circumstances)
    weeks: Weeks = field(default_factory=dict)
    this_week: Mapping[str, float] = field(default_factory=dict)


def day_violations(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules, today: Circumstances
) -> Iterator[tuple[DayCode, SetPrescription | None, str]]:
    """Yield violations of the day's limits: code, the set if there is one, and the end of a
    sentence.
    """
    if not prescribed.sets:
        return
    avoided = {normalize_title(title) for title in today.avoided_titles}
    if normalize_title(slot.exercise_title) in avoided:
        yield "avoided", None, "the athlete avoids it."
    kind = equipment_kind(slot.exercise_title, slot.equipment, slot.exercise_type)
    if kind in rules.equipment.lacks:
        yield "unavailable", None, f"there is no {kind} at this place."
    pain = worst_pain(today.pains, slot)
    if pain is not None and pain.is_at_least(PAIN_DROP_FROM.value):
        yield "pain", None, f"it is to be left out with severe pain ({pain.part})."
    deload = today.deload_of(slot.exercise_title)
    is_painful = pain is not None and pain.is_at_least(PAIN_NO_INCREASE_FROM.value)
    if today.meet in {"rest", "meet"}:
        yield "meet", None, "nothing is trained on the day of a meet and the day before it."
    is_held = (
        is_painful
        or deload is not None
        or today.is_taper
        or today.meet is not None
        or today.readiness is not None
    )
    whole = _working_count(prescribed.structure)
    most = _most_sets(whole, today, is_deload=deload is not None) if is_held else most_sets(whole)
    is_wave = rules.for_exercise(slot.exercise_title).model == "training_max"
    # A wave or a ramp leads to its last set.
    most = near_end(working_sets(prescribed.structure), most)
    if _working_count(prescribed.sets) > most and not is_wave:
        yield "sets", None, f"more than {most} of {whole} sets are too many today."
    cap = _rpe_cap(slot, rules, today, deload)
    if cap is not None and (prescribed.rpe_cap is None or prescribed.rpe_cap > cap):
        yield "rpe_cap", None, f"no set may be harder than RPE {cap:g}."
    tested = today.tested_maxima.get(slot.exercise_title)
    for target in prescribed.sets if tested is not None else ():
        if (target.weight_kg or 0.0) > (tested or 0.0) + LOAD_TOLERANCE.value:
            load = load_text(target.weight_kg or 0.0, rules.equipment.unit)
            yield "maximum", target, f"{load} are more than a maximum that was tested lately."
    if today.meet in {"light", "recovery"}:
        for target, limit in _above_light(prescribed, slot, rules):
            load = load_text(target.weight_kg or 0.0, rules.equipment.unit)
            yield "meet", target, f"{load} are more than the {limit} of a light day at a meet."
    if is_held:
        for target, problem in _increases(prescribed, slot, rules):
            yield "increase", target, f"{problem}, and nothing goes up today."


def too_many_sets(
    plan: Plan, routine: RoutineContext, rules: Rules, today: Today, max_change_pct: float
) -> Iterator[str]:
    """Yield a sentence for each muscle group with too many sets for the week.

    The maximum is `max_change_pct`, and a set, above the fullest week before, including the sets of
    this week so far. Sets of the routine or the athlete's programme are always allowed: the plan
    must not add to them.

    Source: fractional counting, Pelland et al., Sports Med 56:481; the limit is opinion.
    """
    own: dict[str, float] = defaultdict(float)
    planned_sets: dict[str, float] = defaultdict(float)
    for prescribed, slot in zip(plan.slots, routine.slots, strict=True):
        counts = (_working_count(slot.planned_sets), *programme_counts(slot, rules))
        _count(own, slot, max(counts))
        _count(planned_sets, slot, _working_count(prescribed.sets))
    for group, sets in sorted(planned_sets.items()):
        weeks = today.weeks.get(group)
        if not weeks or sets <= own[group]:
            continue
        most = most_weekly_sets(weeks, max_change_pct)
        total = today.this_week.get(group, 0.0) + sets
        if total > most:
            name = group.replace("_", " ").capitalize()
            yield (
                f"{name}: {total:g} sets this week are more than {most:g}, which is "
                f"{max_change_pct:g} % or a set above the fullest week before."
            )


def most_sets(count: int) -> int:
    """Return the maximum working sets of an exercise with `count` sets, on a day without limits."""
    return count + max(1, floor(count * LLM_TOLERANCE_VOLUME.value / 100))


def most_weekly_sets(weeks: Sequence[float], max_change_pct: float) -> float:
    """Return the maximum weekly sets of a muscle group after these weeks: so many %, or one,
    more.
    """
    return max(max(weeks) * (1 + max_change_pct / 100), max(weeks) + 1)


def programme_counts(slot: SlotContext, rules: Rules) -> frozenset[int]:
    """Return the working set counts of the athlete's programme; empty without a programme."""
    rule = rules.for_exercise(slot.exercise_title)
    if rule.model == "training_max":
        return frozenset(len(week) for week in rule.wave or TM_WAVE.value)
    if rule.model == "stages":
        return frozenset(stage(text).sets for text in rule.stages or GZCLP_STAGES.value)
    return frozenset()


def _count(sets: dict[str, float], place: Place, count: int) -> None:
    for group, credit in set_credits(place.primary_muscle_group, place.secondary_muscle_groups):
        sets[group] += credit * count


def _working_count(sets: Group) -> int:
    return sum(each.set_type in WORKING_TYPES for each in sets)


def _most_sets(count: int, today: Circumstances, *, is_deload: bool) -> int:
    most = count
    if is_deload:
        most = min(most, ceil(count * DELOAD_SETS_FACTOR.value))
    if today.is_taper:
        most = min(most, ceil(count * (1 + TAPER_VOLUME.value / 100)))
    if today.meet == "recovery":
        most = min(most, ceil(count * MEET_RECOVERY_SETS.value))
    if today.readiness is not None:
        most = min(most, count + READINESS_LOW_SETS.value)
    return max(1, most)


def _rpe_cap(
    slot: SlotContext, rules: Rules, today: Circumstances, deload: DeloadReason | None
) -> float | None:
    """Return the maximum RPE of a set; None without a limit, and for athletes without logged
    RPE.
    """
    if not any(done.rpe is not None for each in slot.exposures for done in each.sets):
        return None
    own = rules.for_exercise(slot.exercise_title).rpe_cap
    caps = [
        own,
        None if deload is None else HIGHEST_RPE - spare_in_deload(deload),
        None if today.readiness is None else READINESS_LOW_RPE_CAP.value,
        MEET_RECOVERY_RPE.value if today.meet in {"light", "recovery"} else None,
    ]
    return min((cap for cap in caps if cap is not None), default=None)


def _above_light(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules
) -> Iterator[tuple[SetPrescription, str]]:
    """Yield the working sets that are heavier than light days allow, with the limit.

    The limit is a share of the heaviest set of the last credible work, or the lightest load.
    """
    if slot.exercise_type in {ASSISTED, WEIGHTED}:
        return
    lifted = _last_loads(prescribed, slot, rules) or last_lifted(slot)
    if not lifted:
        return
    share = max(MEET_LIGHT_LOAD.value, MEET_RECOVERY_LOAD.value)
    lightest = ladder_for(slot, rules, through_kg=max(lifted)).loads.lightest
    limit = max(share * max(lifted), lightest)
    for target in prescribed.sets:
        is_work = target.set_type in WORKING_TYPES
        if is_work and (target.weight_kg or 0.0) > limit + LOAD_TOLERANCE.value:
            yield target, load_text(limit, rules.equipment.unit)


def _last_loads(prescribed: SlotPrescription, slot: SlotContext, rules: Rules) -> list[float]:
    """Return the loads (kg) of the last credible sets of each group with a history."""
    blocks = (
        block_of(slot, group, rules) for group in working_groups(slot, prescribed.structure, rules)
    )
    attempts = (history(slot, slot.planned_sets, block).attempts for block in blocks)
    return [load for past in attempts if past for load in past[0].loads]


def _increases(
    prescribed: SlotPrescription, slot: SlotContext, rules: Rules
) -> Iterator[tuple[SetPrescription, str]]:
    """Yield the working sets above the last workout: by load, then repetitions or seconds.

    Beside kept sets those with the routine's targets may be kept or decided: if they are above
    their last attempt, all lifted loads count.
    """
    there = {each.set_index: each for each in prescribed.sets}
    own = {each.set_index: each for each in slot.planned_sets}
    keeps = "keep" in prescribed.rule.split(", ")
    for group in working_groups(slot, prescribed.structure, rules):
        targets = [there[each.set_index] for each in group if each.set_index in there]
        block = block_of(slot, group, rules)
        attempts = history(slot, slot.planned_sets, block).attempts
        may_be_kept = (
            keeps
            and all(_is_routines(each, own.get(each.set_index)) for each in group)
            and all(_is_no_more(each, own.get(each.set_index), slot) for each in targets)
        )
        above = list(_above_attempt(targets, slot, block, attempts[0])) if attempts else None
        if above is None or (above and may_be_kept):
            above = list(_above_lifted(targets, group, slot))
        yield from above


def _is_routines(target: SetPrescription, own: SetPrescription | None) -> bool:
    """Return whether a target is the routine's own."""
    return own is not None and (target.weight_kg, target.reps) == (own.weight_kg, own.reps)


def _is_no_more(target: SetPrescription, own: SetPrescription | None, slot: SlotContext) -> bool:
    """Return whether a target is the routine's own, or lighter with no more repetitions."""
    has_more_reps = own is not None and (target.reps or 0) > (own.reps or 0)
    return _is_routines(target, own) or (is_lighter(target, own, slot) and not has_more_reps)


def is_lighter(target: SetPrescription, own: SetPrescription | None, slot: SlotContext) -> bool:
    """Return whether a set is lighter than in the routine; never if the body is a part of it."""
    if own is None or slot.exercise_type in {ASSISTED, WEIGHTED}:
        return False
    return 0 < (target.weight_kg or 0.0) < (own.weight_kg or 0.0)


def _above_attempt(
    targets: Sequence[SetPrescription], slot: SlotContext, block: Block, last: Attempt
) -> Iterator[tuple[SetPrescription, str]]:
    # The load of a timed exercise is the routine's own.
    is_hung_on = slot.exercise_type == WEIGHTED and block.model != "timed"
    has_load = block.model in LOAD_MODELS or is_hung_on
    done = last.loads
    for target in targets:
        load = load_of(slot.exercise_type, target.weight_kg) if has_load else None
        if load is not None and load > (done[-1] if done else 0.0) + LOAD_TOLERANCE.value:
            yield target, f"{target.weight_kg:g} kg are more than was done last"
            continue
        has_less_load = load is not None and bool(done) and load < done[0] - LOAD_TOLERANCE.value
        if has_less_load or block.model in SCHEME_MODELS:
            continue  # less load makes room for more, and a programme has its own repetitions
        answer = last.answers[block.set_indexes.index(target.set_index)]
        if answer is not None and (more := _more_than(answer, target, block)):
            yield target, f"{more} are more than were done last"


def _more_than(answer: Answer, target: SetPrescription, block: Block) -> str | None:
    """Return the repetitions or seconds of a target above the answer's; None otherwise."""
    if block.model == "timed":
        done, goal = answer.duration_s, target.duration_s or 0
        is_more = done and goal > done and not is_far_more(goal, done)
        return f"{target.duration_s} s" if is_more else None
    if block.model == "distance" or block.target is None or target.reps is None:
        return None
    most = max(block.target.low or 1, answer.reps or 1)
    return f"{target.reps} reps" if target.reps > most else None


def _above_lifted(
    targets: Sequence[SetPrescription], group: Group, slot: SlotContext
) -> Iterator[tuple[SetPrescription, str]]:
    """Yield sets without a deciding history, above all that was lifted last."""
    if slot.exercise_type in {ASSISTED, WEIGHTED} or not all(each.weight_kg for each in group):
        return
    lifted = last_lifted(slot)
    for target in targets:
        if lifted and (target.weight_kg or 0.0) > max(lifted) + LOAD_TOLERANCE.value:
            yield target, f"{target.weight_kg:g} kg are more than was lifted last"
