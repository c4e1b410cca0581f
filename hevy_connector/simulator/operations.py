"""What the service answers to each operation of its API.

Every wrapping, status and content type that a client can see is decided here, in the shapes in
which the live service was last seen to answer.

Source: Hevy API v1 and answers of the service.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from hevy_connector.simulator.account import Account
from hevy_connector.simulator.problem import bad_request, not_found
from hevy_connector.simulator.records import Json

_PAGE_LIMIT = 10
_TEMPLATE_PAGE_LIMIT = 100
_EPOCH = "1970-01-01T00:00:00Z"


@dataclass(frozen=True)
class Call:
    """A request, already authenticated: the variables of its path, its query and its raw body."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        """The body; without one the service sees an empty object."""
        try:
            return json.loads(self.body or b"{}")
        except ValueError:
            raise bad_request("Invalid JSON") from None


Operation = Callable[[Account, Call], Response]


def _list_workouts(account: Account, call: Call) -> Response:
    return JSONResponse(_page(account.workouts(), "workouts", call.query))


def _create_workout(account: Account, call: Call) -> Response:
    return JSONResponse({"workout": [account.create_workout(call.json())]}, 201)


def _count_workouts(account: Account, call: Call) -> Response:
    return JSONResponse({"workout_count": len(account.workouts())})


def _list_events(account: Account, call: Call) -> Response:
    events = account.events(_time(call.query, "since") or datetime.fromisoformat(_EPOCH))
    # The service names an empty feed "workouts".
    return JSONResponse(_page(events, "events" if events else "workouts", call.query))


def _get_workout(account: Account, call: Call) -> Response:
    return JSONResponse(account.workout(call.path["id"]))


def _replace_workout(account: Account, call: Call) -> Response:
    return JSONResponse({"workout": [account.replace_workout(call.path["id"], call.json())]})


def _get_user(account: Account, call: Call) -> Response:
    return JSONResponse({"data": account.user})


def _list_routines(account: Account, call: Call) -> Response:
    return JSONResponse(_page(account.routines(), "routines", call.query))


def _create_routine(account: Account, call: Call) -> Response:
    return JSONResponse({"routine": [account.create_routine(call.json())]}, 201)


def _get_routine(account: Account, call: Call) -> Response:
    return JSONResponse({"routine": account.routine(call.path["id"])})


def _replace_routine(account: Account, call: Call) -> Response:
    return JSONResponse({"routine": [account.replace_routine(call.path["id"], call.json())]})


def _list_templates(account: Account, call: Call) -> Response:
    page = _page(account.templates(), "exercise_templates", call.query, _TEMPLATE_PAGE_LIMIT)
    return JSONResponse(page)


def _create_template(account: Account, call: Call) -> Response:
    # The one answer of the API that is a bare id instead of JSON.
    return PlainTextResponse(account.create_template(call.json())["id"])


def _get_template(account: Account, call: Call) -> Response:
    return JSONResponse(account.template(call.path["id"]))


def _list_folders(account: Account, call: Call) -> Response:
    return JSONResponse(_page(account.folders(), "routine_folders", call.query))


def _create_folder(account: Account, call: Call) -> Response:
    return JSONResponse({"routine_folder": account.create_folder(call.json())}, 201)


def _get_folder(account: Account, call: Call) -> Response:
    folder_id = _whole_number(call.path["id"])
    if folder_id is None:
        raise not_found("Routine folder")
    return JSONResponse(account.folder(folder_id))


def _get_exercise_history(account: Account, call: Call) -> Response:
    start, end = _time(call.query, "start_date"), _time(call.query, "end_date")
    return JSONResponse({"exercise_history": account.exercise_history(call.path["id"], start, end)})


def _list_measurements(account: Account, call: Call) -> Response:
    return JSONResponse(_page(account.measurements(), "body_measurements", call.query))


def _create_measurement(account: Account, call: Call) -> Response:
    account.create_measurement(call.json())
    return Response(status_code=201)


def _get_measurement(account: Account, call: Call) -> Response:
    return JSONResponse(account.measurement(call.path["date"]))


def _replace_measurement(account: Account, call: Call) -> Response:
    account.replace_measurement(call.path["date"], call.json())
    return Response(status_code=200)


def _log_workout(account: Account, call: Call) -> Response:
    return JSONResponse(account.log_workout(call.json()), 201)


def _edit_workout(account: Account, call: Call) -> Response:
    return JSONResponse(account.edit_workout(call.path["id"], call.json()))


def _delete_workout(account: Account, call: Call) -> Response:
    account.delete_workout(call.path["id"])
    return Response(status_code=204)


def _edit_routine(account: Account, call: Call) -> Response:
    return JSONResponse(account.edit_routine(call.path["id"], call.json()))


def _delete_routine(account: Account, call: Call) -> Response:
    account.delete_routine(call.path["id"])
    return Response(status_code=204)


API_OPERATIONS: Sequence[tuple[str, str, Operation]] = (
    ("GET", "/v1/workouts", _list_workouts),
    ("POST", "/v1/workouts", _create_workout),
    ("GET", "/v1/workouts/count", _count_workouts),
    ("GET", "/v1/workouts/events", _list_events),
    ("GET", "/v1/workouts/{id}", _get_workout),
    ("PUT", "/v1/workouts/{id}", _replace_workout),
    ("GET", "/v1/user/info", _get_user),
    ("GET", "/v1/routines", _list_routines),
    ("POST", "/v1/routines", _create_routine),
    ("GET", "/v1/routines/{id}", _get_routine),
    ("PUT", "/v1/routines/{id}", _replace_routine),
    ("GET", "/v1/exercise_templates", _list_templates),
    ("POST", "/v1/exercise_templates", _create_template),
    ("GET", "/v1/exercise_templates/{id}", _get_template),
    ("GET", "/v1/routine_folders", _list_folders),
    ("POST", "/v1/routine_folders", _create_folder),
    ("GET", "/v1/routine_folders/{id}", _get_folder),
    ("GET", "/v1/exercise_history/{id}", _get_exercise_history),
    ("GET", "/v1/body_measurements", _list_measurements),
    ("POST", "/v1/body_measurements", _create_measurement),
    ("GET", "/v1/body_measurements/{date}", _get_measurement),
    ("PUT", "/v1/body_measurements/{date}", _replace_measurement),
)
"""All operations of the API, literal paths before those with a variable in the same place."""

APP_OPERATIONS: Sequence[tuple[str, str, Operation]] = (
    ("POST", "/simulator/workouts", _log_workout),
    ("PUT", "/simulator/workouts/{id}", _edit_workout),
    ("DELETE", "/simulator/workouts/{id}", _delete_workout),
    ("PUT", "/simulator/routines/{id}", _edit_routine),
    ("DELETE", "/simulator/routines/{id}", _delete_routine),
)
"""What the athlete does in the app; the real service has nothing of the kind."""


def _page(
    items: Sequence[Json], key: str, query: Mapping[str, str], limit: int = _PAGE_LIMIT
) -> Json:
    """One page of a list; sizes above the limit are refused, not clamped."""
    page = _whole_number(query.get("page", "1"))
    if page is None or page < 1:
        raise bad_request("Invalid page")
    size = _whole_number(query.get("pageSize", str(limit)))
    if size is None or not 1 <= size <= limit:
        raise bad_request("Invalid page size")
    page_count = -(-len(items) // size)
    if page > max(page_count, 1):
        raise not_found("Page")
    return {
        "page": page,
        "page_count": page_count,
        key: items[(page - 1) * size : page * size],
    }


def _whole_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _time(query: Mapping[str, str], name: str) -> datetime | None:
    if name not in query:
        return None
    try:
        moment = datetime.fromisoformat(query[name])
    except ValueError:
        raise bad_request(f"Invalid {name}") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
