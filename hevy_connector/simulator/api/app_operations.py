"""Admin path of the simulator for actions in the app. The real service has no such path."""

from collections.abc import Sequence

from starlette.responses import Response

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.calls import Call, whole_number
from hevy_connector.simulator.api.json_text import JsonAnswer
from hevy_connector.simulator.api.operations import Operation
from hevy_connector.simulator.api.problem import bad_request, not_found
from hevy_connector.simulator.api.quirks import Quirks


def _log_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.log_workout(call.json()), 201)


def _edit_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.edit_workout(call.path["id"], call.json()))


def _delete_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    account.delete_workout(call.path["id"])
    return Response(status_code=204)


def _make_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.make_routine(call.json()), 201)


def _edit_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.edit_routine(call.path["id"], call.json()))


def _delete_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    account.delete_routine(call.path["id"])
    return Response(status_code=204)


def _delete_folder(account: Account, quirks: Quirks, call: Call) -> Response:
    folder_id = whole_number(call.path["id"])
    if folder_id is None:
        raise not_found("Routine folder")
    account.delete_folder(folder_id)
    return Response(status_code=204)


def _rename_template(account: Account, quirks: Quirks, call: Call) -> Response:
    record = call.json()
    title = record.get("title") if isinstance(record, dict) else None
    if not isinstance(title, str) or not title.strip():
        raise bad_request("title must be a text")
    return JsonAnswer(account.rename_template(call.path["id"], title))


def _delete_template(account: Account, quirks: Quirks, call: Call) -> Response:
    account.delete_template(call.path["id"])
    return Response(status_code=204)


def _delete_measurement(account: Account, quirks: Quirks, call: Call) -> Response:
    account.delete_measurement(call.path["date"])
    return Response(status_code=204)


APP_OPERATIONS: Sequence[tuple[str, str, Operation]] = (
    ("POST", "/simulator/workouts", _log_workout),
    ("PUT", "/simulator/workouts/{id}", _edit_workout),
    ("DELETE", "/simulator/workouts/{id}", _delete_workout),
    ("POST", "/simulator/routines", _make_routine),
    ("PUT", "/simulator/routines/{id}", _edit_routine),
    ("DELETE", "/simulator/routines/{id}", _delete_routine),
    ("DELETE", "/simulator/routine_folders/{id}", _delete_folder),
    ("PUT", "/simulator/exercise_templates/{id}", _rename_template),
    ("DELETE", "/simulator/exercise_templates/{id}", _delete_template),
    ("DELETE", "/simulator/body_measurements/{date}", _delete_measurement),
)
"""Actions of the athlete in the app."""
