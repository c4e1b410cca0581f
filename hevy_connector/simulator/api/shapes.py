"""Response formats of objects that depend on the quirks."""

from typing import Any

from starlette.responses import PlainTextResponse, Response

from hevy_connector.simulator.api.bodies import MeasurementBody
from hevy_connector.simulator.api.json_text import JsonAnswer
from hevy_connector.simulator.api.problem import ApiProblem
from hevy_connector.simulator.api.quirks import Quirks
from hevy_connector.simulator.api.records import Json


def render_routine(routine: Json, quirks: Quirks) -> Json:
    """Format a routine for a read."""
    if quirks.routine_notes_on_read == "yes":
        return routine
    return {name: value for name, value in routine.items() if name != "notes"}


def render_measurement(measurement: Json, quirks: Quirks) -> Json:
    """Format a body measurement for a read: recorded values only, or all declared fields."""
    if quirks.measurement_read == "sparse":
        return measurement
    names = ("date", *MeasurementBody.model_fields)
    return {name: measurement.get(name) for name in names}


def workout_answer(workout: Json, quirks: Quirks) -> Json:
    """Format the response to a replaced workout."""
    return {"workout": [workout]} if quirks.workout_put_shape == "array" else workout


def routine_answer(routine: Json, quirks: Quirks) -> Json:
    """Format the response to a created or replaced routine."""
    shown = render_routine(routine, quirks)
    return {"routine": [shown] if quirks.routine_write_shape == "array" else shown}


def folder_answer(folder: Json, quirks: Quirks) -> Json:
    """Format the response to a new folder."""
    return {"routine_folder": folder} if quirks.folder_shape == "wrapped" else folder


def template_answer(template: Json, quirks: Quirks) -> Response:
    """Format the response to a new exercise; a bare id is the only response that is not JSON."""
    if quirks.template_post == "text":
        return PlainTextResponse(template["id"])
    return JsonAnswer({"id": int(template["id"])})


def events_key(events: list[Any], quirks: Quirks) -> str:
    """Return the envelope key of the event feed; the live service's is wrong if it is empty."""
    return quirks.empty_events_key if not events else "events"


def refusal(problem: ApiProblem) -> Response:
    """Format the response to a rejected request."""
    if problem.body is None:
        return Response(status_code=problem.status)
    return JsonAnswer(problem.body, problem.status)
