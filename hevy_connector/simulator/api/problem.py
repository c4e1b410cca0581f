"""A request that the simulated service refuses."""

from typing import Any


class ApiProblem(Exception):
    """The refusal as it is answered: an HTTP status and a JSON body, or None for no body."""

    def __init__(self, status: int, body: dict[str, Any] | None) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


def bad_request(message: str) -> ApiProblem:
    """A 400 with the one message that the service gives."""
    return ApiProblem(400, {"error": message})


def not_found(subject: str) -> ApiProblem:
    """A 404 for an unknown id, or for a page past the end."""
    return ApiProblem(404, {"error": f"{subject} not found"})
