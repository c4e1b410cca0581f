from datetime import date

from coach_agent.evaluation.past_days import latest_work
from coach_agent.situation.situation import read_situation
from tests.warehouse.payloads import Json, at, naive
from tests.warehouse.prescriptions import COPIED, SORE
from tests.warehouse.scratch import ScratchWarehouse

COLUMNS = {
    "coach_context_key": "VARCHAR",
    "athlete_id": "VARCHAR",
    "routine_id": "VARCHAR",
    "routine_title": "VARCHAR",
    "routine_sha256": "VARCHAR",
    "routine_valid_from": "TIMESTAMP",
    "routine_last_trained_at": "TIMESTAMP",
    "exercise_index": "INTEGER",
    "occurrence": "INTEGER",
    "exercise_template_id": "VARCHAR",
    "exercise_title": "VARCHAR",
    "exercise_type": "VARCHAR",
    "equipment": "VARCHAR",
    "primary_muscle_group": "VARCHAR",
    "secondary_muscle_groups": "VARCHAR[]",
    "superset_id": "INTEGER",
    "rest_s": "INTEGER",
    "notes": "VARCHAR",
    "is_left_out": "BOOLEAN",
    "last_trained_at": "TIMESTAMP",
    "trend_verdict": "VARCHAR",
    "trend_slope_pct": "DOUBLE",
    "trend_lower_pct": "DOUBLE",
    "trend_upper_pct": "DOUBLE",
    "trend_standard_error_pct": "DOUBLE",
    "trend_residual_pct": "DOUBLE",
    "trend_false_alarm_rate": "DOUBLE",
    "trend_exposure_count": "INTEGER",
    "trend_mean_rpe": "DOUBLE",
    "trend_mean_reps": "DOUBLE",
    "learned_increment_kg": "DOUBLE",
    "learned_increment_count": "INTEGER",
    "planned_sets": (
        "STRUCT(set_index INTEGER, set_type VARCHAR, weight_kg DOUBLE, reps INTEGER,"
        " rep_range_start INTEGER, rep_range_end INTEGER, duration_s INTEGER, distance_m INTEGER,"
        " custom_metric DOUBLE)[]"
    ),
    "exposures": (
        "STRUCT(workout_id VARCHAR, started_at TIMESTAMP, is_plan_known BOOLEAN,"
        " planned_working_count INTEGER, is_easy BOOLEAN,"
        " sets STRUCT(set_index INTEGER, set_type VARCHAR,"
        " weight_kg DOUBLE, reps INTEGER, duration_s INTEGER, distance_m INTEGER,"
        " custom_metric DOUBLE, rpe DOUBLE, is_typo_suspect BOOLEAN, is_confirmed BOOLEAN,"
        " planned_set_index INTEGER, planned_weight_kg DOUBLE,"
        " planned_reps_low INTEGER, planned_reps_high INTEGER, planned_duration_s INTEGER,"
        " execution_status VARCHAR)[])[]"
    ),
}


def context(warehouse: ScratchWarehouse, athlete: str) -> list[Json]:
    return warehouse.rows(
        """
        select * from marts.coach_context where athlete_id = $athlete
        order by routine_id, exercise_index
        """,
        athlete=athlete,
    )


def test_the_columns_are_those_the_coach_was_promised(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows("describe marts.coach_context")
    found = {row["column_name"]: row["column_type"].replace('"', "") for row in rows}
    assert list(found.items()) == list(COLUMNS.items())


def test_each_place_of_the_current_routine_is_a_row(warehouse: ScratchWarehouse) -> None:
    rows = context(warehouse, "coached")
    assert [
        (row["exercise_index"], row["exercise_template_id"], row["occurrence"]) for row in rows
    ] == [(0, "bench", 1), (1, "row", 1), (2, "curl", 1), (3, "bench", 2), (4, "sled", 1)]
    assert {row["routine_title"] for row in rows} == {"Push"}
    assert {row["routine_valid_from"] for row in rows} == {naive("2026-03-01 05:30")}
    assert {row["routine_last_trained_at"] for row in rows} == {naive("2026-03-07 17:00")}


def test_an_exercise_that_was_left_out_for_a_time_is_known_still(
    warehouse: ScratchWarehouse,
) -> None:
    curl, bench = context(warehouse, SORE)
    assert [(each["exercise_index"], each["is_left_out"]) for each in (curl, bench)] == [
        (0, False),
        (1, True),
    ]
    assert (bench["exercise_template_id"], bench["occurrence"]) == ("bench", 1)
    assert (bench["rest_s"], bench["notes"], bench["planned_sets"]) == (150, "elbows in", [])
    assert [each["workout_id"] for each in bench["exposures"]] == ["before it hurt"]
    assert bench["last_trained_at"] == naive("2026-03-12 17:00")
    assert bench["routine_title"] == curl["routine_title"]


def test_an_unpublished_easy_plan_marks_the_training_that_followed_it(
    warehouse: ScratchWarehouse,
) -> None:
    curl, _ = context(warehouse, SORE)
    assert [(each["workout_id"], each["is_easy"]) for each in curl["exposures"]] == [
        ("easy day", True),
        ("before it hurt", False),
    ]
    with warehouse.connection() as con:
        situation = read_situation(con, SORE, "UTC", at("2026-03-20 06:00"))
    assert situation.last_deload == date(2026, 3, 14)


def test_training_a_copy_counts_for_the_original_routine(
    warehouse: ScratchWarehouse,
) -> None:
    (press,) = context(warehouse, COPIED)
    assert press["routine_id"] == "upper"
    assert [each["workout_id"] for each in press["exposures"]] == [
        "from the copy",
        "from the original",
    ]
    assert press["routine_last_trained_at"] == naive("2026-03-13 17:00")
    [outcome] = warehouse.rows(
        "select plan_id, workout_id, outcome from marts.fct_prescription_outcome "
        "where athlete_id = $athlete",
        athlete=COPIED,
    )
    assert outcome == {"plan_id": "copied plan", "workout_id": "from the copy", "outcome": "hit"}
    with warehouse.connection() as con:
        situation = read_situation(con, COPIED, "UTC", at("2026-03-20 06:00"))
    assert [each.routine_id for each in situation.routines] == ["upper"]
    assert [each.routine_id for each in situation.trained] == ["upper", "upper"]


def test_the_fields_of_a_routines_exercise_are_kept(warehouse: ScratchWarehouse) -> None:
    bench, row, curl, *_ = context(warehouse, "coached")
    assert (bench["rest_s"], bench["notes"], bench["superset_id"]) == (120, "elbows in", None)
    assert (curl["rest_s"], curl["notes"], curl["superset_id"]) == (60, None, 3)
    assert (curl["equipment"], curl["primary_muscle_group"]) == ("dumbbell", "biceps")
    assert (row["rest_s"], row["exercise_type"], row["equipment"]) == (None, None, None)


def test_planned_sets_come_in_order_with_their_targets(warehouse: ScratchWarehouse) -> None:
    bench, row, *_, sled = context(warehouse, "coached")
    nothing = dict.fromkeys(
        ("weight_kg", "reps", "rep_range_start", "rep_range_end", "duration_s", "distance_m")
    ) | {"custom_metric": None}
    assert bench["planned_sets"] == [
        {"set_index": 0, "set_type": "normal", **nothing, "weight_kg": 100, "reps": 5},
        {
            **{"set_index": 1, "set_type": "normal", **nothing},
            **{"weight_kg": 90, "rep_range_start": 8, "rep_range_end": 12},
        },
    ]
    assert row["planned_sets"] == []
    assert sled["planned_sets"] == [
        {"set_index": 0, "set_type": "normal", **nothing, "duration_s": 30, "distance_m": 40}
    ]


def test_the_six_latest_sessions_with_the_routine_come_newest_first(
    warehouse: ScratchWarehouse,
) -> None:
    bench, *_, second_bench, _ = context(warehouse, "coached")
    expected = [f"session {day}" for day in (7, 6, 5, 4, 3, 2)]
    assert [exposure["workout_id"] for exposure in bench["exposures"]] == expected
    assert [exposure["workout_id"] for exposure in second_bench["exposures"]] == expected


def test_an_exposure_holds_the_sets_with_their_plan(warehouse: ScratchWarehouse) -> None:
    bench, *_, second_bench, _ = context(warehouse, "coached")
    exposure = bench["exposures"][0]
    assert exposure["started_at"] == naive("2026-03-07 17:00")
    assert (exposure["is_plan_known"], exposure["planned_working_count"]) == (True, 2)
    fields = ("set_type", "weight_kg", "reps", "rpe", "planned_set_index", "execution_status")
    assert [tuple(one[field] for field in fields) for one in exposure["sets"]] == [
        ("warmup", 60, 5, None, None, "Unplanned"),
        ("normal", 100, 5, 8, 0, "Target Met"),
        ("normal", 90, 9, None, 1, "Target Met"),
    ]
    assert (exposure["sets"][2]["planned_reps_low"], exposure["sets"][2]["planned_reps_high"]) == (
        8,
        12,
    )
    assert [one["weight_kg"] for one in second_bench["exposures"][0]["sets"]] == [80, 80]


def test_without_a_session_of_the_routine_the_exercise_elsewhere_counts(
    warehouse: ScratchWarehouse,
) -> None:
    """A workout from a file is matched by its title; of two occurrences the first counts."""
    curl = context(warehouse, "coached")[2]
    assert [
        (
            exposure["workout_id"],
            exposure["is_plan_known"],
            exposure["planned_working_count"],
            [one["weight_kg"] for one in exposure["sets"]],
        )
        for exposure in curl["exposures"]
    ] == [("elsewhere", False, None, [18]), ("from a file", False, None, [16])]


def test_much_newer_work_in_another_routine_counts(warehouse: ScratchWarehouse) -> None:
    """After 61 days the own place is one among others, after 34 days it is the best evidence.

    Sets of 5 repetitions elsewhere are never evidence for sets of 12.
    """
    found = {
        row["routine_id"]: [each["workout_id"] for each in row["exposures"]]
        for row in context(warehouse, "two routines")
    }
    assert found == {
        "old": ["03-07 new", "03-04 new", "02-01 third", "01-05 old", "01-04 long sets"],
        "long sets": ["01-04 long sets"],
        "new": ["03-07 new", "03-04 new"],
        "third": ["02-01 third"],
    }


def test_an_exercise_never_done_has_no_exposures(warehouse: ScratchWarehouse) -> None:
    assert context(warehouse, "coached")[1]["exposures"] == []


def test_a_workout_that_resembles_the_routine_trained_it(warehouse: ScratchWarehouse) -> None:
    """Also before the routine was known: by assumption."""
    (row,) = context(warehouse, "freestyler")
    assert row["routine_last_trained_at"] == naive("2026-03-05 17:00")
    assert [(one["workout_id"], one["is_plan_known"]) for one in row["exposures"]] == [
        ("like it", True),
        ("long before", False),
    ]


def test_an_exposure_without_the_exercise_in_its_plan_has_no_planned_set(
    warehouse: ScratchWarehouse,
) -> None:
    rows = context(warehouse, "swapper")
    (exposure,) = rows[0]["exposures"]
    assert (exposure["is_plan_known"], exposure["planned_working_count"]) == (True, 0)


def test_a_routine_without_exercises_and_a_deleted_one_have_no_rows(
    warehouse: ScratchWarehouse,
) -> None:
    assert {row["routine_id"] for row in context(warehouse, "coached")} == {"push"}
    assert context(warehouse, "leaver") == []


def test_a_routine_that_returned_is_back(warehouse: ScratchWarehouse) -> None:
    assert [row["routine_id"] for row in context(warehouse, "returner")] == ["push"]


def test_a_backtest_selects_the_evidence_of_a_plan(warehouse: ScratchWarehouse) -> None:
    """From the workouts of a place and all of an exercise, the same ones as the mart."""
    with warehouse.connection() as con:
        situation = read_situation(con, "two routines", "UTC", at("2026-03-08 07:00"))
    found = {each.routine_id: each.slots[0].exposures for each in situation.routines}
    anywhere = max(found.values(), key=len)
    assert len(anywhere) == 5
    for routine_id, exposures in found.items():
        own = [each for each in anywhere if each.workout_id.endswith(f" {routine_id}")]
        assert latest_work(own, anywhere) == exposures
