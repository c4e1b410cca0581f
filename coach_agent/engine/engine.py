"""The deterministic engine: from structure and history to the next workout, set by set.

`build_input` builds the engine's input from a routine, `prescribe` turns it into the plan. The plan
depends only on the input, and the input does not depend on what an earlier plan wrote into the
routine.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from pydantic import Field

from coach_agent.domain.block import BlockDemand
from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.domain.constants.loads import BODY_KG
from coach_agent.domain.context import Exposure, RoutineContext, Slot, SlotContext
from coach_agent.domain.plan import (
    BODY_ASSUMED,
    Adjustment,
    Insight,
    Plan,
    SlotPrescription,
)
from coach_agent.domain.units import Unit, in_unit
from coach_agent.domain.values import Value
from coach_agent.engine.decisions import decisions_of
from coach_agent.engine.duration import minutes_of
from coach_agent.engine.explain.plan_texts import targets_text
from coach_agent.engine.forecast.accuracy import Accuracy
from coach_agent.engine.forecast.reps import predictions
from coach_agent.engine.forecast.stall import stall_of
from coach_agent.engine.history.attempts import WORKING_TYPES, last_lifted
from coach_agent.engine.history.breaks import (
    Layoff,
    layoff_before,
    layoff_with_other_work,
)
from coach_agent.engine.history.elsewhere import other_work
from coach_agent.engine.limits.apply import apply_limits, reduce_kept_sets
from coach_agent.engine.limits.block_past import BlockPast
from coach_agent.engine.limits.conditions import (
    Background,
    Circumstances,
)
from coach_agent.engine.limits.programme_week import (
    effort_remark,
    plan_block,
    with_block_sets,
)
from coach_agent.engine.limits.restraints import Restraint, pain_remarks, restraints
from coach_agent.engine.limits.session_time import no_longer_than, within_time
from coach_agent.engine.limits.set_cuts import is_ramp, remaining_sets
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import known_body_kg, ladder_for
from coach_agent.engine.models.block import BlockDecision
from coach_agent.engine.models.credible_targets import (
    with_credible_targets,
    without_doubted_targets,
)
from coach_agent.engine.models.day_targets import with_day_targets
from coach_agent.engine.models.select import Block, working_sets
from coach_agent.engine.models.slots import (
    SlotInput,
    join_groups,
    may_join,
    shape,
    with_one_working_set,
    working_groups,
)
from coach_agent.engine.prescribe import (
    Decisions,
    load_search,
    prescription,
    sets_of,
    with_reason_of_sets,
)
from coach_agent.language.messages import (
    DEFAULT,
    current_language,
    in_language,
    is_default,
    phrase,
)
from coach_agent.profile.model import Rules


class EngineInput(Value):
    """The complete input of a plan."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rules: Rules
    circumstances: Circumstances = Circumstances()
    background: Background = Background()
    slots: tuple[SlotInput, ...]
    language: str = Field(default=DEFAULT, exclude_if=is_default)
    """Language of all texts; decisions from before it was considered are in English."""


def build_input(
    athlete_id: str,
    routine: RoutineContext,
    rules: Rules,
    circumstances: Circumstances | None = None,
    background: Background | None = None,
    today: date | None = None,
    timezone: str = "UTC",
    work: Mapping[str, Sequence[Exposure]] | None = None,
) -> EngineInput:
    """Build the engine's input for a routine.

    `today` is the athlete's day, in that IANA time zone, for the length of breaks; None: no break.
    Texts are in the current language. Only the meaning of the day is in the input, so the input of
    a night without changes equals that of the night before. `work` is that of `work_by_exercise`,
    for forecasts.
    """
    return EngineInput(
        athlete_id=athlete_id,
        routine_id=routine.routine_id,
        routine_title=routine.title,
        language=current_language(),
        rules=rules,
        circumstances=circumstances or Circumstances(),
        background=background or Background(),
        slots=tuple(
            _build_slot_input(
                slot,
                rules,
                _layoff(slot, today, ZoneInfo(timezone)),
                circumstances or Circumstances(),
                other_work(slot.exposures, (work or {}).get(slot.exercise_template_id, ())),
            )
            for slot in routine.slots
        ),
    )


def prescribe(engine_input: EngineInput) -> Plan:
    """Build the plan of the next workout, with texts in the language of the input."""
    with in_language(engine_input.language):
        return _prescribe(engine_input)


def _prescribe(engine_input: EngineInput) -> Plan:
    circumstances = engine_input.circumstances
    slots = _slots(engine_input)
    if circumstances.recovery is not None and circumstances.minutes is not None:
        # The minutes of sets that recovery takes must not bring back what had no time without it.
        usual = circumstances.model_copy(update={"recovery": None, "readiness": None})
        free = _slots(engine_input.model_copy(update={"circumstances": usual}))
        slots = no_longer_than(slots, free, circumstances.minutes)
    pace = engine_input.background.minutes_a_set, engine_input.background.paced_workouts
    return Plan(
        athlete_id=engine_input.athlete_id,
        routine_id=engine_input.routine_id,
        routine_title=engine_input.routine_title,
        rule_version=rule_version(),
        summary=summary_of(slots),
        load_unit=engine_input.rules.equipment.unit,
        language=engine_input.language,
        deload=circumstances.deload,
        minutes=minutes_of(slots, *pace),
        insight=_with_plan_targets(
            engine_input.background.insight, slots, engine_input.rules.equipment.unit
        ),
        advice=engine_input.background.advice,
        block=plan_block(
            circumstances.block,
            slots,
            is_easy_otherwise=circumstances.is_taper
            or circumstances.meet is not None
            or circumstances.deload not in {None, "block"},
        ),
        slots=tuple(
            with_predictions(prescribed, slot, engine_input.rules, engine_input.background.accuracy)
            for prescribed, slot in zip(slots, engine_input.slots, strict=True)
        ),
    )


def _slots(engine_input: EngineInput) -> tuple[SlotPrescription, ...]:
    """Return the exercises within the available time, without predictions."""
    decided = []
    of_training: list[Decisions] = []
    circumstances = engine_input.circumstances
    for slot in engine_input.slots:
        demand = _demand_on(slot, circumstances)
        restraining = restraints(
            *(slot, slot.layoff, circumstances),
            is_timed=not slot.has_reps,
            is_new=load_search(slot, engine_input.rules) is not None,
        )
        decisions, pasts = decisions_of(slot, engine_input.rules)
        whole = working_sets(sets_of(slot, decisions, engine_input.rules))
        if is_ramp(whole, remaining_sets(len(whole), restraining)):
            restraining = tuple(each.for_ramp() for each in restraining)
        today: Decisions = {
            block: _limit_kept_sets(slot, block, restraining, engine_input.rules)
            if decision is None
            else apply_limits(decision, pasts[block], restraining)
            for block, decision in decisions.items()
        }
        prescribed = prescription(
            *(slot, decisions, today, restraining, engine_input.rules),
            step_kg=_step_kg(pasts.values()),
            remarks=(
                *pain_remarks(slot, circumstances),
                *_body_remarks(pasts.values(), engine_input.rules),
                *(effort_remark(circumstances.block, demand) if not restraining else ()),
            ),
        )
        decided.append(with_block_sets(prescribed, circumstances.block, demand))
        of_training.append(decisions)
    pace = engine_input.background.minutes_a_set, engine_input.background.paced_workouts
    shortened = within_time(
        tuple(decided),
        circumstances.minutes,
        lambda slots: minutes_of(slots, *pace).minutes,
        {title for title, rule in engine_input.rules.exercises.items() if rule.is_optional},
    )
    return tuple(
        with_reason_of_sets(prescribed, slot, decisions, engine_input.rules)
        for prescribed, slot, decisions in zip(
            shortened, engine_input.slots, of_training, strict=True
        )
    )


def with_predictions(
    prescribed: SlotPrescription, slot: SlotInput, rules: Rules, accuracy: Accuracy
) -> SlotPrescription:
    """Return the exercise with a prediction for each of its sets; none for one that is left out."""
    working = [each.set_index for each in slot.sets if each.set_type in WORKING_TYPES]
    goals, body_kg = goals_of(slot, rules), known_body_kg(slot, rules)
    found = predictions(
        slot, working, prescribed.sets, accuracy, goals, slot.layoff, slot.elsewhere, body_kg
    )
    expected = tuple(found.get(each.set_index) for each in prescribed.sets)
    direction = "out" if prescribed.is_left_out else prescribed.direction
    return prescribed.model_copy(update={"predictions": expected, "direction": direction})


def goals_of(slot: SlotInput, rules: Rules) -> frozenset[int]:
    """Return the indexes of sets whose prediction is for the goal and not the low end of the range.

    The athlete's own steps are fixed, independent of the range; with a lighter rack its low end is
    too easy.
    """
    decisions, _ = decisions_of(slot, rules)
    return frozenset(
        index
        for block in slot.blocks
        if block.model == "steps" or _is_made_up(decisions.get(block))
        for index in block.set_indexes
    )


def _is_made_up(decision: BlockDecision | None) -> bool:
    """Return whether repetitions make up for a lighter rack."""
    return decision is not None and {"load_unavailable", "add_reps"} <= {*decision.codes}


def _build_slot_input(
    slot: SlotContext,
    rules: Rules,
    layoff: Layoff | None,
    circumstances: Circumstances,
    elsewhere: tuple[Exposure, ...],
) -> SlotInput:
    """Return the slot with working sets in groups that stay separate once the plan is in the
    routine.

    Groups share target and load. Two of them may get the same load, for example if a top set is
    reset to that of the back-off sets. Then they cannot be distinguished any more, so such groups
    decide together. Targets are compared as the next plan reads them from the routine, without
    doubted values. Each round joins some, so the loop ends.
    """
    tested_max_kg = circumstances.tested_maxima.get(slot.exercise_title)
    demand = _demand_on(slot, circumstances)
    how_it_stands = {
        "layoff": layoff,
        "stall": stall_of(slot),
        "tested_max_kg": tested_max_kg,
        "elsewhere": elsewhere,
        "reserve": None if demand is None else demand.reserve,
    }
    slot = with_day_targets(with_credible_targets(slot, rules), rules)
    slot = with_one_working_set(slot, rules)
    slot = _within_tested_max(slot, tested_max_kg)
    groups = working_groups(slot, slot.planned_sets, rules)
    while True:
        shaped = shape(slot, groups, rules).model_copy(update=how_it_stands)
        if not may_join(groups, slot, rules):
            return shaped
        decisions, _ = decisions_of(shaped, rules)
        sets = working_sets(sets_of(shaped, decisions, rules))
        targets = {each.set_index: each for each in without_doubted_targets(slot, sets, rules)}
        prescribed = [tuple(targets[each.set_index] for each in group) for group in groups]
        joined = join_groups(groups, prescribed, slot, rules)
        if len(joined) == len(groups):
            return shaped
        groups = joined


def _demand_on(slot: Slot, circumstances: Circumstances) -> BlockDemand | None:
    """Return the demand of the programme's week on an exercise; None without one."""
    if circumstances.block is None:
        return None
    return circumstances.block.demand_on(slot.exercise_title, slot.occurrence)


def _within_tested_max(slot: SlotContext, tested_max_kg: float | None) -> SlotContext:
    """Return the slot with no load of the routine above a recently tested maximum.

    Sets without an attempt keep the routine's values, which may hold a typing error.
    """
    if tested_max_kg is None or slot.exercise_type in {ASSISTED, WEIGHTED}:
        return slot
    planned = tuple(
        each.model_copy(update={"weight_kg": min(each.weight_kg, tested_max_kg)})
        if each.weight_kg is not None
        else each
        for each in slot.planned_sets
    )
    return slot.model_copy(update={"planned_sets": planned})


def _layoff(slot: SlotContext, today: date | None, zone: ZoneInfo) -> Layoff | None:
    """Return the break of the exercise up to today, from its last time in any routine.

    The break at its own place counts if it takes more, also after other work elsewhere.
    """
    own = {exposure.started_at for exposure in slot.exposures}
    done = own if slot.last_trained_at is None else {*own, slot.last_trained_at}
    if today is None or not done:
        return None
    own_days, days = (
        [at.astimezone(zone).date() for at in sorted(each, reverse=True)] for each in (own, done)
    )
    breaks = layoff_before(today, days), layoff_with_other_work(today, own_days, days[0])
    return min((each for each in breaks if each), key=lambda each: each.load, default=None)


def _limit_kept_sets(
    slot: SlotInput, block: Block, restraining: Sequence[Restraint], rules: Rules
) -> BlockDecision | None:
    """Return the reduction of sets that are kept as in the routine; None without a restraint.

    At most the last load of any target, and lighter if a restraint requires it. Deliberately easy
    workouts do not count: each easy day would make the next one easier.
    """
    planned = [each.weight_kg for each in slot.sets if each.set_index in block.set_indexes]
    loads = [load for load in planned if load]
    if not restraining or len(loads) < len(planned) or slot.exercise_type in {ASSISTED, WEIGHTED}:
        return None
    limit = max(last_lifted(slot), default=max(loads, default=0.0))
    ladder = ladder_for(slot, rules, through_kg=limit)
    return reduce_kept_sets(loads, limit, ladder, restraining)


def _with_plan_targets(
    insight: Insight | None, slots: Iterable[SlotPrescription], unit: Unit
) -> Insight | None:
    """Return the insight with the plan's targets of its exercise, so that they cannot contradict
    each other; None if it is about a workout whose one load or count the plan doubts.
    """
    if insight is None:
        return None
    for slot in slots:
        is_whole = len({done.weight_kg for done in slot.last_done}) == 1
        is_doubted = is_whole and "suspected_typo" in slot.limits
        if is_doubted and slot.exercise_title in insight.insight:
            return None
    if insight.exercise_title is None:
        return insight
    for slot in slots:
        if slot.exercise_title == insight.exercise_title and slot.sets:
            working = [each for each in slot.sets if each.set_type in WORKING_TYPES]
            sets = targets_text(working, unit, slot.exercise_type)
            action = phrase("insight-next-time", sets=sets)
            return insight.model_copy(update={"action": action})
    return insight


def _body_remarks(pasts: Iterable[BlockPast], rules: Rules) -> Iterator[Adjustment]:
    """Yield the remark that a load rests on an assumed body weight."""
    if rules.body_kg is None and any(each.ladder and each.ladder.body_kg for each in pasts):
        unit = rules.equipment.unit
        weight = f"{in_unit(BODY_KG.value, unit):.0f} {unit}"
        text = phrase("body-assumed", weight=weight)
        yield Adjustment(rule=BODY_ASSUMED, text=text)


def _step_kg(pasts: Iterable[BlockPast]) -> float | None:
    """Return the largest step from the last load of a block; None without loads."""
    steps = (
        (each.ladder.up(each.last.load) or each.last.load) - each.last.load
        for each in pasts
        if each.ladder is not None
    )
    return max(steps, default=None)


def summary_of(slots: Iterable[SlotPrescription]) -> str:
    """Count the exercises that go up, stay, go down or are left out."""
    counts: Counter[str] = Counter("out" if slot.is_left_out else slot.direction for slot in slots)
    parts = [
        phrase(f"summary-{key}", count=counts[key])
        for key in ("up", "same", "down", "out")
        if counts[key]
    ]
    return phrase("summary", parts=", ".join(parts))
