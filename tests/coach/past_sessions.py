"""The real training logs and the sessions in them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson

from coach_agent.evaluation import past_sessions
from coach_agent.evaluation.past_days import As, PastDay, evenly, past_days
from coach_agent.evaluation.past_sessions import Done, Session
from hevy_connector.csv_imports import read_export
from hevy_connector.csv_imports.dialects import Unit
from hevy_connector.schemas import Workout
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
)

__all__ = [
    "LOGS",
    "LOG_FILES",
    "As",
    "Done",
    "Log",
    "PastDay",
    "Session",
    "evenly",
    "past_days",
    "read_sessions",
    "sessions_in",
    "sessions_of",
]


LOGS = Path(__file__).parents[2] / ".." / "shared" / "data"


@dataclass(frozen=True)
class Log:
    """A file below the folder of the real logs, and the unit of its loads if it names none."""

    file: str
    unit: Unit | None = None

    @property
    def name(self) -> str:
        return Path(self.file).parent.name


LOG_FILES = (
    Log("hevy-ferreira-mit/hevy_workouts_raw.csv"),
    Log("hevy-mouadja02/workout_data.csv"),
    Log("strong-breinsp/strong.csv", "kg"),
    Log("strong-dericmei-zh/strong.csv", "lb"),
    Log("strong-ysmath/strong_workouts.csv", "kg"),
)


@cache
def sessions_in(log: Log) -> tuple[Session, ...]:
    """The sessions of a real log, oldest first."""
    return read_sessions((LOGS / log.file).read_bytes(), log.unit)


def read_sessions(content: bytes, unit: Unit | None) -> tuple[Session, ...]:
    """The sessions of an export, oldest first."""
    export = read_export(
        content,
        athlete_id="me",
        timezone=ZoneInfo("UTC"),
        weight_unit=unit,
        distance_unit=None if unit is None else "km",
    )
    return sessions_of(workout.record.payload for workout in export.workouts)


def sessions_of(payloads: Iterable[bytes | str]) -> tuple[Session, ...]:
    """The sessions of workouts as the API answers them, oldest first."""
    workouts = (Workout.model_validate(orjson.loads(each)) for each in payloads)
    return past_sessions.sessions_of(workouts, built_in_exercise)
