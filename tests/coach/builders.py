"""Invented routines and workouts in few words. Loads are kg, workouts newest first."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from coach_agent.domain.context import Exposure, ExposureSet, RoutineContext, SlotContext
from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.engine.engine import build_input, prescribe
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.profile.exercise_rules import ExerciseRule
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.situation.situation import Situation

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)

Done = tuple[float | None, int | None] | tuple[float | None, int | None, float | None]

BENCH = {
    "exercise_template_id": "79D0BB3A",
    "exercise_title": "Bench Press (Barbell)",
    "exercise_type": "weight_reps",
    "equipment": "barbell",
    "primary_muscle_group": "chest",
}
CURL = {
    "exercise_template_id": "37FCC2BB",
    "exercise_title": "Bicep Curl (Dumbbell)",
    "exercise_type": "weight_reps",
    "equipment": "dumbbell",
    "primary_muscle_group": "biceps",
}
PULL_UP = {
    "exercise_template_id": "1B2B1E7C",
    "exercise_title": "Pull Up",
    "exercise_type": "reps_only",
    "equipment": "none",
    "primary_muscle_group": "lats",
}
PLANK = {
    "exercise_template_id": "C6C9B8A0",
    "exercise_title": "Plank",
    "exercise_type": "duration",
    "equipment": "none",
    "primary_muscle_group": "abdominals",
}


def planned(*sets: dict[str, Any]) -> tuple[SetPrescription, ...]:
    """Build sets of a routine, indexed in order; the default type is `normal`."""
    return tuple(
        SetPrescription.model_validate({"set_index": index, "set_type": "normal", **each})
        for index, each in enumerate(sets)
    )


def fixed(count: int, weight_kg: float | None, reps: int | None) -> list[dict[str, Any]]:
    return [{"weight_kg": weight_kg, "reps": reps}] * count


def ranged(count: int, weight_kg: float | None, low: int, high: int | None) -> list[dict[str, Any]]:
    return [{"weight_kg": weight_kg, "rep_range_start": low, "rep_range_end": high}] * count


def slot(
    exercise: dict[str, str],
    sets: Sequence[dict[str, Any]],
    exposures: Sequence[Exposure] = (),
    **other: Any,
) -> SlotContext:
    return SlotContext.model_validate(
        {
            "exercise_index": 0,
            "occurrence": 1,
            **exercise,
            "planned_sets": planned(*sets),
            "exposures": exposures,
            **other,
        }
    )


def exposure(
    done: Sequence[Done],
    plan: Sequence[dict[str, Any]] | None = None,
    *,
    days_ago: int = 0,
    extra: Sequence[Done] = (),
    skipped: Sequence[int] = (),
) -> Exposure:
    """A workout. With `plan`, done sets answer its sets in order but the `skipped` ones."""
    planned_sets = planned(*(plan or ()))
    answered = [each for each in planned_sets if each.set_index not in skipped]
    sets = []
    for index, values in enumerate((*done, *extra)):
        target = answered[index] if plan and index < len(done) else None
        sets.append(exposure_set(index, values, target))
    return Exposure(
        workout_id=f"workout-{days_ago}",
        started_at=NOW - timedelta(days=days_ago),
        is_plan_known=plan is not None,
        planned_working_count=len(planned_sets) if plan is not None else None,
        sets=tuple(sets),
    )


def exposure_set(
    index: int, values: Done, target: SetPrescription | None, **other: Any
) -> ExposureSet:
    weight_kg, reps, rpe = (*values, None)[:3]
    plan: dict[str, Any] = {}
    if target is not None:
        low = target.reps if target.rep_range_start is None else target.rep_range_start
        high = target.reps if target.rep_range_start is None else target.rep_range_end
        plan = {
            "set_type": target.set_type,
            "planned_set_index": target.set_index,
            "planned_weight_kg": target.weight_kg,
            "planned_reps_low": low,
            "planned_reps_high": high,
            "planned_duration_s": target.duration_s,
        }
    return ExposureSet.model_validate(
        {
            "set_index": index,
            "set_type": "normal",
            "weight_kg": weight_kg,
            "reps": reps,
            "rpe": rpe,
            **plan,
            **other,
        }
    )


def timed_exposure(
    seconds: Sequence[int], plan: Sequence[int] | None = None, days_ago: int = 0
) -> Exposure:
    sets = tuple(
        exposure_set(
            index,
            (None, None),
            None,
            duration_s=duration_s,
            planned_set_index=index if plan else None,
            planned_duration_s=plan[index] if plan else None,
        )
        for index, duration_s in enumerate(seconds)
    )
    return Exposure(
        workout_id=f"workout-{days_ago}",
        started_at=NOW - timedelta(days=days_ago),
        is_plan_known=plan is not None,
        planned_working_count=len(plan) if plan else None,
        sets=sets,
    )


def routine(
    *slots: SlotContext, title: str = "Upper A", days_ago: int | None = 2
) -> RoutineContext:
    return RoutineContext(
        routine_id=f"routine-{title}",
        title=title,
        sha256="0" * 64,
        last_trained_at=None if days_ago is None else NOW - timedelta(days=days_ago),
        slots=tuple(
            each.model_copy(update={"exercise_index": index}) for index, each in enumerate(slots)
        ),
    )


def situation(routines: Sequence[RoutineContext], **other: Any) -> Situation:
    """Build a situation on the day of NOW, by default two days after the latest workout."""
    return Situation.model_validate(
        {"today": NOW.date(), "routines": routines, **other}, from_attributes=True
    )


def profile(**values: Any) -> AthleteProfile:
    return AthleteProfile.model_validate({"id": "demo", **values}, strict=False)


def gym(**values: Any) -> Rules:
    """Other rules than the default ones."""
    return Rules.model_validate(values, strict=False)


def rules(exercise: dict[str, str], **values: Any) -> Rules:
    """The default gym, with a rule for one exercise."""
    return Rules(exercises={exercise["exercise_title"]: ExerciseRule(**values)})


def plan_for(
    context: RoutineContext,
    given: Rules | None = None,
    circumstances: Circumstances | None = None,
) -> Plan:
    return prescribe(build_input("demo", context, given or Rules(), circumstances))


def prescribe_slot(context: SlotContext, given: Rules | None = None) -> SlotPrescription:
    return plan_for(routine(context), given).slots[0]


def loads(prescribed: SlotPrescription) -> list[float | None]:
    return [each.weight_kg for each in prescribed.sets]


def reps(prescribed: SlotPrescription) -> list[int | None]:
    return [each.reps for each in prescribed.sets]


def applied(plan: Plan, context: RoutineContext) -> RoutineContext:
    """The routine after the plan has been written into it."""
    slots = tuple(
        each.model_copy(update={"planned_sets": prescribed.sets})
        for each, prescribed in zip(context.slots, plan.slots, strict=True)
    )
    return context.model_copy(update={"slots": slots, "sha256": "1" * 64})


def changed_set(plan: Plan, slot_index: int, place: int, values: dict[str, Any]) -> Plan:
    """The plan with other values in one set, unchecked as a faulty engine would make them."""
    sets = list(plan.slots[slot_index].sets)
    sets[place] = sets[place].model_copy(update=values)
    return changed_slot(plan, slot_index, sets=tuple(sets))


def changed_slot(plan: Plan, slot_index: int, **values: Any) -> Plan:
    slots = list(plan.slots)
    slots[slot_index] = slots[slot_index].model_copy(update=values)
    return plan.model_copy(update={"slots": tuple(slots)})


def unplanned(*workouts: tuple[float, tuple[int, ...]]) -> list[Exposure]:
    """Workouts of an unknown plan, newest first: the load and the repetitions of each set."""
    return [
        exposure([(load_kg, done) for done in repetitions], days_ago=3 * place)
        for place, (load_kg, repetitions) in enumerate(workouts)
    ]
