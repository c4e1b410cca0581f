"""Training logs as the backtest takes them: from export files and from the warehouse."""

import hashlib
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson

from coach_agent.evaluation.exposures import TrainingLog, training_log
from hevy_connector.csv_exports import read_export
from hevy_connector.csv_exports.dialects import DistanceUnit, Unit
from hevy_connector.schemas import Workout
from orchestration.lib.catalogue import built_in_exercise
from orchestration.lib.settings import SettingsError


def read_log(
    path: Path,
    *,
    lifter: str | None = None,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> TrainingLog:
    """The log in an export of Hevy or Strong; the lifter is called as the file, unless named.

    Raises:
        SettingsError: the file cannot be read.
        CsvFormatError: it is no such export, or it needs a unit that was not given.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
    return log_of(
        content, lifter or path.name, weight_unit=weight_unit, distance_unit=distance_unit
    )


def log_of(
    content: bytes,
    lifter: str,
    *,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> TrainingLog:
    """The log in the bytes of an export.

    Its times are taken as UTC: the time between sessions counts here, not the hour of the day.

    Raises:
        CsvFormatError: it is no such export, or it needs a unit that was not given.
    """
    export = read_export(
        content,
        athlete_id=lifter,
        timezone=ZoneInfo("UTC"),
        weight_unit=weight_unit,
        distance_unit=distance_unit,
    )
    workouts = (Workout.model_validate(orjson.loads(one.record.payload)) for one in export.workouts)
    return training_log(lifter, hashlib.sha256(content).hexdigest(), workouts, built_in_exercise)
