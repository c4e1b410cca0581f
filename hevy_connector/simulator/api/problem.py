"""Rejection of a request by the simulated service."""

from typing import Any


class ApiProblem(Exception):
    """A rejection: an HTTP status and a JSON body, or None for no body."""

    def __init__(self, status: int, body: dict[str, Any] | None) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


def bad_request(message: str) -> ApiProblem:
    """Build a 400 with the message of the service."""
    return ApiProblem(400, {"error": message})


def not_found(subject: str) -> ApiProblem:
    """Build a 404 for an unknown id, or for a page past the end."""
    return ApiProblem(404, {"error": f"{subject} not found"})
