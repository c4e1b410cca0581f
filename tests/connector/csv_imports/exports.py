"""Synthetic export files, and the checks of every parsed file."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hevy_connector.csv_imports import CsvImport, read_export
from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from hevy_connector.schemas import Workout

BERLIN = ZoneInfo("Europe/Berlin")
UTC = ZoneInfo("UTC")
REAL_LOGS = Path(__file__).resolve().parents[3].parent / "shared" / "data"

HEVY_COLUMNS = (
    "title",
    "start_time",
    "end_time",
    "description",
    "exercise_title",
    "superset_id",
    "exercise_notes",
    "set_index",
    "set_type",
    "weight_kg",
    "reps",
    "distance_km",
    "duration_seconds",
    "rpe",
)
BENCH_SET = dict.fromkeys(HEVY_COLUMNS, "") | {
    "title": "Upper A",
    "start_time": "4 Mar 2026, 18:02",
    "end_time": "4 Mar 2026, 19:01",
    "exercise_title": "Bench Press (Barbell)",
    "set_index": "0",
    "set_type": "normal",
    "weight_kg": "72.5",
    "reps": "6",
}

# As the app writes it: texts quoted, numbers bare, no final line feed. Data begins on line 2; the
# bench sets cover two lines each.
HEVY = """\
"title","start_time","end_time","description","exercise_title","superset_id","exercise_notes","set_index","set_type","weight_kg","reps","distance_km","duration_seconds","rpe"
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Bench Press (Barbell)",0,"pause
on chest",0,"warmup",20,10,,,
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Bench Press (Barbell)",0,"pause
on chest",1,"normal",72.5,6,,,8.5
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Pull Up",0,"",0,"failure",,9,,,
"Jog","2 Mar 2026, 07:30","2 Mar 2026, 08:00","an ""easy"" one","Running",,"",0,"normal",,,2.4,810,
"Jog","2 Mar 2026, 07:30","2 Mar 2026, 08:00","an ""easy"" one","Plank",,"",0,"dropset",,0,0,60,"""

S1 = (
    "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,"
    "Workout Notes,RPE"
)
S1_SHORT = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,RPE"

# As the app writes it: the note of the workout in quotation marks on its first row, that of an
# exercise on its first row.
STRONG = f"""\
{S1}
2025-04-02 18:10:45,"Lower",1h 4m,"Squat (Barbell)",W,60.0,5.0,0,0.0,"","",
2025-04-02 18:10:45,"Lower",1h 4m,"Squat (Barbell)",1,100.0,5.0,0,0.0,,,8
2025-04-02 18:10:45,"Lower",1h 4m,"Squat (Barbell)",Rest Timer,0,0.0,0,180.0,,,
2025-04-02 18:10:45,"Lower",1h 4m,"Squat (Barbell)",F,105.0,3.0,0,0.0,,,6.5
2025-04-02 18:10:45,"Lower",1h 4m,"Leg Extension (Machine)",1,45.0,12.0,0,0.0,"knee ok",,
2025-04-02 18:10:45,"Lower",1h 4m,"Leg Extension (Machine)",D,30.0,10.0,0,0.0,,,
2025-04-04 07:30:00,"Core",30m,"Plank",1,0,0.0,0,60.0,"","easy
day",
2025-04-04 07:30:00,"Core",30m,"Chin Up",1,0,8.0,0,0.0,"",,
"""


def hevy_export(
    *rows: dict[str, str], columns: tuple[str, ...] = HEVY_COLUMNS, delimiter: str = ","
) -> bytes:
    """Build a file with these cells; the default of each column is that of `BENCH_SET`."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text,
        columns,
        "",
        "ignore",
        quoting=csv.QUOTE_ALL,
        lineterminator="\n",
        delimiter=delimiter,
    )
    writer.writeheader()
    writer.writerows(BENCH_SET | row for row in rows)
    return text.getvalue().encode()


def strong_export(*rows: str, header: str = S1) -> str:
    """Build a file of these rows, each prefixed with the workout's date, name and duration."""
    workout = '2025-04-02 18:10:45,"Lower",1h'
    return "\n".join([header, *(f"{workout},{row}" for row in rows)])


def read(
    content: bytes | str,
    timezone: ZoneInfo = BERLIN,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> CsvImport:
    """Parse a file, and check that every row is accounted for and ready to land."""
    raw = content.encode() if isinstance(content, str) else content
    result = read_export(
        raw,
        athlete_id="ann",
        timezone=timezone,
        weight_unit=weight_unit,
        distance_unit=distance_unit,
    )
    loaded = [line for workout in result.workouts for line in workout.lines]
    everything = sorted(
        [
            *loaded,
            *(one.source_line or 0 for one in result.rejected),
            *(one.line for one in result.repeated),
            *result.attached,
        ]
    )
    assert len(everything) == result.rows_read
    assert len(set(everything)) == result.rows_read
    assert {flag.line for flag in result.flags} <= {*loaded, *result.attached}
    assert len({one.record.record_id for one in result.workouts}) == len(result.workouts)
    for workout in result.workouts:
        parsed = Workout.model_validate_json(workout.record.payload)
        assert sum(len(exercise.sets) for exercise in parsed.exercises) == len(workout.lines)
        assert workout.lines
    return result


def read_strong(content: bytes | str) -> CsvImport:
    return read(content, UTC, "kg", "km")


def workouts(result: CsvImport) -> list[dict[str, Any]]:
    return [json.loads(workout.record.payload) for workout in result.workouts]


def sets_of(workout: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for exercise in workout["exercises"] for one in exercise["sets"]]


def all_sets(result: CsvImport) -> list[dict[str, Any]]:
    return [one for workout in workouts(result) for one in sets_of(workout)]


def only_set(
    *rows: dict[str, str], columns: tuple[str, ...] = HEVY_COLUMNS, delimiter: str = ","
) -> dict[str, Any]:
    [one] = all_sets(read(hevy_export(*rows, columns=columns, delimiter=delimiter)))
    return one


def blocks(result: CsvImport) -> list[tuple[str, list[str]]]:
    """Return title and set types of each exercise of a file with one workout."""
    [workout] = workouts(result)
    return [
        (exercise["title"], [one["type"] for one in exercise["sets"]])
        for exercise in workout["exercises"]
    ]


def renamed(old: str, new: str) -> tuple[str, ...]:
    return tuple(new if name == old else name for name in HEVY_COLUMNS)


def real_log(name: str) -> bytes:
    path = REAL_LOGS / name
    if not path.exists():
        pytest.skip(f"the real training log {name} is not on this machine")
    return path.read_bytes()
