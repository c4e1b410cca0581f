"""Valid request bodies, and ways to invalidate them."""

import copy
from typing import Any

BENCH_PRESS = "79D0BB3A"
FIRST_SET = ("exercises", 0, "sets", 0)
REMOVED = object()


def new_workout() -> dict[str, Any]:
    return {
        "title": "Evening",
        "start_time": "2026-10-06T17:00:00Z",
        "end_time": "2026-10-06T18:00:30Z",
        "is_private": False,
        "exercises": [
            {
                "exercise_template_id": BENCH_PRESS,
                "superset_id": None,
                "notes": "paused",
                "sets": [{"type": "normal", "weight_kg": 72.5, "reps": 6, "rpe": 8.5}],
            }
        ],
    }


def new_routine() -> dict[str, Any]:
    return {
        "title": "Push",
        "notes": "block 2",
        "exercises": [
            {
                "exercise_template_id": BENCH_PRESS,
                "superset_id": 0,
                "rest_seconds": 120,
                "notes": "strict",
                "sets": [
                    {"type": "warmup", "weight_kg": 40.0, "reps": 8.0},
                    {"type": "normal", "weight_kg": 60, "rep_range": {"start": 8, "end": 12}},
                    {"type": "normal", "weight_kg": 60, "rep_range": {"start": 8}},
                ],
            }
        ],
    }


def changed(body: dict[str, Any], place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    result: Any = copy.deepcopy(body)
    target = result
    for step in place[:-1]:
        target = target[step]
    if value is REMOVED:
        del target[place[-1]]
    else:
        target[place[-1]] = value
    return result  # type: ignore[no-any-return]
