"""Validate a request body and reject it with the service's messages.

The service validates with Joi (custom exercises with Zod) and reports only the first problem.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hevy_connector.simulator.api.bodies import Body
from hevy_connector.simulator.api.problem import ApiProblem, bad_request
from hevy_connector.simulator.api.quirks import WriteRules

B = TypeVar("B", bound=Body)

_JOI_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is not allowed",
    "string_type": "must be a string",
    "string_unicode": "must be a string",
    "string_too_short": "is not allowed to be empty",
    "bool_type": "must be a boolean",
    "list_type": "must be an array",
    "model_type": "must be of type object",
}


def parse_body(
    model: type[B],
    payload: Any,
    rules: WriteRules,
    *,
    refuse: Callable[[ErrorDetails], ApiProblem] | None = None,
) -> B:
    """Validate the payload as `model`, by the rules of its source.

    Raises:
        ApiProblem: 400 with the first problem, formatted by `refuse` (default: Joi's format).
    """
    try:
        return model.model_validate(payload, context=rules)
    except ValidationError as error:
        raise (refuse or joi_problem)(error.errors()[0]) from None


def joi_problem(error: ErrorDetails) -> ApiProblem:
    """Format the message with its quotes, for example `"workout.title" is required`."""
    if error["type"] == "whole_message":
        return bad_request(error["msg"])
    return bad_request(f'"{_joi_path(error["loc"])}" {_joi_words(error)}')


def zod_problem(error: ErrorDetails) -> ApiProblem:
    """Format a ZodError as JavaScript serializes it: its list of issues and its name."""
    issue = {"code": error["type"], "path": list(error["loc"]), "message": _joi_words(error)}
    return ApiProblem(400, {"issues": [issue], "name": "ZodError"})


def _joi_path(loc: tuple[int | str, ...]) -> str:
    """Format `workout.exercises[0].sets[1].reps`; the whole body is called `value`."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return path.removeprefix(".") or "value"


def _joi_words(error: ErrorDetails) -> str:
    if error["type"] == "literal_error":
        expected = error["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return f"must be one of [{expected}]"
    return _JOI_WORDS.get(error["type"], error["msg"])
