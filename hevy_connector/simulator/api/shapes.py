"""The shapes in which objects are answered, as far as the quirks decide them."""

from typing import Any

from starlette.responses import PlainTextResponse, Response

from hevy_connector.simulator.api.bodies import MeasurementBody
from hevy_connector.simulator.api.json_text import JsonAnswer
from hevy_connector.simulator.api.problem import ApiProblem
from hevy_connector.simulator.api.quirks import Quirks
from hevy_connector.simulator.api.records import Json


def shown_routine(routine: Json, quirks: Quirks) -> Json:
    """A routine as it is read."""
    if quirks.routine_notes_on_read == "yes":
        return routine
    return {name: value for name, value in routine.items() if name != "notes"}


def shown_measurement(measurement: Json, quirks: Quirks) -> Json:
    """A body measurement as it is read: what was measured, or all that is declared."""
    if quirks.measurement_read == "sparse":
        return measurement
    names = ("date", *MeasurementBody.model_fields)
    return {name: measurement.get(name) for name in names}


def written_workout(workout: Json, quirks: Quirks) -> Json:
    """The answer to a replaced workout."""
    return {"workout": [workout]} if quirks.workout_put_shape == "array" else workout


def written_routine(routine: Json, quirks: Quirks) -> Json:
    """The answer to a created or replaced routine."""
    shown = shown_routine(routine, quirks)
    return {"routine": [shown] if quirks.routine_write_shape == "array" else shown}


def written_folder(folder: Json, quirks: Quirks) -> Json:
    """The answer to a new folder."""
    return {"routine_folder": folder} if quirks.folder_shape == "wrapped" else folder


def written_template(template: Json, quirks: Quirks) -> Response:
    """The answer to a new exercise; a bare id is the one answer that is not JSON."""
    if quirks.template_post == "text":
        return PlainTextResponse(template["id"])
    return JsonAnswer({"id": int(template["id"])})


def events_key(events: list[Any], quirks: Quirks) -> str:
    """The name under which the event feed is answered; the live service misnames an empty one."""
    return quirks.empty_events_key if not events else "events"


def refusal(problem: ApiProblem) -> Response:
    """The answer to a refused request."""
    if problem.body is None:
        return Response(status_code=problem.status)
    return JsonAnswer(problem.body, problem.status)
