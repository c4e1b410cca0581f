"""Handlers of all operations of the API.

Source: Hevy API v1 and responses of the service.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from starlette.responses import Response

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.bodies import (
    DatedMeasurementBody,
    FolderEnvelope,
    MeasurementBody,
    RoutineBody,
    RoutineEnvelope,
    TemplateEnvelope,
    WorkoutBody,
    WorkoutEnvelope,
)
from hevy_connector.simulator.api.calls import (
    PAGE_LIMIT,
    TEMPLATE_PAGE_LIMIT,
    Call,
    page_of,
    whole_number,
)
from hevy_connector.simulator.api.json_text import JsonAnswer
from hevy_connector.simulator.api.problem import ApiProblem, bad_request, not_found
from hevy_connector.simulator.api.quirks import Quirks, WriteRules
from hevy_connector.simulator.api.records import Json
from hevy_connector.simulator.api.shapes import (
    events_key,
    folder_answer,
    render_measurement,
    render_routine,
    routine_answer,
    template_answer,
    workout_answer,
)
from hevy_connector.simulator.api.validation import joi_problem, parse_body, zod_problem

Operation = Callable[[Account, Quirks, Call], Response]
WithText = TypeVar("WithText", WorkoutBody, RoutineBody)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _list_workouts(account: Account, quirks: Quirks, call: Call) -> Response:
    return _answer_page(account.workouts(), "workouts", quirks, call)


def _create_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    body = parse_body(WorkoutEnvelope, call.json(), WriteRules("post", quirks)).workout
    if quirks.is_private == "required" and "is_private" not in body.model_fields_set:
        raise bad_request('"workout.is_private" is required')
    return JsonAnswer({"workout": [account.create_workout(body)]}, 201)


def _count_workouts(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer({"workout_count": account.workout_count()})


def _list_events(account: Account, quirks: Quirks, call: Call) -> Response:
    if quirks.undeclared_status == "avoid":
        call = _without_invalid_parameters(call)
    events = account.events(call.time("since") or _EPOCH)
    return _answer_page(events, events_key(events, quirks), quirks, call)


def _get_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.workout(call.path["id"]))


def _replace_workout(account: Account, quirks: Quirks, call: Call) -> Response:
    previous = _not_found_as_400(quirks, account.workout, call.path["id"])
    body = parse_body(WorkoutEnvelope, call.json(), WriteRules("put", quirks)).workout
    if quirks.is_private == "required" and "is_private" not in body.model_fields_set:
        raise ApiProblem(500, None)
    kept = _with_omitted_text(body, "description", previous, quirks)
    return JsonAnswer(workout_answer(account.replace_workout(previous["id"], kept), quirks))


def _get_user(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer({"data": account.user})


def _list_routines(account: Account, quirks: Quirks, call: Call) -> Response:
    routines = [render_routine(routine, quirks) for routine in account.routines()]
    return _answer_page(routines, "routines", quirks, call)


def _create_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    body = parse_body(RoutineEnvelope, call.json(), WriteRules("post", quirks)).routine
    if "folder_id" not in body.model_fields_set:
        raise bad_request("[public-post-routine] Invalid routine folder id: undefined")
    if not account.has_folder(body.folder_id):
        raise bad_request(f"[public-post-routine] Invalid routine folder id: {body.folder_id}")
    return JsonAnswer(routine_answer(account.create_routine(body), quirks), 201)


def _get_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    routine = _not_found_as_400(quirks, account.routine, call.path["id"])
    return JsonAnswer({"routine": render_routine(routine, quirks)})


def _replace_routine(account: Account, quirks: Quirks, call: Call) -> Response:
    previous = account.routine(call.path["id"])
    body = parse_body(RoutineEnvelope, call.json(), WriteRules("put", quirks)).routine
    if "folder_id" in body.model_fields_set and quirks.put_folder_id == "reject":
        raise bad_request('"routine.folder_id" is not allowed')
    if not account.has_folder(body.folder_id):
        raise bad_request(f"[public-put-routine] Invalid routine folder id: {body.folder_id}")
    kept = _with_omitted_text(body, "notes", previous, quirks)
    return JsonAnswer(routine_answer(account.replace_routine(previous["id"], kept), quirks))


def _list_templates(account: Account, quirks: Quirks, call: Call) -> Response:
    return _answer_page(
        account.templates(), "exercise_templates", quirks, call, limit=TEMPLATE_PAGE_LIMIT
    )


def _create_template(account: Account, quirks: Quirks, call: Call) -> Response:
    refuse = zod_problem if quirks.template_refusal == "zod" else joi_problem
    rules = WriteRules("post", quirks)
    body = parse_body(TemplateEnvelope, call.json(), rules, refuse=refuse).exercise
    created = account.create_template(body, is_numbered=quirks.template_post == "json")
    return template_answer(created, quirks)


def _get_template(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(account.template(call.path["id"]))


def _list_folders(account: Account, quirks: Quirks, call: Call) -> Response:
    return _answer_page(account.folders(), "routine_folders", quirks, call)


def _create_folder(account: Account, quirks: Quirks, call: Call) -> Response:
    body = parse_body(FolderEnvelope, call.json(), WriteRules("post", quirks)).routine_folder
    return JsonAnswer(folder_answer(account.create_folder(body), quirks), 201)


def _get_folder(account: Account, quirks: Quirks, call: Call) -> Response:
    folder_id = whole_number(call.path["id"])
    if folder_id is None:
        raise not_found("Routine folder")
    return JsonAnswer(account.folder(folder_id))


def _get_exercise_history(account: Account, quirks: Quirks, call: Call) -> Response:
    start, end = call.time("start_date"), call.time("end_date")
    return JsonAnswer({"exercise_history": account.exercise_history(call.path["id"], start, end)})


def _list_measurements(account: Account, quirks: Quirks, call: Call) -> Response:
    days = [render_measurement(day, quirks) for day in account.measurements()]
    # The only list with a declared page past the end.
    return JsonAnswer(page_of(days, "body_measurements", call))


def _create_measurement(account: Account, quirks: Quirks, call: Call) -> Response:
    account.create_measurement(
        parse_body(DatedMeasurementBody, call.json(), WriteRules("post", quirks))
    )
    return Response(status_code=201)


def _get_measurement(account: Account, quirks: Quirks, call: Call) -> Response:
    return JsonAnswer(render_measurement(account.measurement(call.path["date"]), quirks))


def _replace_measurement(account: Account, quirks: Quirks, call: Call) -> Response:
    day = account.measurement(call.path["date"])["date"]
    if not call.has_json:
        # All fields are optional, but a call without a body must not delete the values.
        raise bad_request('"value" is required')
    body = parse_body(MeasurementBody, call.json(), WriteRules("put", quirks))
    account.replace_measurement(day, body)
    return Response(status_code=200)


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
"""All operations of the API, literal paths before paths with a variable in the same place."""


def _answer_page(
    items: Sequence[Json], key: str, quirks: Quirks, call: Call, *, limit: int = PAGE_LIMIT
) -> Response:
    """Return a page of a list; only `page_count` declares its end."""
    is_open_ended = quirks.undeclared_status == "avoid"
    return JsonAnswer(page_of(items, key, call, limit=limit, is_open_ended=is_open_ended))


def _not_found_as_400(quirks: Quirks, read: Callable[[str], Json], record_id: str) -> Json:
    """Return the record; some operations declare no 404 for an unknown id."""
    try:
        return read(record_id)
    except ApiProblem as problem:
        if quirks.undeclared_status == "answer":
            raise
        raise ApiProblem(400, problem.body) from None


def _without_invalid_parameters(call: Call) -> Call:
    """Return the call without invalid query values: the feed declares no rejection."""
    kept = {}
    for name, value in call.query.items():
        try:
            page_of([], "events", Call({}, {name: value}), is_open_ended=True)
            Call({}, {name: value}).time("since")
        except ApiProblem:
            continue
        kept[name] = value
    return Call(call.path, kept)


def _with_omitted_text(body: WithText, field: str, previous: Json, quirks: Quirks) -> WithText:
    """Return the body of a PUT; an omitted text keeps its old value if the quirks demand it."""
    if quirks.put_omitted_notes == "clear" or field in body.model_fields_set:
        return body
    return body.model_copy(update={field: previous[field]})
