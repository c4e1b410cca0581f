"""Build the records of an account, in their read format, from request bodies.

Records are immutable: a write replaces the old one.
"""

import hashlib
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from hevy_connector.simulator.api.bodies import (
    MeasurementBody,
    RoutineBody,
    RoutineSetBody,
    SetBody,
    WorkoutBody,
    WorkoutSetBody,
)

Json = dict[str, Any]
TitleOf = Callable[[str], str]


def object_id(*parts: object) -> str:
    """Derive a UUID from the parts; deterministic."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def stamp(moment: datetime) -> str:
    """Format a change time as the service does: milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def workout_record(
    body: WorkoutBody,
    *,
    workout_id: str,
    routine_id: str | None,
    created_at: str,
    updated_at: str,
    title_of: TitleOf,
) -> Json:
    """Build a workout; `title_of` returns the title of a template or rejects the id."""
    return {
        "id": workout_id,
        "title": body.title,
        "routine_id": routine_id,
        "description": body.description or "",
        "start_time": body.start_time.isoformat(timespec="seconds"),
        "end_time": body.end_time.isoformat(timespec="seconds"),
        "updated_at": updated_at,
        "created_at": created_at,
        "exercises": [
            {
                "index": index,
                "title": title_of(exercise.exercise_template_id),
                "notes": exercise.notes or "",
                "exercise_template_id": exercise.exercise_template_id,
                "superset_id": exercise.superset_id,
                "sets": [_workout_set(*numbered) for numbered in enumerate(exercise.sets)],
            }
            for index, exercise in enumerate(body.exercises)
        ],
    }


def routine_record(
    body: RoutineBody,
    *,
    routine_id: str,
    folder_id: int | None,
    created_at: str,
    updated_at: str,
    title_of: TitleOf,
) -> Json:
    """Build a routine; its own notes come last, as in the service."""
    return {
        "id": routine_id,
        "title": body.title,
        "folder_id": folder_id,
        "updated_at": updated_at,
        "created_at": created_at,
        "exercises": [
            {
                "index": index,
                "title": title_of(exercise.exercise_template_id),
                "notes": exercise.notes or "",
                "exercise_template_id": exercise.exercise_template_id,
                "superset_id": exercise.superset_id,
                "sets": [_routine_set(*numbered) for numbered in enumerate(exercise.sets)],
                "rest_seconds": exercise.rest_seconds,
            }
            for index, exercise in enumerate(body.exercises)
        ],
        "notes": body.notes or "",
    }


def template_record(
    template_id: str,
    *,
    title: str,
    type: str,
    primary_muscle_group: str,
    secondary_muscle_groups: list[str],
    equipment: str,
    is_custom: bool,
) -> Json:
    """Build one template in its read format."""
    return {
        "id": template_id,
        "title": title,
        "type": type,
        "primary_muscle_group": primary_muscle_group,
        "secondary_muscle_groups": secondary_muscle_groups,
        "equipment": equipment,
        "is_custom": is_custom,
        "thumbnail_url": None,
    }


def folder_record(folder_id: int, index: int, title: str, *, created_at: str) -> Json:
    """Build a routine folder; only its position changes later."""
    return {
        "id": folder_id,
        "index": index,
        "title": title,
        "updated_at": created_at,
        "created_at": created_at,
    }


def measurement_record(
    body: MeasurementBody, *, measurement_id: int, day: str, created_at: str
) -> Json:
    """Build a body measurement from its recorded values and the time of the write."""
    measured = body.model_dump(exclude_none=True, exclude={"date"})
    return {"id": measurement_id, "date": day, **measured, "created_at": created_at}


def history_rows(workout: Json, template_id: str) -> list[Json]:
    """Return one flat row for each set of the template in this workout."""
    return [
        {
            "workout_id": workout["id"],
            "workout_title": workout["title"],
            "workout_start_time": workout["start_time"],
            "workout_end_time": workout["end_time"],
            "exercise_template_id": template_id,
            "weight_kg": performed["weight_kg"],
            "reps": performed["reps"],
            "distance_meters": performed["distance_meters"],
            "duration_seconds": performed["duration_seconds"],
            "rpe": performed["rpe"],
            "custom_metric": performed["custom_metric"],
            "set_type": performed["type"],
        }
        for exercise in workout["exercises"]
        if exercise["exercise_template_id"] == template_id
        for performed in exercise["sets"]
    ]


def _set_fields(index: int, body: SetBody) -> Json:
    return {
        "index": index,
        "type": body.type,
        "weight_kg": body.weight_kg,
        "reps": body.reps,
        "distance_meters": body.distance_meters,
        "duration_seconds": body.duration_seconds,
    }


def _workout_set(index: int, body: WorkoutSetBody) -> Json:
    return _set_fields(index, body) | {"rpe": body.rpe, "custom_metric": body.custom_metric}


def _routine_set(index: int, body: RoutineSetBody) -> Json:
    record = _set_fields(index, body) | {"custom_metric": body.custom_metric}
    if "rep_range" not in body.model_fields_set:
        return record
    # A range sent as null is stored as one without numbers: the service accepts it in a POST by
    # mistake, and clients must handle such ranges.
    start, end = (body.rep_range.start, body.rep_range.end) if body.rep_range else (None, None)
    return record | {"rep_range": {"start": start, "end": end}}
