"""Coverage of a sample of histories: names of the situations in each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tests.warehouse.compliance_histories import BUILT_IN, Exercise, History, Version, Workout
from tests.warehouse.compliance_oracle import Row, compliance, is_assisted
from tests.warehouse.compliance_oracle_plans import (
    LEAST_SIMILARITY,
    Plan,
    candidates,
    normalised,
    periods,
    plan_of,
)

STATUSES = {
    "Skipped",
    "Unplanned",
    "Overperformed: Heavier & More Reps",
    "Mixed: Heavier but Fewer Reps",
    "Overperformed: Heavier",
    "Mixed: Lighter but More Reps",
    "Underperformed: Lighter",
    "Overperformed: More Reps",
    "Underperformed: Fewer Reps",
    "Overperformed: Longer Duration",
    "Underperformed: Shorter Duration",
    "Overperformed: Higher Custom Metric",
    "Underperformed: Lower Custom Metric",
    "Target Met: Free/Bodyweight",
    "Target Met",
    "no status with a plan",
    "no status without a plan",
}
SETS = {
    "warm-up added",
    "planned sets left over",
    "performed sets left over",
    "set to failure",
    "drop set",
    "other class than planned",
    "no target",
    "target not recorded",
    "open range",
    "timed set",
    "custom metric",
    "assisted",
    "load within tolerance",
    "load not recorded, nothing else differs",
    "load not recorded, more done",
    "doubted",
}
EXERCISES = {
    "extra exercise",
    "repeated exercise",
    "skipped exercise",
    "swapped order",
    "superset",
    "substitution",
    "exercise meant by a title",
    "exercise of every account meant by a title",
    "exercise unknown but for its title",
    "one title of several templates",
}
PLANS = {
    "title edited between workouts",
    "sets edited between workouts",
    "ranges edited between workouts",
    "exercises edited between workouts",
    "content changed under one stamp",
    "version without a stamp",
    "version stamped ahead",
    "version of ours",
    "deleted routine",
    "returned routine",
    "before the first version",
    "resembles a routine of later",
    "matched by title and exercises",
    "matched by exercises alone",
    "matched by a hair",
    "matched one of several alike",
    "not matched",
    "matched though it names a routine",
    "matched and possibly superseded",
    "possibly superseded",
    "read unchanged before the workout",
}
ALL = STATUSES | SETS | EXERCISES | PLANS


def cases(history: History) -> set[str]:
    """Return the names of the situations in a history."""
    found = set(_edits(history))
    rows = compliance(history)
    for workout in history.workouts:
        plan = plan_of(history, workout)
        its_rows = [row for row in rows if row.workout_id == workout.workout_id]
        found |= set(_plans(history, workout, plan, its_rows))
        found |= set(_exercises(history, workout, plan, its_rows))
        for row in its_rows:
            found |= set(_sets(history, row, its_rows))
    return found


def _sets(history: History, row: Row, rows: Sequence[Row]) -> Iterator[str]:
    if not row.is_plan_known:
        yield "no status without a plan"
        return
    yield row.execution_status or "no status with a plan"
    yield from ["set to failure"] * (row.performed_set_type == "failure")
    yield from ["drop set"] * ("dropset" in (row.performed_set_type, row.planned_set_type))
    yield from ["open range"] * (row.amrap_extra is not None)
    exercise = [one for one in rows if _occurrence(one) == _occurrence(row)]
    if row.execution_status in ("Skipped", "Unplanned"):
        is_planned = row.execution_status == "Skipped"
        other = "Unplanned" if is_planned else "Skipped"
        if any(one.execution_status == other for one in exercise):
            yield "other class than planned"
        met = [one for one in exercise if one.execution_status not in ("Skipped", "Unplanned")]
        if any(one.set_class == row.set_class for one in met):
            yield "planned sets left over" if is_planned else "performed sets left over"
        if met and row.set_class == "warmup" and not is_planned:
            yield "warm-up added"
        return
    yield from ["no target"] * (row.target_count == 0)
    yield from ["target not recorded"] * (row.planned_weight_kg is not None is row.weight_kg)
    if row.planned_weight_kg is not None is row.weight_kg and row.target_count != 1:
        is_more = (row.execution_status or "").startswith("Overperformed")
        yield from ["load not recorded, more done"] * is_more
        others = (row.diff_reps, row.diff_duration_s, row.diff_custom_metric)
        is_equal = row.execution_status is None and any(one is not None for one in others)
        yield from ["load not recorded, nothing else differs"] * is_equal
    yield from ["doubted"] * (row.is_typo_suspect is True)
    yield from ["timed set"] * (row.diff_duration_s is not None)
    yield from ["custom metric"] * (row.diff_custom_metric is not None)
    if row.diff_weight_kg:
        yield from ["load within tolerance"] * (row.execution_status == "Target Met")
        yield from ["assisted"] * is_assisted(history.template(row.exercise_key))


def _exercises(
    history: History, workout: Workout, plan: Plan, rows: Sequence[Row]
) -> Iterator[str]:
    titles = [normalised(template.title) for template in history.catalogue]
    for exercise, row in ((workout.exercises[_place(row)], row) for row in rows if _is_done(row)):
        if exercise.template_id is None:
            is_known = not row.exercise_key.startswith("title:")
            if row.exercise_key in BUILT_IN:
                yield "exercise of every account meant by a title"
            yield f"exercise {'meant by a' if is_known else 'unknown but for its'} title"
            if titles.count(normalised(exercise.title)) > 1:
                yield "one title of several templates"
    if not plan.is_known or plan.version is None:
        return
    pairs = [row for row in rows if _is_done(row) and row.planned_set_index is not None]
    for one in pairs:
        yield from ["repeated exercise"] * (one.occurrence > 1)
        if any(
            _place(one) < _place(other)
            and (one.planned_exercise_index or 0) > (other.planned_exercise_index or 0)
            for other in pairs
        ):
            yield "swapped order"
    for occurrence in {_occurrence(row) for row in rows}:
        statuses = {row.execution_status for row in rows if _occurrence(row) == occurrence}
        yield from ["skipped exercise"] * (statuses == {"Skipped"})
        yield from ["extra exercise"] * (statuses == {"Unplanned"})
    yield from ["substitution"] * any(row.substitution_exercise_key for row in rows)
    yield from ["superset"] * (_has_superset(plan.version.exercises) and bool(pairs))


def _plans(history: History, workout: Workout, plan: Plan, rows: Sequence[Row]) -> Iterator[str]:
    versions = history.versions_of(workout.routine_id) if workout.routine_id else []
    if not rows:
        return
    if plan.basis == "assumed" and versions:
        yield "before the first version"
    elif plan.basis == "assumed":
        yield "resembles a routine of later"
    elif plan.basis == "routine" and plan.version is not None:
        yield from ["version of ours"] * (plan.version.effective_at is not None)
        stamp = plan.version.stamped_at
        yield from ["version without a stamp"] * (stamp is None)
        yield from ["version stamped ahead"] * (
            stamp is not None and plan.version.landed_at < stamp
        )
        earlier = [one for one in versions if one.landed_at < plan.version.landed_at]
        yield from ["returned routine"] * any(one.is_deleted for one in earlier)
        is_read = any(plan.version.landed_at < read for read in history.complete_reads)
        if rows[0].is_possibly_superseded:
            yield "possibly superseded"
        elif is_read and versions[-1].landed_at > plan.version.landed_at < workout.started_at:
            yield "read unchanged before the workout"
    elif plan.basis == "matched":
        standing = [one for one in candidates(history, workout) if not one.is_later]
        alike = [one.similarity for one in standing]
        titles = {normalised(one.title or "") for one in [workout, plan.version] if one}
        is_titled = len(titles) == 1 and titles != {""}
        yield f"matched by {'title and exercises' if is_titled else 'exercises alone'}"
        yield from ["matched by a hair"] * (alike[0] == LEAST_SIMILARITY)
        yield from ["matched one of several alike"] * (alike.count(alike[0]) > 1)
        yield from ["matched though it names a routine"] * (workout.routine_id is not None)
        yield from ["matched and possibly superseded"] * rows[0].is_possibly_superseded
    elif versions:
        yield "deleted routine"
    elif candidates(history, workout):
        yield "not matched"


def _edits(history: History) -> Iterator[str]:
    """Yield the changes from one version to the next if both were trained."""
    plans = [plan_of(history, workout) for workout in history.workouts]
    trained = [plan.version for plan in plans if plan.basis == "routine"]
    for routine_id in history.routine_ids:
        versions = history.versions_of(routine_id)
        for one, other in pairwise(versions):
            if one.stamped_at is not None and one.stamped_at == other.stamped_at:
                yield "content changed under one stamp"
        for one, other in pairwise(period.version for period in periods(versions)):
            if one in trained and other in trained:
                yield from (f"{what} edited between workouts" for what in _edited(one, other))


def _edited(one: Version, other: Version) -> Iterator[str]:
    if one.title != other.title:
        yield "title"
    if [x.template_id for x in one.exercises] != [x.template_id for x in other.exercises]:
        yield "exercises"
        return
    for before, after in zip(one.exercises, other.exercises, strict=True):
        ranges = [[planned.rep_range for planned in exercise.sets] for exercise in (before, after)]
        sets = [
            [replace(planned, rep_range=None) for planned in exercise.sets]
            for exercise in (before, after)
        ]
        yield from ["sets"] * (sets[0] != sets[1])
        yield from ["ranges"] * (sets[0] == sets[1] and ranges[0] != ranges[1])


def _is_done(row: Row) -> bool:
    return row.performed_exercise_index is not None


def _place(row: Row) -> int:
    return row.performed_exercise_index or 0


def _occurrence(row: Row) -> tuple[str, int]:
    return row.exercise_key, row.occurrence


def _has_superset(exercises: Sequence[Exercise]) -> bool:
    numbers = [exercise.superset_id for exercise in exercises if exercise.superset_id is not None]
    return len(numbers) > len(set(numbers))
