"""Landings of the nights before the builds that the tests read.

Every story has a separate athlete. Within a night landings follow the clock, because `loaded_at` of
a table never decreases.
"""

from tests.warehouse.alignment_cases import ALIGNMENT_CASES, Set
from tests.warehouse.compliance_cases import CASES
from tests.warehouse.payloads import (
    Json,
    at,
    exercise,
    lift,
    ranged,
    routine,
    template,
    workout,
)
from tests.warehouse.prescriptions import (
    land_copy,
    land_exchange,
    land_omission,
    land_prescriptions,
    land_rebased,
)
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.years_of_training import land_years_of_training

FIVE = lift(100, 5)
BENCH_AT_100 = [exercise("bench", [FIVE] * 3)]
BENCH_AT_102 = [exercise("bench", [lift(102.5, 5)] * 3)]

PUBLISHED = routine("push", "2026-03-12 18:00:02", BENCH_AT_102)

COACHED_ROUTINE = routine(
    "push",
    "2026-03-01 05:30",
    [
        exercise("bench", [FIVE, ranged(90, 8, 12)], rest_seconds="120", notes="elbows in"),
        exercise("row", []),
        exercise("curl", [lift(20, 10)], supersets_id=3, rest_seconds=60),
        exercise("bench", [lift(80, 10)] * 2),
        exercise("sled", [{"type": "normal", "distance_meters": 40, "duration_seconds": 30}]),
    ],
)
CATALOGUE = [
    template("bench"),
    template("press", secondary_muscle_groups=["triceps"], is_custom=True),
    template("curl", title="Curl (Dumbbell)", equipment="dumbbell", primary_muscle_group="biceps"),
]


def land_first_night(warehouse: ScratchWarehouse) -> None:
    """Land everything up to 2026-03-20."""
    _land_profiles(warehouse)
    _land_compliance_cases(warehouse)
    _land_alignment_cases(warehouse)
    _land_coached(warehouse)
    _land_two_routines(warehouse)
    _land_odd_workouts(warehouse)
    _land_workouts_of_files(warehouse)
    _land_history(warehouse)
    land_prescriptions(warehouse)
    land_omission(warehouse)
    land_exchange(warehouse)
    land_copy(warehouse)
    land_rebased(warehouse)
    land_years_of_training(warehouse, now=at("2026-03-20 06:00"))


def land_second_night(warehouse: ScratchWarehouse) -> None:
    """Land the changes until 2026-04-03: edits, deletions."""
    # Two versions between two builds: the snapshot will see only the second.
    for day, weight_kg in (("04-01", 105), ("04-02", 110)):
        edited = routine("push", f"2026-{day} 05:00", [exercise("bench", [lift(weight_kg, 5)])])
        warehouse.land("hevy_routines", "busy", [edited], now=at(f"2026-{day} 06:00"))
    warehouse.land("hevy_routines", "leaver", [], now=at("2026-04-02 06:10"), is_complete=True)

    kept = workout("kept", "2026-03-05 17:00", [exercise("bench", [lift(110, 5)])])
    warehouse.land("hevy_workouts", "eraser", [kept], now=at("2026-04-01 06:00"), is_complete=True)


def _land_profiles(warehouse: ScratchWarehouse) -> None:
    profile = {"id": "berliner", "name": "Sample", "timezone": "Europe/Berlin"}
    warehouse.land(
        "athlete_profiles", "berliner", [profile], now=at("2026-01-01 06:00"), origin="profile"
    )


def _land_compliance_cases(warehouse: ScratchWarehouse) -> None:
    plans = {case.name: [routine("push", "2026-03-01 05:30", case.plan)] for case in CASES}
    warehouse.land_each("hevy_routines", plans, now=at("2026-03-01 06:00"))
    done = {
        case.name: [workout("trained", case.trained_at, case.done, routine_id="push")]
        for case in CASES
    }
    warehouse.land_each("hevy_workouts", done, now=at("2026-03-06 06:00"))
    warehouse.land(
        "hevy_exercise_templates",
        "less help is more load",
        [template("assisted pull up", "bodyweight_assisted")],
        now=at("2026-03-01 06:00"),
    )


def _land_alignment_cases(warehouse: ScratchWarehouse) -> None:
    def bench(sets: tuple[Set, ...]) -> list[Json]:
        return [exercise("bench", [lift(weight_kg, reps) for weight_kg, reps in sets])]

    routines = [
        routine(case.routine_id, "2026-03-01 05:30", bench(case.plan)) for case in ALIGNMENT_CASES
    ]
    workouts = [
        workout(case.workout_id, "2026-03-05 17:00", bench(case.done), case.routine_id)
        for case in ALIGNMENT_CASES
    ]
    warehouse.land("hevy_routines", "aligner", routines, now=at("2026-03-01 07:00"))
    warehouse.land("hevy_workouts", "aligner", workouts, now=at("2026-03-06 07:00"))


def _land_coached(warehouse: ScratchWarehouse) -> None:
    """Land seven sessions of one routine; the curl was only done elsewhere."""
    sessions = [
        workout(
            f"session {day}",
            f"2026-03-0{day} 17:00",
            [
                exercise("bench", [lift(60, 5, "warmup"), lift(100, 5, rpe=8), lift(90, 9)]),
                exercise("bench", [lift(80, 10)] * 2),
            ],
            routine_id="push",
        )
        for day in range(1, 8)
    ]
    elsewhere = workout(
        "elsewhere",
        "2026-02-10 17:00",
        [exercise("curl", [lift(18, 12)]), exercise("curl", [lift(10, 20)])],
    )
    from_file = workout(
        "from a file",
        "2026-02-01 17:00",
        [
            exercise(None, [lift(16, 12)], title="curl  (dumbbell)"),
            exercise(None, [lift(60, 10)], title="Sled  Drag"),
        ],
    )
    now = at("2026-03-08 06:00")
    warehouse.land("hevy_exercise_templates", "coached", CATALOGUE, now=now)
    warehouse.land("hevy_routines", "coached", [COACHED_ROUTINE], now=at("2026-03-01 08:00"))
    warehouse.land("hevy_workouts", "coached", [*sessions, elsewhere], now=now)
    warehouse.land("hevy_workouts", "coached", [from_file], now=now, origin="csv")
    warehouse.land("hevy_routines", "coached", [routine("bare", None, [])], now=now)


def _land_two_routines(warehouse: ScratchWarehouse) -> None:
    """Land a bench in two routines, of which one was not trained for two months."""
    bench = [exercise("bench", [FIVE])]
    twelve = [exercise("bench", [lift(70, 12)])]
    routines = [routine(each, "2026-01-01 05:30", bench) for each in ("old", "new", "third")]
    routines.append(routine("long sets", "2026-01-01 05:31", twelve))
    workouts = [
        workout(f"{day} {routine_id}", f"2026-{day} 17:00", bench, routine_id)
        for day, routine_id in (
            *(("01-05", "old"), ("02-01", "third"), ("03-04", "new"), ("03-07", "new")),
        )
    ]
    workouts.append(workout("01-04 long sets", "2026-01-04 17:00", twelve, "long sets"))
    warehouse.land("hevy_routines", "two routines", routines, now=at("2026-03-08 06:01"))
    warehouse.land("hevy_workouts", "two routines", workouts, now=at("2026-03-08 06:02"))


def _land_odd_workouts(warehouse: ScratchWarehouse) -> None:
    """Land values that the service may send although its specification does not contain them."""
    odd = [
        workout("no exercises", "2026-03-02 17:00", []),
        workout("null exercises", "2026-03-02 17:10", []) | {"exercises": None},
        workout(
            "no sets",
            "2026-03-02 18:00",
            [exercise("bench", []), exercise("bench", [lift(100, 8.0)])],
        ),
        workout(
            "unknown fields",
            "2026-03-02 19:00",
            [
                exercise(
                    "bench",
                    [lift(100, 5, tempo="3010"), lift(None, None), lift(20, 12, "dropset")],
                    supersets_id=2,
                    media=[{"url": "x"}],
                )
            ],
            mood={"stars": 5},
            end_time="2026-03-02T20:30:00+00:00",
        ),
        workout(
            "body",
            "2026-03-02 21:00:40",
            [
                exercise("pull up", [lift(20, 10)]),
                exercise("assisted dip", [lift(40, 10)]),
                exercise("bench", [lift(60, 5, distance_meters=400.5)]),
            ],
        ),
    ]
    warehouse.land("hevy_workouts", "odd", odd, now=at("2026-03-09 06:00"))
    warehouse.land(
        "hevy_exercise_templates",
        "odd",
        [
            template("pull up", "bodyweight_weighted"),
            template("assisted dip", "bodyweight_assisted"),
        ],
        now=at("2026-03-09 06:00"),
    )
    night = workout("night", "2026-01-11 23:30", [exercise("bench", [FIVE])])
    warehouse.land("hevy_workouts", "berliner", [night], now=at("2026-03-09 06:10"))


def _land_workouts_of_files(warehouse: ScratchWarehouse) -> None:
    """Land files with minutes and titles; workouts of the account count once and from there."""
    pull = workout("pull", "2026-03-02 21:00:40", [exercise("row", [lift(70.3068, 8)] * 3)])
    erased = workout("erased", "2026-03-04 21:00", [exercise("row", [lift(50, 12)])])
    file = [
        workout(
            "pull in a file",
            "2026-03-02 21:00",
            [exercise(None, [lift(70.31, 8)] * 3, title="Remo")],
        ),
        workout(
            "erased in a file", "2026-03-04 21:00", [exercise(None, [lift(50, 12)], title="Row")]
        ),
        workout(
            "only in a file", "2026-03-02 21:01", [exercise(None, [FIVE], title="Supino  Reto")]
        ),
    ]
    profile = {
        "id": "importer",
        "timezone": "UTC",
        "exercise_aliases": [{"written_title": "Supino Reto", "title": "Bench Press"}],
    }
    bench = template("T1", title="Bench Press")
    now = at("2026-03-09 06:05")
    warehouse.land("athlete_profiles", "importer", [profile], now=now, origin="profile")
    warehouse.land("hevy_exercise_templates", "importer", [bench], now=now)
    warehouse.land("hevy_workouts", "importer", file, now=now, origin="csv")
    warehouse.land("hevy_workouts", "importer", [pull, erased], now=at("2026-03-09 06:06"))
    warehouse.land(
        "hevy_workouts", "importer", [pull], now=at("2026-03-09 06:07"), is_complete=True
    )
    warehouse.record_matches("importer", now=at("2026-03-09 06:08"))


def _land_history(warehouse: ScratchWarehouse) -> None:
    push_100 = routine("push", "2026-03-01 09:00", BENCH_AT_100)
    push_102 = routine("push", "2026-03-08 09:00", BENCH_AT_102)
    for athlete, hour in (("editor", "05"), ("publisher", "06"), ("busy", "07"), ("leaver", "08")):
        now = at(f"2026-03-09 {hour}:00")
        warehouse.land("hevy_routines", athlete, [push_100], now=now)
    warehouse.land("hevy_routines", "returner", [push_100], now=at("2026-03-09 09:00"))
    warehouse.land("hevy_routines", "returner", [], now=at("2026-03-09 10:00"), is_complete=True)
    warehouse.land("hevy_routines", "returner", [push_100], now=at("2026-03-09 11:00"))
    warehouse.land("hevy_routines", "late reader", [push_100], now=at("2026-03-10 06:00"))
    warehouse.land("hevy_routines", "editor", [push_102], now=at("2026-03-10 07:00"))

    warehouse.record_publication("publisher", "plan 1", PUBLISHED, at("2026-03-12 18:00"))
    warehouse.land(
        "hevy_routines",
        "publisher",
        [PUBLISHED],
        now=at("2026-03-12 18:00:03"),
        origin="publication",
    )
    warehouse.land(
        "hevy_routines", "publisher", [PUBLISHED], now=at("2026-03-13 06:00"), is_complete=True
    )

    # Done instead of a planned exercise, and planned only afterwards.
    swapped = workout("swapped", "2026-03-05 17:00", [exercise("dip", [FIVE])], routine_id="push")
    warehouse.land("hevy_routines", "swapper", [push_100], now=at("2026-03-13 07:00"))
    with_dips = routine("push", "2026-03-08 09:00", [exercise("dip", [FIVE])])
    warehouse.land("hevy_routines", "swapper", [with_dips], now=at("2026-03-13 08:00"))
    warehouse.land("hevy_workouts", "swapper", [swapped], now=at("2026-03-09 07:00"))

    # Trained without the routine, before it existed and after.
    like_it = workout("like it", "2026-03-05 17:00", BENCH_AT_100)
    long_before = workout("long before", "2026-02-05 17:00", BENCH_AT_100)
    warehouse.land("hevy_routines", "freestyler", [push_100], now=at("2026-03-13 08:30"))
    warehouse.land(
        "hevy_workouts", "freestyler", [like_it, long_before], now=at("2026-03-09 07:30")
    )

    late = workout("late", "2026-03-05 17:00", BENCH_AT_100, routine_id="push")
    warehouse.land("hevy_workouts", "late reader", [late], now=at("2026-03-10 06:00"))
    before = workout("before the edit", "2026-03-07 17:00", BENCH_AT_100, routine_id="push")
    after = workout("after the edit", "2026-03-09 17:00", BENCH_AT_100, routine_id="push")
    warehouse.land("hevy_workouts", "editor", [before, after], now=at("2026-03-10 07:00"))

    kept = workout("kept", "2026-03-05 17:00", BENCH_AT_100)
    erased = workout("erased", "2026-03-06 17:00", BENCH_AT_100)
    warehouse.land("hevy_workouts", "eraser", [kept, erased], now=at("2026-03-10 08:00"))
