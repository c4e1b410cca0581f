"""Call every operation of hevy2garmin's Hevy client; print the results as JSON."""

import json
import sys
from typing import Any

from hevy2garmin.hevy import HevyAuthError, HevyClient


def results(client: HevyClient, stranger: HevyClient) -> dict[str, Any]:
    workouts = client.get_all_workouts()
    newest = client.get_workout(workouts[0]["id"])
    try:
        stranger.get_workout_count()
    except HevyAuthError:
        refusal = "HevyAuthError"
    return {
        "count": client.get_workout_count(),
        "all workouts": len(workouts),
        "different workouts": len({workout["id"] for workout in workouts}),
        "newest is the first": newest == workouts[0],
        "unknown workout": client.get_workout("unknown"),
        "routines": len(client.get_routines()["routines"]),
        "folders": len(client.get_routine_folders()["routine_folders"]),
        "templates": len(client.get_exercise_templates(page=2)["exercise_templates"]),
        "events": len(client.get_workout_events("1970-01-01T00:00:00Z")["events"]),
        "no events": client.get_workout_events("2100-01-01T00:00:00Z"),
        "wrong key": refusal,
    }


def main(url: str, key: str) -> None:
    client, stranger = (HevyClient(api_key=one, base_url=f"{url}/v1") for one in (key, "wrong"))
    print(json.dumps(results(client, stranger)))


if __name__ == "__main__":
    main(*sys.argv[1:])
