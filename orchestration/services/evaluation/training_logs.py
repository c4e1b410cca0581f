"""Read training logs for the backtest, from export files and from the warehouse."""

import hashlib
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import orjson

from coach_agent.domain.titles import normalize_title
from coach_agent.evaluation.exposures import TrainingLog, training_log
from coach_agent.planning.between_sets import ExerciseFacts
from hevy_connector.csv_imports import CsvImport, read_export
from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from hevy_connector.errors import CsvFormatError
from hevy_connector.schemas import Workout
from orchestration.config.settings import SettingsError
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
)


def read_log(
    path: Path,
    *,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> TrainingLog:
    """Return the log of an export of Hevy or Strong; the lifter is named by file and folder.

    Raises:
        SettingsError: the file cannot be read.
        CsvFormatError: it is no such export, has no readable rows, or needs a unit.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
    lifter = "/".join(path.parts[-2:])
    try:
        return log_of(content, lifter, weight_unit=weight_unit, distance_unit=distance_unit)
    except CsvFormatError as error:
        raise CsvFormatError(f"{path}: {error}") from error


def log_of(
    content: bytes,
    lifter: str,
    *,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> TrainingLog:
    """Return the log in the bytes of an export.

    Times are taken as UTC: only the time between sessions matters.

    Raises:
        CsvFormatError: it is no such export, has no readable rows, or needs a unit.
    """
    export = read_export(
        content,
        athlete_id=lifter,
        timezone=ZoneInfo("UTC"),
        weight_unit=weight_unit,
        distance_unit=distance_unit,
    )
    if not export.workouts:
        raise CsvFormatError(_nothing_in(export))
    workouts = (Workout.model_validate(orjson.loads(one.record.payload)) for one in export.workouts)
    return training_log(
        lifter,
        hashlib.sha256(content).hexdigest(),
        workouts,
        built_in_exercise,
        "lb" if export.is_in_pounds else "kg",
        len(export.rejected),
    )


def _nothing_in(export: CsvImport) -> str:
    if not export.rejected:
        return "It holds no workout. Export the workouts again."
    return f"None of its {export.rows_read} rows can be read. {export.rejected[0].reason}"


def athlete_log(con: duckdb.DuckDBPyConnection, athlete_id: str, gym_unit: Unit) -> TrainingLog:
    """Return the log of an athlete in the built warehouse, without duplicate workouts.

    Uses the first version of each workout: later edits and corrections were not known on the day.
    The lifter is named by the athlete id.
    """
    rows: list[tuple[str, str]] = con.execute(
        """
        select
            arg_min(raw.payload, raw.loaded_at) as payload,
            arg_min(raw.payload_sha256, raw.loaded_at) as payload_sha256
        from raw.hevy_workouts as raw
        inner join marts.fct_workout as workouts
            on raw.athlete_id = workouts.athlete_id and raw.record_id = workouts.workout_id
        where raw.athlete_id = $1 and not raw.is_deleted
        group by raw.record_id
        order by raw.record_id
        """,
        [athlete_id],
    ).fetchall()
    known = con.execute(
        """
        select title, exercise_type, equipment, primary_muscle_group, secondary_muscle_groups
        from marts.dim_exercise
        where athlete_id = $1
        order by exercise_key
        """,
        [athlete_id],
    ).fetchall()
    own = {
        normalize_title(title): ExerciseFacts(
            title, kind, equipment, primary, tuple(secondary or ())
        )
        for title, kind, equipment, primary, secondary in known
    }
    return training_log(
        athlete_id,
        hashlib.sha256("".join(digest for _, digest in rows).encode()).hexdigest(),
        (Workout.model_validate(orjson.loads(payload)) for payload, _ in rows),
        lambda title: own.get(normalize_title(title)) or built_in_exercise(title),
        gym_unit,
    )


def readiness_states(con: duckdb.DuckDBPyConnection, athlete_id: str) -> dict[date, str]:
    """Return the readiness of each day of an athlete in the built warehouse."""
    query = "select readiness_date, readiness from marts.fct_readiness_day where athlete_id = $1"
    return dict(con.execute(query, [athlete_id]).fetchall())
