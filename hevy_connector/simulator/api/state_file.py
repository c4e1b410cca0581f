"""State of an account in a file, so that a simulation can be stopped and resumed."""

import dataclasses
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from hevy_connector.simulator.api.body_values import Equipment, SetType
from hevy_connector.simulator.api.json_text import json_bytes, read_json
from hevy_connector.simulator.api.state import AccountState

_FORMAT = "simulated Hevy account"
_VERSION = 1
_STATE_FIELDS = [field.name for field in dataclasses.fields(AccountState)]


class StateFileError(Exception):
    """A state file cannot be read or written; the message contains its path and the reason."""


def save_state(state: AccountState, path: Path) -> None:
    """Write the state atomically: after a kill there is the old file or the new one.

    Raises:
        StateFileError: it cannot be written.
    """
    content = {"format": _FORMAT, "version": _VERSION, **_fields(state)}
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(json_bytes(content))
        os.replace(draft, path)  # noqa: PTH105 - atomic by contract
    except OSError as error:
        raise StateFileError(f"{path} cannot be written: {error.strerror}.") from error


def load_state(path: Path) -> AccountState | None:
    """Load the state from a file; None if the file does not exist.

    Raises:
        StateFileError: it cannot be read, or holds no account state.
    """
    try:
        content = read_json(path.read_bytes())
        _StateFile.model_validate(content)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateFileError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise StateFileError(
            f"{path} is not the state of a simulated account: {place}: {first['msg']}. "
            "Name another file, or move this one away to start again."
        ) from None
    except ValueError as error:
        raise StateFileError(f"{path} is not JSON: {error}.") from None
    return AccountState(**{name: content[name] for name in _STATE_FIELDS})


def _fields(state: AccountState) -> dict[str, Any]:
    """Return the fields. `dataclasses.asdict` would copy every set: seconds for a long history."""
    return {name: getattr(state, name) for name in _STATE_FIELDS}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Number = int | float
_Stamp = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z$")]
_Second = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\+00:00$")]
_Day = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d\d){2}$")]


class _Set(_Part):
    index: int
    type: SetType
    weight_kg: _Number | None
    reps: _Number | None
    distance_meters: _Number | None
    duration_seconds: _Number | None
    custom_metric: _Number | None


class _WorkoutSet(_Set):
    rpe: _Number | None


class _RepRange(_Part):
    start: _Number | None
    end: _Number | None


class _RoutineSet(_Set):
    rep_range: _RepRange | None = None


class _Exercise(_Part):
    index: int
    title: str
    notes: str
    exercise_template_id: str
    superset_id: int | None


class _WorkoutExercise(_Exercise):
    sets: list[_WorkoutSet]


class _RoutineExercise(_Exercise):
    sets: list[_RoutineSet]
    rest_seconds: int | None


class _Dated(_Part):
    created_at: _Stamp
    updated_at: _Stamp


class _Workout(_Dated):
    id: str
    title: str
    routine_id: str | None
    description: str
    start_time: _Second
    end_time: _Second
    exercises: list[_WorkoutExercise]


class _Routine(_Dated):
    id: str
    title: str
    folder_id: int | None
    notes: str
    exercises: list[_RoutineExercise]


class _Folder(_Dated):
    id: int
    index: int
    title: str


class _Template(_Part):
    id: str
    title: str
    type: str
    primary_muscle_group: str
    secondary_muscle_groups: list[str]
    equipment: Equipment
    is_custom: Literal[True]
    thumbnail_url: str | None


class _Measurement(BaseModel):
    """Measured values have the field names of `MeasurementBody`."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, _Number]

    id: int
    date: _Day
    created_at: _Stamp


class _StateFile(_Part):
    format: Literal["simulated Hevy account"]
    version: Literal[1]
    seed: int
    user: dict[str, Any]
    folders: list[_Folder]
    routines: list[_Routine]
    workouts: list[_Workout]
    measurements: list[_Measurement]
    custom_templates: list[_Template]
    deleted_workouts: dict[str, _Stamp]
    ids_given: int
    written_at: _Stamp | None
