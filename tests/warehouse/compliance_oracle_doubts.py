"""Oracle for sets that look like typing errors."""

from statistics import median
from typing import NamedTuple

from tests.warehouse.compliance_histories import History, TrainingSet
from tests.warehouse.compliance_oracle_plans import exercise_key

FAR, ALIKE, WITNESSES, RAMP = 2.0, 1.6, 3, 0.2
ALONE_HIGH, ALONE_LOW = 3.0, 0.17
COUNT_HIGH, LEAST_COUNT = 3.0, 20
EXPOSURES, LEAST_EXPOSURES = 7, 3

Place = tuple[str, int, int]
"""A workout's id, and the indexes of the exercise and of the set in it."""


class Performed(NamedTuple):
    """A set with repetitions, no warm-up; `load` is None if it is no evidence."""

    place: Place
    kind: str
    load: float | None
    reps: int


def doubted(history: History) -> set[Place]:
    """Return the sets with numbers far from those of nearby exposures, without confirmation."""
    days: dict[str, list[list[Performed]]] = {}
    for workout in sorted(history.workouts, key=lambda one: (one.started_at, one.workout_id)):
        today: dict[str, list[Performed]] = {}
        for index, exercise in enumerate(workout.exercises):
            key = exercise_key(history.catalogue, exercise)
            template = history.template(key)
            is_of_body = template is not None and template.kind.startswith("bodyweight_")
            for at, performed in enumerate(exercise.sets):
                if performed.kind != "warmup" and performed.reps and performed.reps > 0:
                    place = (workout.workout_id, index, at)
                    load = None if is_of_body else _load(performed)
                    row = Performed(place, performed.kind, load, performed.reps)
                    today.setdefault(key, []).append(row)
        for key, rows in today.items():
            days.setdefault(key, []).append(rows)
    return {place for exposures in days.values() for place in wrong_places(exposures)}


def wrong_places(exposures: list[list[Performed]]) -> set[Place]:
    """Return the places of the doubted sets of an exercise, day by day, oldest first."""
    return {
        each.place
        for at, rows in enumerate(exposures)
        for number, each in enumerate(rows)
        if _is_wrong(each, number, rows, _around(exposures, at))
    }


def _load(performed: TrainingSet) -> float | None:
    load = None if performed.weight_kg is None else float(performed.weight_kg)
    return load if load is not None and load > 0 else None


def _around(exposures: list[list[Performed]], at: int) -> list[list[Performed]]:
    return [*exposures[max(0, at - EXPOSURES) : at], *exposures[at + 1 : at + 1 + EXPOSURES]]


def _is_wrong(
    each: Performed, number: int, rows: list[Performed], around: list[list[Performed]]
) -> bool:
    others = [row for row in rows if row is not each]
    return (
        _is_too_often(each, others, around)
        or _is_too_heavy(each, others, around)
        or _is_too_light(each, number, rows, around)
    )


def _is_too_often(each: Performed, others: list[Performed], around: list[list[Performed]]) -> bool:
    most = [max(row.reps for row in rows) for rows in around]
    near = sum(reps * ALIKE >= each.reps for reps in most) >= WITNESSES
    if each.reps < LEAST_COUNT or near or any(row.reps * ALIKE >= each.reps for row in others):
        return False
    if len(most) >= LEAST_EXPOSURES:
        return each.reps > COUNT_HIGH * median(most)
    return bool(others) and each.reps > COUNT_HIGH * max(row.reps for row in others)


def _is_too_heavy(each: Performed, others: list[Performed], around: list[list[Performed]]) -> bool:
    own = [row.load for row in others if row.load is not None]
    loads = [[row.load for row in rows if row.load is not None] for rows in around]
    heaviest = [max(day) for day in loads if day]
    if each.load is None or any(load * ALIKE >= each.load for load in own):
        return False
    if sum(load * ALIKE >= each.load for load in heaviest) >= WITNESSES:
        return False
    if len(heaviest) >= LEAST_EXPOSURES:
        return each.load > FAR * median(heaviest)
    working = [row.load for row in others if row.load is not None and row.kind != "dropset"]
    return bool(working) and each.load > ALONE_HIGH * max(working)


def _is_too_light(
    each: Performed, number: int, rows: list[Performed], around: list[list[Performed]]
) -> bool:
    load = each.load
    own = [row.load for at, row in enumerate(rows) if at != number and row.load is not None]
    loads = [
        [row.load for row in day if row.load is not None and row.kind != "dropset"]
        for day in around
    ]
    lightest = [min(day) for day in loads if day]
    if load is None or each.kind == "dropset" or any(one <= ALIKE * load for one in own):
        return False
    if sum(one <= ALIKE * load for one in lightest) >= WITNESSES:
        return False
    heaviest = [
        max((one.load for one in day if one.load is not None), default=None) for day in around
    ]
    if sum(one is not None for one in heaviest) < LEAST_EXPOSURES:
        return len(rows) > 2 and bool(own) and load < ALONE_LOW * min(own)
    before = [row.load for row in rows[:number] if row.load is not None]
    after = [row.load for row in rows[number + 1 :] if row.load is not None]
    others = [row.load for at, row in enumerate(rows) if at != number and row.kind != "dropset"]
    worked = [one for one in others if one is not None]
    is_ramp = bool(worked) and load >= RAMP * max(worked)
    is_ramp = is_ramp and (max(before, default=load) <= load or max(after, default=load) <= load)
    return bool(lightest) and load * FAR < median(lightest) and not is_ramp
