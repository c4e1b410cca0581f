"""Changes by the athlete during a read, which shift the pages of a list."""

from datetime import timedelta

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.faults import Drift
from hevy_connector.simulator.api.records import Json

_PUSH_UP = "392887AA"


def drift(account: Account, action: Drift) -> None:
    """Add a newest workout, or edit or delete the newest one if there is any."""
    newest = next(iter(account.workouts()), None)
    if action == "add":
        account.log_workout(_new_workout(account))
    elif newest is not None and action == "edit":
        account.edit_workout(newest["id"], newest | {"title": f"{newest['title']} (edited)"})
    elif newest is not None:
        account.delete_workout(newest["id"])


def _new_workout(account: Account) -> Json:
    ended_at = account.now()
    return {
        "title": "Added meanwhile",
        "start_time": (ended_at - timedelta(minutes=10)).isoformat(),
        "end_time": ended_at.isoformat(),
        "exercises": [{"exercise_template_id": _PUSH_UP, "sets": [{"reps": 20}]}],
    }
