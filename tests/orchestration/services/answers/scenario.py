"""A release with two athletes, written row by row, so that each answer is known by hand.

Ann trains on Tuesdays and Fridays; it is Thursday, 12 March 2026. Bob has only numbers with 777,
which are in no row of Ann's.
"""

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import yaml

from coach_agent.domain.plan import (
    Plan,
    SessionMinutes,
    SetPrescription,
    SlotPrescription,
    StallAnalysis,
    StallDetails,
)
from tests.end_to_end.world import ROOT
from tests.once import built_once
from tests.warehouse.scratch import ScratchWarehouse

NOW = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)

BENCH, INCLINE, SQUAT, DEADLIFT, PULL_UP = "BENCH", "INCLINE", "SQUAT", "DEADLIFT", "PULLUP"
BENT_ROW, SEATED_ROW = "BENTROW", "SEATEDROW"
LOADED, BODY = "weight_reps", "reps_only"
TITLES = {
    BENCH: ("Bench Press (Barbell)", LOADED, "chest"),
    INCLINE: ("Incline Bench Press (Dumbbell)", LOADED, "chest"),
    SQUAT: ("Squat (Barbell)", LOADED, "quadriceps"),
    DEADLIFT: ("Deadlift (Barbell)", LOADED, "glutes"),
    PULL_UP: ("Pull Up", BODY, "lats"),
    BENT_ROW: ("Bent Over Row (Barbell)", LOADED, "upper_back"),
    SEATED_ROW: ("Seated Row (Machine)", LOADED, "upper_back"),
    # Of the catalogue, never trained.
    "FRONT": ("Front Squat", LOADED, "quadriceps"),
    "OHP": ("Overhead Press (Barbell)", LOADED, "shoulders"),
    "LEGPRESS": ("Leg Press (Machine)", LOADED, "quadriceps"),
    "DBBENCH": ("Bench Press (Dumbbell)", LOADED, "chest"),
    "CHESTFLY": ("Chest Fly (Machine)", LOADED, "chest"),
    "HIPTHRUST": ("Hip Thrust (Barbell)", LOADED, "glutes"),
}
# id, day, title, minutes, and by exercise its sets: load, repetitions, RPE, estimated maximum.
_Set = tuple[float | None, int, float | None, float | None]
WORKOUTS: Sequence[tuple[str, date, str, int, Mapping[str, Sequence[_Set]]]] = (
    (
        *("w0", date(2026, 2, 20), "Legs", 70),
        {
            SQUAT: [(100, 5, None, 116.667), (100, 5, None, 116.667)],
            DEADLIFT: [(140, 3, None, 154)],
        },
    ),
    (
        *("w1", date(2026, 2, 24), "Push", 60),
        {
            BENCH: [(80, 5, 8, 98.667), (80, 5, 8.5, 97.333)],
            PULL_UP: [(None, 8, None, None), (None, 7, None, None)],
        },
    ),
    (
        *("w2", date(2026, 3, 3), "Push", 55),
        {
            BENCH: [(80, 6, 8.5, 100), (80, 5, 9, 96)],
            INCLINE: [(24, 10, None, 32)],
        },
    ),
    (
        *("w3", date(2026, 3, 6), "Legs", 75),
        {
            # The last one is doubted.
            SQUAT: [(102.5, 5, None, 119.583), (102.5, 4, None, 116.167), (1025, 5, None, None)],
            DEADLIFT: [(145, 2, None, 154.667)],
        },
    ),
    (
        *("w4", date(2026, 3, 10), "Push", 58),
        {
            BENCH: [(82.5, 5, 9.5, 97.625), (82.5, 4, 10, 93.5)],
            PULL_UP: [(None, 9, None, None), (None, 8, None, None)],
            BENT_ROW: [(60, 8, None, 76)],
            SEATED_ROW: [(50, 12, None, None)],
        },
    ),
)
MUSCLE_WEEKS: Mapping[str, Mapping[date, tuple[float, str]]] = {
    "chest": {
        date(2026, 2, 23): (2, "low"),
        date(2026, 3, 2): (3, "low"),
        date(2026, 3, 9): (2, "low"),
    },
    "lats": {
        date(2026, 2, 23): (2, "low"),
        date(2026, 3, 2): (0, "low"),
        date(2026, 3, 9): (4.5, "effective"),
    },
    "upper_back": {date(2026, 3, 9): (2, "low")},
    "quadriceps": {
        date(2026, 2, 16): (2, "low"),
        date(2026, 2, 23): (0, "low"),
        date(2026, 3, 2): (2, "low"),
        date(2026, 3, 9): (0, "low"),
    },
}
# Week, workouts, streak.
WEEKS = (
    (date(2026, 2, 16), 1, 1),
    (date(2026, 2, 23), 1, 2),
    (date(2026, 3, 2), 2, 3),
    (date(2026, 3, 9), 1, 4),
)
# Exercise, kind, value, before, workout, set, first.
RECORDS = (
    (BENCH, "load", 82.5, 80, "w4", 0, False),
    (BENCH, "e1rm", 100, 98.667, "w2", 0, False),
    (BENCH, "volume", 880, 800, "w2", None, False),
    (SQUAT, "load", 102.5, 100, "w3", 0, False),
    (SQUAT, "e1rm", 119.583, 116.667, "w3", 0, False),
    (DEADLIFT, "load", 145, 140, "w3", 0, False),
    (PULL_UP, "reps", 9, 8, "w4", 0, False),
)
TRENDS: Mapping[str, Mapping[str, Any]] = {
    BENCH: {
        "verdict": "stalled",
        "plateau_reason": "high_effort",
        "e1rm_family": "epley_rated",
        "rep_zone": "6-10",
        "exposure_count": 8,
        "slope_pct": -0.12,
        "lower_pct": -0.4,
        "upper_pct": 0.16,
        "window_start_date": date(2026, 2, 24),
        "window_end_date": date(2026, 3, 10),
        "last_trained_date": date(2026, 3, 10),
    },
    SQUAT: {
        "verdict": "not_stalled",
        "e1rm_family": "epley_assumed_failure",
        "rep_zone": "1-5",
        "exposure_count": 9,
        "slope_pct": 1.2,
        "lower_pct": 0.4,
        "upper_pct": 2.0,
        "window_start_date": date(2026, 2, 20),
        "window_end_date": date(2026, 3, 6),
        "last_trained_date": date(2026, 3, 6),
    },
    DEADLIFT: {
        "verdict": "insufficient",
        "e1rm_family": "epley_assumed_failure",
        "rep_zone": "1-5",
        "exposure_count": 2,
        "window_start_date": date(2026, 2, 20),
        "window_end_date": date(2026, 3, 6),
        "last_trained_date": date(2026, 3, 6),
    },
    PULL_UP: {"last_trained_date": date(2026, 3, 10)},
}


def write_release(folder: Path) -> Path:
    """Copy the warehouse and the release of both athletes; return the folder of the releases."""
    built = built_once("answers", _write_release)
    shutil.copytree(built, folder, symlinks=True, dirs_exist_ok=True)
    return folder / "release"


def _write_release(folder: Path) -> None:
    warehouse = ScratchWarehouse(folder)
    with warehouse.connection() as con:
        create_marts(con)
        for mart, rows in (*_rows_of_ann(), *_rows_of_bob()):
            insert_rows(con, mart, rows)
    for athlete in ("ann", "bob"):
        plan = plan_of(athlete)
        warehouse.record_plan(f"plan of {athlete}", plan, NOW - timedelta(hours=9))
        warehouse.record_publication(
            athlete, f"plan of {athlete}", {"id": plan.routine_id}, NOW - timedelta(hours=8)
        )
    warehouse.release(NOW - timedelta(hours=7))
    warehouse.close()


def create_marts(con: duckdb.DuckDBPyConnection) -> None:
    """Create empty marts with the columns of their contracts."""
    con.execute("create schema marts")
    for name, columns in _contracts().items():
        declared = ", ".join(f'"{each}" {kind}' for each, kind in columns.items())
        con.execute(f"create table marts.{name} ({declared})")


def insert_rows(
    con: duckdb.DuckDBPyConnection, mart: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows into a mart; other columns are null."""
    for row in rows:
        names, places = ", ".join(row), ", ".join(f"${at}" for at in range(1, len(row) + 1))
        con.execute(f"insert into marts.{mart} ({names}) values ({places})", list(row.values()))


def plan_of(athlete: str) -> Plan:
    """Return the active plan: squat up, bench down after a stall, pull ups the same."""
    if athlete == "bob":
        slots = (_slot(0, SQUAT, 777, 7, sets=7, reason="Bob is strong: 777 kg."),)
    else:
        slots = (
            _slot(0, SQUAT, 105, 5, sets=2, direction="up", reason="All sets reached 5 reps."),
            _slot(
                *(1, BENCH, 77.5, 8),
                sets=3,
                direction="down",
                reason="Stalled at hard sets, so a small deload.",
                stall=StallAnalysis(
                    is_stalled=True,
                    reason="Bench has not moved and the sets were very hard.",
                    suggested_fix="Two lighter weeks help.",
                    fix_type="deload",
                    details=StallDetails(),
                ),
            ),
            _slot(2, PULL_UP, None, 10, sets=2, reason="One rep more than last time."),
        )
    return Plan(
        athlete_id=athlete,
        routine_id=f"routine of {athlete}",
        routine_title="Full Body" if athlete == "ann" else "Strong 777",
        rule_version="1",
        summary="",
        minutes=SessionMinutes(minutes=52, low=42, high=62, basis="personal"),
        slots=slots,
    )


def _slot(
    index: int, key: str, load: float | None, reps: int, *, sets: int, reason: str, **more: Any
) -> SlotPrescription:
    title, kind, muscle = TITLES[key]
    return SlotPrescription(
        exercise_index=index,
        occurrence=1,
        exercise_template_id=key,
        exercise_title=title,
        exercise_type=kind,
        primary_muscle_group=muscle,
        rule="double_progression",
        reason_codes=(),
        reason=reason,
        sets=tuple(
            SetPrescription(set_index=at, set_type="normal", weight_kg=load, reps=reps)
            for at in range(sets)
        ),
        **more,
    )


@cache
def _contracts() -> dict[str, dict[str, str]]:
    """Return the columns of each mart with their types, from its contract."""
    found = {}
    for file in sorted((ROOT / "dbt_project" / "models" / "marts").glob("*.yml")):
        for model in yaml.load(file.read_text(), yaml.CSafeLoader)["models"]:
            found[model["name"]] = {each["name"]: each["data_type"] for each in model["columns"]}
    return found


_Rows = tuple[str, list[dict[str, Any]]]


def _rows_of_ann() -> tuple[_Rows, ...]:
    ann = {"athlete_id": "ann"}
    return (
        ("dim_athlete", [{**ann, "name": "Ann", "timezone": "Europe/Berlin"}]),
        ("dim_exercise", [_exercise("ann", key) for key in TITLES]),
        ("fct_workout", [_workout(each) for each in WORKOUTS]),
        ("fct_set", [row for each in WORKOUTS for row in _sets(each)]),
        ("fct_exercise_session", [row for each in WORKOUTS for row in _sessions(each)]),
        (
            "fct_exercise_trend",
            [{**ann, "exercise_key": key, **trend} for key, trend in TRENDS.items()],
        ),
        ("fct_personal_record", [_record(*each) for each in RECORDS]),
        (
            "fct_muscle_week",
            [
                {
                    **ann,
                    "muscle_group": muscle,
                    "week_start_date": week,
                    "fractional_set_count": count,
                    "direct_set_count": count,
                    "volume_band": band,
                }
                for muscle, weeks in MUSCLE_WEEKS.items()
                for week, (count, band) in weeks.items()
            ],
        ),
        (
            "fct_consistency_week",
            [
                {
                    **ann,
                    "week_start_date": week,
                    "workout_count": count,
                    "training_day_count": count,
                    "streak_weeks": streak,
                }
                for week, count, streak in WEEKS
            ],
        ),
        (
            "fct_prescription_outcome",
            [
                {
                    **ann,
                    "prescription_outcome_key": f"plan of ann/{place}",
                    "decision_id": "decision of plan of ann",
                    "plan_id": "plan of ann",
                    "decided_by": "engine",
                    "rule_version": "1",
                    "outcome": "pending",
                    "exercise_index": place,
                    "exercise_title": "Squat (Barbell)",
                    "decided_at": _utc(date(2026, 3, 12), 3),
                    "published_at": _utc(date(2026, 3, 12), 4),
                }
                for place in range(7)
            ],
        ),
        (
            "fct_body_measurement",
            [
                {
                    **ann,
                    "body_measurement_key": f"ann/hevy/{day}",
                    "health_source": "hevy",
                    "measurement_date": day,
                    "weight_kg": weight,
                    "trend_weight_kg": 82.6,
                    "weekly_change_kg": -0.2,
                }
                for day, weight in ((date(2026, 3, 2), 82.9), (date(2026, 3, 9), 82.4))
            ],
        ),
        (
            "fct_quarantined_record",
            [
                {
                    **ann,
                    "quarantined_record_key": "r1",
                    "entity": "hevy_workouts",
                    "reason": "Line 7 has no date.",
                    "rejected_at": _utc(date(2026, 3, 1), 4),
                }
            ],
        ),
    )


def _rows_of_bob() -> tuple[_Rows, ...]:
    """Return a row of each mart that an answer reads, with 777 in it."""
    bob: dict[str, Any] = {"athlete_id": "bob"}
    week = {**bob, "week_start_date": date(2026, 3, 9)}
    day = {**week, "workout_date": date(2026, 3, 11), "started_at": _utc(date(2026, 3, 11), 17)}
    broken = {**day, "workout_id": "w777", "exercise_key": SQUAT}
    done = {**broken, "exercise_title": "Bob's Squat 777"}
    return (
        ("dim_athlete", [{**bob, "name": "Bob 777", "timezone": "UTC"}]),
        (
            "dim_exercise",
            [_exercise("bob", SQUAT), {**bob, "exercise_key": "B", "title": "Sled 777"}],
        ),
        (
            "fct_workout",
            [{**day, "workout_id": "w777", "title": "Secret 777", "duration_s": 46620}],
        ),
        (
            "fct_set",
            [
                {
                    **done,
                    "set_key": "bob/777",
                    "exercise_index": 0,
                    "set_index": 0,
                    "set_type": "normal",
                    "is_working": True,
                    "is_typo_suspect": True,
                    "weight_kg": 777,
                    "reps": 7,
                    "e1rm_kg": 777,
                }
            ],
        ),
        (
            "fct_exercise_session",
            [{**done, "working_set_count": 777, "e1rm_kg": 777, "e1rm_family": "tested"}],
        ),
        (
            "fct_exercise_trend",
            [
                {
                    **bob,
                    "exercise_key": SQUAT,
                    "verdict": "stalled",
                    "slope_pct": -777,
                    "window_end_date": date(2026, 3, 11),
                }
            ],
        ),
        (
            "fct_personal_record",
            [{**broken, "record_kind": "load", "record_value": 777, "weight_kg": 777, "reps": 7}],
        ),
        ("fct_muscle_week", [{**week, "muscle_group": "chest", "fractional_set_count": 777}]),
        ("fct_consistency_week", [{**week, "training_day_count": 777, "streak_weeks": 777}]),
        (
            "fct_prescription_outcome",
            [{**bob, "plan_id": "777", "published_at": _utc(date(2026, 3, 12), 4)}],
        ),
        (
            "fct_quarantined_record",
            [{**bob, "quarantined_record_key": "r777", "reason": "Line 777."}],
        ),
        (
            "fct_body_measurement",
            [{**bob, "body_measurement_key": "b777", "health_source": "s777", "weight_kg": 777}],
        ),
        ("fct_check_in", [{**bob, "check_in_id": "c777", "pains": "knee: mild 777"}]),
    )


def _utc(day: date, hour: int) -> datetime:
    """Return a time of the marts: UTC, without a zone."""
    return datetime(day.year, day.month, day.day, hour, tzinfo=UTC).replace(tzinfo=None)


def _exercise(athlete: str, key: str) -> dict[str, Any]:
    title, kind, muscle = TITLES[key]
    return {
        "athlete_id": athlete,
        "exercise_key": key,
        "exercise_template_id": key,
        "title": title,
        "exercise_type": kind,
        "primary_muscle_group": muscle,
    }


def _dated(day: date) -> dict[str, Any]:
    return {
        "athlete_id": "ann",
        "workout_date": day,
        "started_at": _utc(day, 17),
        "week_start_date": day - timedelta(days=day.weekday()),
    }


def _workout(workout: Any) -> dict[str, Any]:
    workout_id, day, title, minutes, _ = workout
    return {
        **_dated(day),
        "workout_id": workout_id,
        "workout_key": f"ann/{workout_id}",
        "title": title,
        "duration_s": minutes * 60,
    }


def _sets(workout: Any) -> list[dict[str, Any]]:
    workout_id, day, _, _, exercises = workout
    return [
        {
            **_dated(day),
            "set_key": f"ann/{workout_id}/{key}/{place}",
            "workout_id": workout_id,
            "exercise_index": index,
            "set_index": place,
            "exercise_key": key,
            "exercise_title": TITLES[key][0],
            "set_type": "normal",
            "set_class": "working",
            "is_working": True,
            "is_typo_suspect": load == 1025,
            "weight_kg": load,
            "reps": reps,
            "rpe": rpe,
            "effective_reps": reps + (0 if rpe is None else 10 - rpe),
            "e1rm_kg": maximum,
            "e1rm_method": None if maximum is None else "epley",
            "is_e1rm_lower_bound": None if maximum is None else rpe is None,
            "is_e1rm_low_confidence": None if maximum is None else False,
        }
        for index, (key, sets) in enumerate(exercises.items())
        for place, (load, reps, rpe, maximum) in enumerate(sets)
    ]


def _sessions(workout: Any) -> list[dict[str, Any]]:
    workout_id, day, _, _, exercises = workout
    found = []
    for key, all_sets in exercises.items():
        sets = [each for each in all_sets if each[0] != 1025]
        maxima = [each[3] for each in sets if each[3] is not None]
        volumes = [load * reps for load, reps, _, _ in sets if load is not None]
        found.append(
            {
                **_dated(day),
                "workout_id": workout_id,
                "exercise_key": key,
                "exercise_title": TITLES[key][0],
                "working_set_count": len(all_sets),
                "volume_kg": sum(volumes) if volumes else None,
                "e1rm_kg": max(maxima, default=None),
                # All of Ann's best sets are in the zone with a band of 8 %.
                "e1rm_low_kg": 0.92 * max(maxima) if maxima else None,
                "e1rm_high_kg": 1.08 * max(maxima) if maxima else None,
                "e1rm_family": "epley_rated" if key == BENCH else "epley_assumed_failure",
            }
        )
    return found


def _record(
    key: str, kind: str, value: float, before: float, workout: str, place: int | None, first: bool
) -> dict[str, Any]:
    [(_, day, _, _, exercises)] = [each for each in WORKOUTS if each[0] == workout]
    load, reps, rpe, _ = (None, None, None, None) if place is None else exercises[key][place]
    return {
        **_dated(day),
        "exercise_key": key,
        "record_kind": kind,
        "workout_id": workout,
        "set_key": None if place is None else f"ann/{workout}/{key}/{place}",
        "weight_kg": load,
        "reps": reps,
        "rpe": rpe,
        "e1rm_family": None
        if kind != "e1rm"
        else "epley_rated"
        if rpe is not None
        else "epley_assumed_failure",
        "record_value": value,
        "previous_value": before,
        "gain": value - before,
        "is_first": first,
        "is_current": True,
    }
