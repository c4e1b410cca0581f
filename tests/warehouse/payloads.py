"""Objects as the Hevy API returns them, in short form; missing values are null."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

# A planned set may name a range; a performed one an RPE.
_SET_FIELDS = ("weight_kg", "reps", "distance_meters", "duration_seconds", "custom_metric")


def at(text: str) -> datetime:
    """Return an aware UTC time: `at("2026-03-01 09:00")`."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def naive(text: str) -> datetime:
    """Return the same time as the warehouse stores it."""
    return datetime.fromisoformat(text)


def lift(weight_kg: float | None, reps: float | None, kind: str = "normal", **more: Any) -> Json:
    """Build a set with a load and repetitions."""
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, **more}


def ranged(weight_kg: float | None, start: int | None, end: int | None, **more: Any) -> Json:
    """Build a planned set with a range of repetitions."""
    return lift(weight_kg, None, rep_range={"start": start, "end": end}, **more)


def exercise(template: str | None, sets: Sequence[Mapping[str, Any]], **more: Any) -> Json:
    """Build an exercise; its title is its template unless given."""
    return {
        "title": template,
        "notes": "",
        "exercise_template_id": template,
        "superset_id": None,
        "sets": [
            {"index": index, **dict.fromkeys(_SET_FIELDS), **performed}
            for index, performed in enumerate(sets)
        ],
        **more,
    }


def routine(
    routine_id: str, updated_at: str | None, exercises: Sequence[Mapping[str, Any]], **more: Any
) -> Json:
    """Build a routine; without `updated_at` there is no time of change."""
    return {
        "id": routine_id,
        "title": routine_id.title(),
        "folder_id": None,
        "updated_at": None if updated_at is None else at(updated_at).isoformat(),
        "exercises": _indexed(exercises),
        **more,
    }


def workout(
    workout_id: str,
    start: str,
    exercises: Sequence[Mapping[str, Any]],
    routine_id: str | None = None,
    **more: Any,
) -> Json:
    """Build a workout that began at `start` (UTC) with an unknown end."""
    return {
        "id": workout_id,
        "title": workout_id.title(),
        "routine_id": routine_id,
        "description": "",
        "start_time": at(start).isoformat(),
        "end_time": None,
        "exercises": _indexed(exercises),
        **more,
    }


def template(template_id: str, kind: str = "weight_reps", **more: Any) -> Json:
    """Build an exercise of the catalogue; its title is its id unless given."""
    return {
        "id": template_id,
        "title": template_id,
        "type": kind,
        "primary_muscle_group": "chest",
        "secondary_muscle_groups": [],
        "equipment": "barbell",
        "is_custom": False,
        **more,
    }


def _indexed(exercises: Sequence[Mapping[str, Any]]) -> list[Json]:
    return [{"index": index, **one} for index, one in enumerate(exercises)]
