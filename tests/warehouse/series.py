"""Months of random but fixed training, to compare series with plain Python.

Three lifters train everything that Hevy records; one of them records RPEs.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from tests.warehouse.payloads import Json, at, exercise, lift, template, workout
from tests.warehouse.scratch import ScratchWarehouse

Rows = Sequence[Json]

LIFTERS = ("careless", "diligent", "hasty")
CATALOGUE = [
    template("bench"),
    template("row"),
    template("squat"),
    template("curl", equipment="dumbbell"),
    template("pull up", "bodyweight_weighted"),
    template("dip", "bodyweight_assisted"),
    template("push up", "reps_only"),
    template("plank", "duration"),
    template("sled", "short_distance_weight"),
    template("run", "distance_duration", primary_muscle_group="cardio"),
]
START = at("2025-06-02 17:00")
LATE = 12
"""Number of workouts of a lifter that arrive after the first build."""


def land_history(warehouse: ScratchWarehouse, now: datetime) -> None:
    """Land all workouts but the late ones."""
    for athlete in LIFTERS:
        warehouse.land("hevy_exercise_templates", athlete, CATALOGUE, now=now)
        warehouse.land("hevy_workouts", athlete, _workouts(athlete)[LATE:], now=now)


def land_late(warehouse: ScratchWarehouse, now: datetime) -> None:
    """Land the late workouts, from all of the time."""
    for athlete in LIFTERS:
        late = _workouts(athlete)[:LATE]
        warehouse.land("hevy_workouts", athlete, late, now=now)


def land_some(warehouse: ScratchWarehouse, now: datetime, *, every: int) -> None:
    """Land each `every`-th workout of each lifter, from all of the time."""
    for athlete in LIFTERS:
        warehouse.land("hevy_exercise_templates", athlete, CATALOGUE, now=now)
        workouts = sorted(_workouts(athlete), key=lambda one: str(one["id"]))
        warehouse.land("hevy_workouts", athlete, workouts[::every], now=now)


def _workouts(athlete: str) -> list[Json]:
    random = Random(athlete)  # noqa: S311 - chance, not secrecy
    workouts = []
    for number in range(70):
        start = START + timedelta(days=3 * number, minutes=random.randrange(90))
        minutes = random.choice([55, 60, 72, 80, 300])
        workouts.append(
            workout(
                f"workout {number:02d}",
                start.strftime("%Y-%m-%d %H:%M"),
                _exercises(random, number, rates=athlete == "diligent"),
                end_time=(start + timedelta(minutes=minutes)).isoformat(),
            )
        )
    random.shuffle(workouts)
    return workouts


def _exercises(random: Random, number: int, *, rates: bool) -> list[Json]:
    bench_kg = 80 + number // 4 * 2.5 - (10 if number % 9 == 8 else 0)
    bench = [lift(40, 8, "warmup"), *_straight(random, bench_kg, rates=rates)]
    if number == 40:
        bench.append(lift(846, 5))
    curl_kg = random.choice([12, 14, 14, 16, 11.34, 13.608])
    done = [
        exercise("bench", bench),
        exercise("curl", [*_straight(random, curl_kg, rates=rates), lift(8, 15, "dropset")]),
        exercise("pull up", [lift(random.choice([None, 0, 5, 10]), random.randint(3, 9))] * 2),
        exercise("dip", [lift(random.choice([40, 35, 30, 27.5]), random.randint(5, 12))] * 3),
        exercise("push up", [lift(None, random.randint(0, 30))]),
        exercise("plank", [_timed(random.choice([None, 5, 10]), random.randrange(20, 120))]),
        exercise("sled", [_timed(random.choice([None, 40, 60]), 30, random.choice([20, 30.5]))]),
        exercise("run", [_timed(None, random.randrange(600, 3600), random.randrange(0, 9000))]),
        exercise("bench", _straight(random, bench_kg, rates=rates)),
    ]
    kept = [one for one in done if random.random() < 0.7]
    if number >= 56:  # begun late, and soon without progress
        kept.append(exercise("row", [lift(60, 8 - number % 3 // 2)] * 2))
    if number >= 65:
        kept.append(exercise("squat", _straight(random, 100, rates=rates)))
    return kept or done[:1]


def _straight(random: Random, weight_kg: float, *, rates: bool) -> list[Json]:
    """Draw sets at one load, sometimes with one exception; the last may be to failure."""
    sets = []
    for _ in range(random.randint(2, 6)):
        rpe = random.choice([None, 7, 8, 8.5, 9.5, 10]) if rates else None
        other_kg = random.choice([weight_kg] * 7 + [weight_kg + 0.2, weight_kg - 5, weight_kg + 5])
        sets.append(lift(other_kg, random.randint(1, 12), rpe=rpe))
    if random.random() < 0.4:
        sets.append(lift(weight_kg, random.randint(2, 14), "failure"))
    return sets


def _timed(weight_kg: float | None, duration_s: int, distance_m: float | None = None) -> Json:
    return {
        "type": "normal",
        "weight_kg": weight_kg,
        "duration_seconds": duration_s,
        "distance_meters": distance_m,
    }


def performed_sets(warehouse: ScratchWarehouse) -> list[Json]:
    """Return all performed sets in order of execution, with the type of their exercise."""
    return warehouse.rows(
        """
        select performed.*, exercise_type
        from marts.fct_set as performed
        left join marts.dim_exercise using (athlete_id, exercise_key)
        order by athlete_id, started_at, workout_id, exercise_index, set_index
        """
    )


def comparable_load(performed: Json) -> float | None:
    """Return the load for comparisons within an exercise: help counts as negative load."""
    weight_kg, kind = performed["weight_kg"], performed["exercise_type"]
    if kind == "bodyweight_assisted":
        return None if weight_kg is None else -abs(weight_kg)
    if weight_kg is None and kind in {"weight_reps", "weight_duration", "short_distance_weight"}:
        return None
    return weight_kg or 0.0


def e1rm_family(performed: Json) -> str:
    """Return the method of the maximum."""
    if performed["e1rm_method"] == "tested":
        return "tested"
    return "epley_assumed_failure" if performed["rpe"] is None else "epley_rated"


def by(rows: Rows, *names: str) -> dict[tuple[object, ...], list[Json]]:
    """Group the rows by each combination of values, in order."""
    groups: dict[tuple[object, ...], list[Json]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups
