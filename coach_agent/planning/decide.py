"""The coach's entry point: from an athlete's situation to the plan of the next workout."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from coach_agent.domain.constants.recovery import (
    PAIN_DROP_FROM,
)
from coach_agent.domain.context import Exposure, RoutineContext, SlotContext
from coach_agent.domain.days import monday_of
from coach_agent.domain.pain import (
    Loading,
    Titled,
    may_replace,
    part_name,
    trainable,
    worst_pain,
)
from coach_agent.domain.plan import Insight, Plan
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.units import Unit
from coach_agent.domain.values import canonical_json
from coach_agent.engine.engine import EngineInput, build_input, prescribe
from coach_agent.engine.explain.insight import workout_insight
from coach_agent.engine.forecast.own_forecasts import own_accuracy
from coach_agent.engine.history.elsewhere import work_by_exercise
from coach_agent.engine.limits.conditions import (
    Background,
    Circumstances,
    readiness_of,
)
from coach_agent.engine.limits.volume import volume_advice
from coach_agent.engine.models.select import SCHEME_MODELS
from coach_agent.language.messages import in_language, name_of, phrase
from coach_agent.planning.block_week import block_week, due_sessions, end_of_block, within_volume
from coach_agent.planning.day_limits import Today
from coach_agent.planning.decision import Decision
from coach_agent.planning.deload import deload_reason
from coach_agent.planning.guardrails import GuardrailError, violations
from coach_agent.planning.rotation import managed_routines, next_routine
from coach_agent.planning.tested_maxima import tested_maxima
from coach_agent.profile.equipment import equipment_kind
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import phase_on
from coach_agent.situation.situation import Situation


def decide(
    situation: Situation, profile: AthleteProfile, language: str | None = None
) -> Decision | None:
    """Decide the next workout; None without a routine to train, or with an open red flag.

    Texts are in `language`, by default the profile's.

    Also None on the day of a meet and the day before it, see `meet_text`. A routine without any
    exercise left today, because of pain or avoidance, is skipped.

    Raises:
        GuardrailError: the plan breaks its limits, which is a fault of the engine.
        ProfileError: the profile names an unknown routine.
    """
    with in_language(language or profile.preferences.language):
        return _decide(situation, profile)


def _decide(situation: Situation, profile: AthleteProfile) -> Decision | None:
    if situation.red_flags or profile.red_flags:
        return None
    circumstances = circumstances_of(situation, profile)
    if circumstances.meet in {"rest", "meet"}:
        return None
    work = work_by_exercise(situation.routines)
    for routine in _candidates(situation, profile):
        of_block = _with_block(circumstances, situation, profile, routine)
        engine_input = _input_for(routine, situation, profile, of_block, work)
        prescribed = prescribe(engine_input)
        if any(slot.sets for slot in prescribed.slots):
            break
    else:
        return None
    plan = _for_hevy(prescribed, routine)
    if found := violations(plan, routine, profile, Today(of_block, *_weekly_sets(situation))):
        raise GuardrailError(found)
    input_json, output_json = canonical_json(engine_input), prescribed.to_json()
    profile_json = profile.recorded_json()
    identity = decision_identity(input_json, plan.rule_version)
    return Decision(
        decision_id=f"dec_{identity}",
        input_json=input_json.decode(),
        input_sha256=_sha256(input_json),
        plan=plan,
        plan_id=f"plan_{identity}",
        output_sha256=_sha256(output_json),
        output_json=output_json.decode(),
        rule_version=plan.rule_version,
        profile_sha256=_sha256(profile_json),
        profile_json=profile_json.decode(),
        situation=situation,
    )


def input_for(
    routine: RoutineContext, situation: Situation, profile: AthleteProfile
) -> EngineInput:
    """Return the engine's input for a routine, as a plan of that day has it."""
    circumstances = _with_block(circumstances_of(situation, profile), situation, profile, routine)
    work = work_by_exercise(situation.routines)
    return _input_for(routine, situation, profile, circumstances, work)


def _input_for(
    routine: RoutineContext,
    situation: Situation,
    profile: AthleteProfile,
    circumstances: Circumstances,
    work: Mapping[str, Sequence[Exposure]],
) -> EngineInput:
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    return build_input(
        athlete_id=profile.id,
        routine=routine,
        rules=rules.model_copy(update={"body_kg": circumstances.body_kg}),
        circumstances=_in_routine(circumstances, routine, profile, situation),
        background=background_of(situation, profile, routine),
        today=situation.today,
        timezone=profile.timezone,
        work=work,
    )


def decision_identity(input_json: bytes, rules: str) -> str:
    """Return the hash that ends the ids of the engine's decision and plan."""
    return _sha256(input_json + rules.encode())[:16]


def circumstances_of(situation: Situation, profile: AthleteProfile) -> Circumstances:
    """Return the athlete's circumstances that a decision considers."""
    day = phase_on(profile.season, situation.today)
    latest = situation.latest_check_in
    reported_pains = () if latest is None else latest.pain
    minutes = [profile.session_minutes, None if latest is None else latest.minutes]
    is_around_event = day.is_taper or day.meet is not None
    felt = readiness_of(None if latest is None else latest.readiness)
    recovery = situation.recovery if profile.recovery.is_adjusting and felt is None else None
    if recovery is not None and not recovery.holds_on(situation.today):
        recovery = None
    if recovery is not None and latest is not None and latest.readiness is not None:
        # The newest check-in is a good one; the day's may be older.
        recovery = recovery.without_check_in()
    return Circumstances(
        deload=deload_reason(
            situation, profile, is_planned=day.is_deload, is_taper=is_around_event
        ),
        is_taper=day.is_taper,
        meet=day.meet,
        readiness=felt if recovery is None else "low",
        recovery=recovery,
        is_sore=felt is not None and latest is not None and latest.is_sore,
        minutes=min((each for each in minutes if each is not None), default=None),
        pains=(*reported_pains, *profile.lasting_pains),
        deloaded_titles=() if latest is None else latest.deload_titles,
        avoided_titles=profile.avoid,
        tested_maxima=tested_maxima(situation, profile),
        lacks=profile.gym.lacks,
        body_kg=_body_kg(situation, profile),
    )


def _body_kg(situation: Situation, profile: AthleteProfile) -> float | None:
    """Return the body weight: measured in the last year, otherwise the profile's; None: unknown."""
    measured = situation.body_weight
    known = None if measured is None else measured.kg_on(situation.today)
    return profile.body_weight_kg if known is None else known


def _with_block(
    circumstances: Circumstances,
    situation: Situation,
    profile: AthleteProfile,
    routine: RoutineContext,
) -> Circumstances:
    """Return the circumstances with the week of the followed programme, for a routine of it.

    An easy week is a deload, unless an event makes training easier already, or the profile wants
    none.
    """
    week = block_week(situation, profile, routine)
    if week is None:
        return circumstances
    is_around_event = circumstances.is_taper or circumstances.meet is not None
    is_easy = (
        week.phase == "deload"
        and not is_around_event
        and circumstances.deload != "asked"
        and profile.season.deload_mode != "never"
    )
    before, now = _weekly_sets(situation)
    week = within_volume(
        week, routine, Today(circumstances, before, now), profile.limits.weekly_volume_pct
    )
    return circumstances.model_copy(
        update={"block": week, "deload": "block" if is_easy else circumstances.deload}
    )


def today_of(
    situation: Situation, profile: AthleteProfile, routine: RoutineContext | None = None
) -> Today:
    """Return the facts of the day for the guardrails; `routine` is that of the plan."""
    before, now = _weekly_sets(situation)
    circumstances = circumstances_of(situation, profile)
    if routine is not None:
        circumstances = _with_block(circumstances, situation, profile, routine)
    return Today(circumstances, before, now)


def background_of(
    situation: Situation, profile: AthleteProfile, routine: RoutineContext
) -> Background:
    """Return the athlete's data beyond the routine."""
    before, now = _weekly_sets(situation)
    groups = {slot.primary_muscle_group for slot in routine.slots}
    advice = volume_advice(
        {group: weeks for group, weeks in before.items() if group in groups},
        now,
        profile.limits.weekly_volume_pct,
    )
    if (ended := end_of_block(situation, profile)) is not None:
        advice = (ended, *advice)
    return Background(
        accuracy=own_accuracy(slot for each in situation.routines for slot in each.slots),
        minutes_a_set=None if situation.pace is None else situation.pace.minutes_a_set,
        paced_workouts=0 if situation.pace is None else situation.pace.workouts,
        advice=advice,
        insight=_latest_insight(situation.routines, profile.gym.unit),
    )


def _weekly_sets(situation: Situation) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Return by muscle group the sets of the whole weeks before, and those of this week so far."""
    before: dict[str, list[float]] = {}
    now: dict[str, float] = {}
    monday = monday_of(situation.today)
    for week in situation.weekly_sets:
        if week.week_start == monday:
            now[week.muscle_group] = week.sets
        else:
            before.setdefault(week.muscle_group, []).append(week.sets)
    return before, now


def _candidates(situation: Situation, profile: AthleteProfile) -> Iterator[RoutineContext]:
    """Yield the next routine, then the others, the one not trained for longest first."""
    due = due_sessions(situation.programme, situation.trained, profile, situation.today)
    first = next_routine(situation.routines, profile, situation.trained, situation.today, due)
    if first is None:
        return
    yield first
    others = [each for each in managed_routines(situation.routines, profile) if each != first]
    never = datetime.min.replace(tzinfo=UTC)
    yield from sorted(others, key=lambda each: (each.last_trained_at or never, each.title))


def _in_routine(
    circumstances: Circumstances,
    routine: RoutineContext,
    profile: AthleteProfile,
    situation: Situation,
) -> Circumstances:
    """Return the circumstances with substitutes for exercises of the routine, and trainable ones.

    A substitute of the profile must exist, if titles are known, and is checked for pain like any
    exercise.
    """
    titles = {slot.exercise_title for slot in routine.slots}
    there = {normalize_title(title) for title in situation.exercise_titles}
    known = {
        normalize_title(slot.exercise_title): slot
        for each in situation.routines
        for slot in each.slots
    }
    fit: dict[str, tuple[str, ...]] = {}
    unfit: dict[str, dict[str, str]] = {}
    for title, swap in profile.preferences.swap.items():
        if title not in titles:
            continue
        reasons = {
            each: _unfit(known.get(normalize_title(each), Titled(each)), circumstances)
            for each in swap
            if not there or normalize_title(each) in there
        }
        fit[title] = tuple(each for each, reason in reasons.items() if reason is None)
        if refused := {each: reason for each, reason in reasons.items() if reason is not None}:
            unfit[title] = refused
    return circumstances.model_copy(
        update={
            "substitutes": fit,
            "unfit_substitutes": unfit,
            "trainable_titles": trainable_titles(circumstances, routine),
        }
    )


def _unfit(exercise: Loading, circumstances: Circumstances) -> str | None:
    """Return the reason why an exercise is no substitute today, as the end of a sentence, or
    None.
    """
    equipment, exercise_type = None, None
    if isinstance(exercise, SlotContext):
        equipment, exercise_type = exercise.equipment, exercise.exercise_type
    kind = equipment_kind(exercise.exercise_title, equipment, exercise_type)
    if kind in circumstances.lacks:
        return phrase("unfit-equipment", kind=name_of("equipment", kind))
    if may_replace(circumstances.pains, exercise):
        return None
    pain = worst_pain(circumstances.pains, exercise)
    return None if pain is None else phrase("unfit-pain", part=part_name(pain.part))


def trainable_titles(
    circumstances: Circumstances, routine: RoutineContext | None = None
) -> tuple[str, ...]:
    """Return exercises of the routine that load nothing with severe pain, otherwise common ones.

    Empty without severe pain.
    """
    severe = [pain for pain in circumstances.pains if pain.is_at_least(PAIN_DROP_FROM.value)]
    if not severe:
        return ()
    slots = () if routine is None else routine.slots
    own = [slot.exercise_title for slot in slots if worst_pain(severe, slot) is None]
    return tuple(dict.fromkeys(own)) or trainable(severe)


def latest_workout(routines: Sequence[RoutineContext]) -> tuple[RoutineContext, str] | None:
    """Return the latest workout of any routine, as that routine and the workout's id."""
    latest = max(
        (
            (exposure.started_at, exposure.workout_id, routine.routine_id)
            for routine in routines
            for slot in routine.slots
            for exposure in slot.exposures[:1]
            if routine.last_trained_at == exposure.started_at
        ),
        default=None,
    )
    if latest is None:
        return None
    _, workout_id, routine_id = latest
    return next(each for each in routines if each.routine_id == routine_id), workout_id


def _latest_insight(routines: Sequence[RoutineContext], load_unit: Unit) -> Insight | None:
    """Return the insight of the latest workout of any routine."""
    latest = latest_workout(routines)
    if latest is None:
        return None
    routine, workout_id = latest
    return workout_insight(routine.slots, workout_id, load_unit)


def _for_hevy(plan: Plan, routine: RoutineContext) -> Plan:
    """Return the plan with the present content of Hevy's routine, its removals and missing
    notes.
    """
    slots = []
    for prescribed, slot in zip(plan.slots, routine.slots, strict=True):
        there = slot.types_in_hevy
        if there is None:
            there = tuple(each.set_type for each in slot.planned_sets)
        is_whole = there == tuple(each.set_type for each in prescribed.structure)
        is_out = not there or not prescribed.sets
        has_own_ranges = prescribed.rule in SCHEME_MODELS or any(
            (each.rep_range_start, each.rep_range_end)
            != (whole.rep_range_start, whole.rep_range_end)
            for each, whole in zip(prescribed.sets, prescribed.structure, strict=False)
        )
        kept = {
            "replaces_ranges": has_own_ranges or slot.is_range_ours,
            "types_in_hevy": None if is_whole else there,
            "notes": slot.notes if is_out else None,
        }
        slots.append(prescribed.model_copy(update=kept))
    changed = plan.model_copy(update={"slots": tuple(slots), "takes_out": routine.stand_ins})
    return plan if changed == plan else changed


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
