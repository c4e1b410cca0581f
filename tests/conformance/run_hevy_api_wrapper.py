"""Call every operation of hevy-api-wrapper; print the results as JSON."""

import json
import sys
from collections.abc import Callable
from typing import Any

from hevy_api_wrapper import Client
from hevy_api_wrapper.models import (
    CreateCustomExercise,
    CreateCustomExerciseRequestBody,
    PostRoutineFolder,
    PostRoutineFolderRequestBody,
    PostRoutinesRequestBody,
    PostWorkoutsRequestBody,
    PutRoutinesRequestBody,
)

BENCH_PRESS = "79D0BB3A"
PAST, FUTURE = "1970-01-01T00:00:00Z", "2100-01-01T00:00:00Z"


def attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        kind = type(error)
        return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def workout(title: str) -> PostWorkoutsRequestBody:
    done = {"type": "normal", "weight_kg": 72.5, "reps": 6, "rpe": 8.5}
    exercise = {"exercise_template_id": BENCH_PRESS, "notes": "paused", "sets": [done]}
    return PostWorkoutsRequestBody.model_validate(
        {
            "workout": {
                "title": title,
                "start_time": "2026-10-05T17:00:00Z",
                "end_time": "2026-10-05T18:00:00Z",
                "is_private": False,
                "exercises": [exercise],
            }
        }
    )


def routine(title: str, rep_range: dict[str, float] | None) -> dict[str, Any]:
    planned = {"type": "normal", "weight_kg": 60, "rep_range": rep_range}
    exercise = {
        "exercise_template_id": BENCH_PRESS,
        "rest_seconds": 120,
        "notes": "strict",
        "sets": [planned],
    }
    return {"routine": {"title": title, "notes": "block 2", "exercises": [exercise]}}


def read_pages(read: Callable[..., Any], key: str, page_size: int) -> list[int]:
    """Return the number of objects on each page."""
    first = read(page=1, page_size=page_size)
    rest = [read(page=page, page_size=page_size) for page in range(2, first.page_count + 1)]
    return [len(getattr(page, key)) for page in (first, *rest)]


def template_pages(client: Client) -> list[Any]:
    def read(page: int) -> int:
        found = client.exercise_templates.get_exercise_templates(page=page, page_size=100)
        return len(found.exercise_templates)

    return [attempt(lambda page=page: read(page)) for page in range(1, 6)]


def results(client: Client, stranger: Client) -> dict[str, Any]:
    first_workout = client.workouts.get_workouts(page=1, page_size=1).workouts[0]
    first_routine = client.routines.get_routines(page=1, page_size=1).routines[0]
    folder = client.routine_folders.get_routine_folders(page=1).routine_folders[0]
    ranged = {"start": 8, "end": 12}
    exercise = CreateCustomExercise(
        title="Ring Row",
        exercise_type="bodyweight_reps",
        equipment_category="suspension",
        muscle_group="upper_back",
    )
    return {
        "workout pages": read_pages(client.workouts.get_workouts, "workouts", 10),
        "default page": len(client.workouts.get_workouts().workouts),
        "page past the end": attempt(
            lambda: len(client.workouts.get_workouts(page=999, page_size=10).workouts)
        ),
        "count": client.workouts.get_count(),
        "workout": client.workouts.get_workout(first_workout.id).id == first_workout.id,
        "unknown workout": attempt(lambda: client.workouts.get_workout("unknown")),
        "events": attempt(
            lambda: len(client.workouts.get_events(page=1, page_size=10, since=PAST).events)
        ),
        "no events": attempt(
            lambda: len(client.workouts.get_events(page=1, page_size=10, since=FUTURE).events)
        ),
        "create workout": attempt(lambda: client.workouts.create_workout(workout("Created")).title),
        "update workout": attempt(
            lambda: client.workouts.update_workout(first_workout.id, workout("Updated")).title
        ),
        "routine pages": read_pages(client.routines.get_routines, "routines", 3),
        "routine": client.routines.get_routine(first_routine.id).routine.title,
        "create routine": attempt(
            lambda: (
                client.routines.create_routine(
                    PostRoutinesRequestBody.model_validate(routine("Created", ranged))
                ).title
            )
        ),
        "update routine": attempt(
            lambda: (
                client.routines.update_routine(
                    first_routine.id,
                    PutRoutinesRequestBody.model_validate(routine("Updated", ranged)),
                ).title
            )
        ),
        "update routine without a range": attempt(
            lambda: (
                client.routines.update_routine(
                    first_routine.id,
                    PutRoutinesRequestBody.model_validate(routine("Unranged", None)),
                ).title
            )
        ),
        "folder pages": read_pages(
            client.routine_folders.get_routine_folders, "routine_folders", 5
        ),
        "folder": client.routine_folders.get_routine_folder(folder.id).title,
        "create folder": attempt(
            lambda: (
                client.routine_folders.create_routine_folder(
                    PostRoutineFolderRequestBody(routine_folder=PostRoutineFolder(title="Winter"))
                ).title
            )
        ),
        "template pages": template_pages(client),
        "template": client.exercise_templates.get_exercise_template(BENCH_PRESS).title,
        "create template": attempt(
            lambda: (
                type(
                    client.exercise_templates.create_custom_exercise(
                        CreateCustomExerciseRequestBody(exercise=exercise)
                    ).id
                ).__name__
            )
        ),
        "history": attempt(
            lambda: len(client.exercise_history.get_exercise_history(BENCH_PRESS).exercise_history)
        ),
        "wrong key": attempt(stranger.workouts.get_count),
    }


def main(url: str, key: str) -> None:
    with (
        Client(base_url=f"{url}/", api_key=key, max_retries=0) as client,
        Client(base_url=f"{url}/", api_key="wrong", max_retries=0) as stranger,
    ):
        print(json.dumps(results(client, stranger)))


if __name__ == "__main__":
    main(*sys.argv[1:])
