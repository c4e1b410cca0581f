"""Oracle for the comparison of plan and training: in Python, slow and obvious.

It follows the written rules (selection of the plan; acceptance cases A and D) and not the SQL, so
that the two agree only if both are right. Every alignment is found by exhaustive search. Rational
arithmetic avoids rounding.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from tests.warehouse.compliance_histories import History, Template, TrainingSet, Workout
from tests.warehouse.compliance_oracle_doubts import Place, doubted
from tests.warehouse.compliance_oracle_plans import (
    Occurrence,
    Plan,
    is_possibly_superseded,
    occurrences,
    plan_of,
    trained,
)

LOAD_TOLERANCE = Decimal("0.25")  # kg
REP_COST = Fraction("0.05")
PAIR_COST_CAP = Fraction("0.95")

SET_CLASSES = {"warmup": "warmup", "normal": "working", "failure": "working", "dropset": "drop"}

Pairing = list[tuple[int | None, int | None]]  # places of a planned and a performed set


@dataclass(frozen=True)
class Row:
    """A row of `fct_plan_compliance`, by its columns; the version by its routine and landing."""

    workout_id: str
    plan_basis: str | None
    plan_routine_id: str | None
    plan_landed_at: int | None
    is_plan_known: bool
    is_possibly_superseded: bool
    exercise_key: str
    occurrence: int
    set_class: str
    planned_exercise_index: int | None
    planned_set_index: int | None
    planned_set_type: str | None
    planned_weight_kg: Decimal | None
    planned_reps_low: int | None
    planned_reps_high: int | None
    planned_duration_s: Decimal | None
    planned_distance_m: Decimal | None
    planned_custom_metric: Decimal | None
    performed_exercise_index: int | None
    performed_set_index: int | None
    performed_set_type: str | None
    weight_kg: Decimal | None
    reps: int | None
    duration_s: Decimal | None
    distance_m: Decimal | None
    custom_metric: Decimal | None
    rpe: Decimal | None
    is_typo_suspect: bool | None
    diff_weight_kg: Decimal | None
    diff_reps: int | None
    diff_duration_s: Decimal | None
    diff_custom_metric: Decimal | None
    amrap_extra: int | None
    execution_status: str | None
    target_count: int | None
    counts_for_adherence: bool
    is_met: bool | None
    substitution_exercise_key: str | None


@dataclass(frozen=True)
class Side:
    """The planned or the performed half of a row."""

    exercise_index: int | None = None
    set_index: int | None = None
    its_set: TrainingSet | None = None

    @classmethod
    def at(
        cls, exercise_index: int | None, set_index: int | None, sets: Sequence[TrainingSet]
    ) -> "Side":
        """Return the set at an index, or None."""
        return cls() if set_index is None else cls(exercise_index, set_index, sets[set_index])


def compliance(history: History) -> list[Row]:
    """Return all rows of an athlete."""
    doubts = doubted(history)
    return [row for workout in history.workouts for row in _rows(history, workout, doubts)]


def _rows(history: History, workout: Workout, doubts: Collection[Place]) -> Iterator[Row]:
    """Yield the rows of a workout, paired by occurrence and by class of sets."""
    plan = plan_of(history, workout)
    planned_exercises = plan.version.exercises if plan.version is not None else ()
    planned_places = occurrences(history.catalogue, planned_exercises)
    done_places = occurrences(history.catalogue, workout.exercises)
    instead = substitutions(history, plan, workout)
    for occurrence in planned_places | done_places:
        planned_index, done_index = planned_places.get(occurrence), done_places.get(occurrence)
        planned_sets = () if planned_index is None else planned_exercises[planned_index].sets
        done_sets = () if done_index is None else workout.exercises[done_index].sets
        for planned_place, done_place in aligned(planned_sets, done_sets):
            yield _row(
                history,
                workout,
                plan,
                occurrence,
                Side.at(planned_index, planned_place, planned_sets),
                Side.at(done_index, done_place, done_sets),
                (workout.workout_id, done_index, done_place) in doubts,
                instead.get(occurrence),
            )


def _row(
    history: History,
    workout: Workout,
    plan: Plan,
    occurrence: Occurrence,
    planned: Side,
    done: Side,
    is_doubted: bool,
    instead: str | None,
) -> Row:
    exercise_key, number = occurrence
    goal, result = planned.its_set or TrainingSet(), done.its_set or TrainingSet()
    low, high = reps_target(goal)
    load = load_difference(goal, result, is_assisted(history.template(exercise_key)))
    reps = reps_difference(low, high, result.reps)
    seconds = _difference(goal.duration_s, result.duration_s)
    metric = _difference(goal.custom_metric, result.custom_metric)
    targets = [goal.weight_kg, low if low is not None else high, goal.duration_s]
    targets.append(goal.custom_metric)
    target_count = sum(1 for target in targets if target is not None)
    is_planned, is_done = planned.its_set is not None, done.its_set is not None
    set_class = SET_CLASSES[(planned.its_set or result).kind]

    if not plan.is_known:
        execution_status = None
    elif not is_done:
        execution_status = "Skipped"
    elif not is_planned:
        execution_status = "Unplanned"
    elif target_count > 0 and (load, reps, seconds, metric) == (None, None, None, None):
        execution_status = None
    else:
        execution_status = status(goal.weight_kg is not None, load, reps, seconds, metric)

    counts = plan.is_known and set_class == "working" and target_count > 0 and not is_doubted
    is_load_known = goal.weight_kg is None or result.weight_kg is not None
    is_as_planned = (execution_status or "").startswith(("Target Met", "Overperformed"))

    return Row(
        workout_id=workout.workout_id,
        plan_basis=plan.basis,
        plan_routine_id=plan.version.routine_id if plan.version else None,
        plan_landed_at=plan.version.landed_at if plan.version else None,
        is_plan_known=plan.is_known,
        is_possibly_superseded=is_possibly_superseded(history, workout, plan),
        exercise_key=exercise_key,
        occurrence=number,
        set_class=set_class,
        planned_exercise_index=planned.exercise_index,
        planned_set_index=planned.set_index,
        planned_set_type=goal.kind if is_planned else None,
        planned_weight_kg=goal.weight_kg,
        planned_reps_low=low,
        planned_reps_high=high,
        planned_duration_s=goal.duration_s,
        planned_distance_m=goal.distance_m,
        planned_custom_metric=goal.custom_metric,
        performed_exercise_index=done.exercise_index,
        performed_set_index=done.set_index,
        performed_set_type=result.kind if is_done else None,
        weight_kg=result.weight_kg,
        reps=result.reps,
        duration_s=result.duration_s,
        distance_m=result.distance_m,
        custom_metric=result.custom_metric,
        rpe=result.rpe,
        is_typo_suspect=is_doubted if is_done else None,
        diff_weight_kg=load,
        diff_reps=reps,
        diff_duration_s=seconds,
        diff_custom_metric=metric,
        amrap_extra=amrap_extra(low, high, result.reps),
        execution_status=execution_status,
        target_count=target_count if is_planned else None,
        counts_for_adherence=counts,
        is_met=is_as_planned and is_load_known if counts else None,
        substitution_exercise_key=instead,
    )


# Substitution of exercises


def substitutions(history: History, plan: Plan, workout: Workout) -> dict[Occurrence, str]:
    """Map occurrences without a performed or without a planned set to their substitutes."""
    if not plan.is_known or plan.version is None:
        return {}
    planned = trained(history.catalogue, plan.version.exercises)
    done = trained(history.catalogue, workout.exercises)
    instead: dict[Occurrence, str] = {}
    templates = (history.template(key) for key, _ in (*planned, *done))
    for muscle_group in {one.muscle_group for one in templates if one is not None} - {None}:
        skipped = [
            one for one in planned if one not in done and _trains(history, one, muscle_group)
        ]
        extra = [one for one in done if one not in planned and _trains(history, one, muscle_group)]
        for left, right in zip(skipped, extra, strict=False):
            instead |= {left: right[0], right: left[0]}
    return instead


def _trains(history: History, occurrence: Occurrence, muscle_group: str | None) -> bool:
    template = history.template(occurrence[0])
    return template is not None and template.muscle_group == muscle_group


# Alignment of sets


def aligned(planned: Sequence[TrainingSet], done: Sequence[TrainingSet]) -> Pairing:
    """Return every set of an exercise once, by its index: in a pair, or alone."""
    pairing: Pairing = []
    for set_class in sorted(set(SET_CLASSES.values())):
        planned_places = _places(planned, set_class)
        done_places = _places(done, set_class)
        met = pairs([planned[i] for i in planned_places], [done[j] for j in done_places])
        pairing += [(planned_places[i], done_places[j]) for i, j in met]
    pairing += [(i, None) for i in range(len(planned)) if i not in [own for own, _ in pairing]]
    pairing += [(None, j) for j in range(len(done)) if j not in [own for _, own in pairing]]
    return pairing


def _places(sets: Sequence[TrainingSet], set_class: str) -> list[int]:
    return [place for place, one in enumerate(sets) if SET_CLASSES[one.kind] == set_class]


def pair_cost(planned: TrainingSet, done: TrainingSet) -> Fraction:
    """Return the difference of a planned and a performed set; missing values cost nothing."""
    load = Fraction(0)
    if planned.weight_kg is not None and done.weight_kg is not None:
        difference = abs(Fraction(done.weight_kg) - Fraction(planned.weight_kg))
        load = difference / max(abs(Fraction(planned.weight_kg)), Fraction(1))
    outside = abs(reps_difference(*reps_target(planned), done.reps) or 0)
    return min(PAIR_COST_CAP, load + REP_COST * outside)


def pairs(planned: Sequence[TrainingSet], done: Sequence[TrainingSet]) -> list[tuple[int, int]]:
    """Return the cheapest way to pair the shorter side in order, of equal ones the earliest."""
    is_plan_shorter = len(planned) <= len(done)
    shorter, longer = sorted((len(planned), len(done)))

    def paired(partners: Sequence[int]) -> list[tuple[int, int]]:
        met = list(zip(range(shorter), partners, strict=True))
        return met if is_plan_shorter else [(partner, own) for own, partner in met]

    def cost(partners: Sequence[int]) -> Fraction:
        return sum((pair_cost(planned[i], done[j]) for i, j in paired(partners)), Fraction(0))

    ways = combinations(range(longer), shorter)
    return paired(min(ways, key=lambda partners: (cost(partners), partners)))


def reps_target(planned: TrainingSet) -> tuple[int | None, int | None]:
    """Return the range if there is one, otherwise the fixed number; None is an open end."""
    if planned.rep_range is None or planned.rep_range == (None, None):
        return planned.reps, planned.reps
    return planned.rep_range


def is_assisted(template: Template | None) -> bool:
    return template is not None and "assisted" in template.kind


def load_difference(planned: TrainingSet, done: TrainingSet, assisted: bool) -> Decimal | None:
    """Return the difference of loads; more is harder: less help, for either sign of assistance."""
    if planned.weight_kg is None or done.weight_kg is None:
        return None
    if assisted:
        return abs(planned.weight_kg) - abs(done.weight_kg)
    return done.weight_kg - planned.weight_kg


def status(
    has_load: bool,
    load: Decimal | None,
    reps: int | None,
    seconds: Decimal | None,
    metric: Decimal | None,
) -> str | None:
    """Return the first row of D3 that matches a pair; None is a dimension that is not compared.

    No row matches if the plan has a load that was not recorded and nothing else differs.
    """
    heavier = load is not None and load > LOAD_TOLERANCE
    lighter = load is not None and load < -LOAD_TOLERANCE
    more, fewer = (reps or 0) > 0, (reps or 0) < 0
    named = [
        (heavier and more, "Overperformed: Heavier & More Reps"),
        (heavier and fewer, "Mixed: Heavier but Fewer Reps"),
        (heavier, "Overperformed: Heavier"),
        (lighter and more, "Mixed: Lighter but More Reps"),
        (lighter, "Underperformed: Lighter"),
        (more, "Overperformed: More Reps"),
        (fewer, "Underperformed: Fewer Reps"),
        ((seconds or 0) > 0, "Overperformed: Longer Duration"),
        ((seconds or 0) < 0, "Underperformed: Shorter Duration"),
        ((metric or 0) > 0, "Overperformed: Higher Custom Metric"),
        ((metric or 0) < 0, "Underperformed: Lower Custom Metric"),
        (not has_load, "Target Met: Free/Bodyweight"),
        (load is not None, "Target Met"),
    ]
    return next((name for holds, name in named if holds), None)


def reps_difference(low: int | None, high: int | None, reps: int | None) -> int | None:
    """Return repetitions above the range, negative below it, 0 inside; None if not comparable."""
    if reps is None or (low is None and high is None):
        return None
    if high is not None and reps > high:
        return reps - high
    if low is not None and reps < low:
        return reps - low
    return 0


def amrap_extra(low: int | None, high: int | None, reps: int | None) -> int | None:
    """Return repetitions above the minimum of a range without an upper end."""
    if low is None or high is not None or reps is None or reps < low:
        return None
    return reps - low


def _difference(planned: Decimal | None, done: Decimal | None) -> Decimal | None:
    return None if planned is None or done is None else done - planned
