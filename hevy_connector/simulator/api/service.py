"""The simulated service: account, quirks and faults."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.app_operations import APP_OPERATIONS
from hevy_connector.simulator.api.calls import Call, query_of
from hevy_connector.simulator.api.drift import drift
from hevy_connector.simulator.api.faults import FaultRule, Faults
from hevy_connector.simulator.api.json_text import JsonAnswer, read_json
from hevy_connector.simulator.api.operations import API_OPERATIONS, Operation
from hevy_connector.simulator.api.problem import ApiProblem, bad_request
from hevy_connector.simulator.api.quirks import LIVE, Quirks
from hevy_connector.simulator.api.request_log import LoggedRequest, ReceivedRequest, RequestLog
from hevy_connector.simulator.api.shapes import refusal

APP_PREFIX = "/simulator/"
_CROSS_ORIGIN_HEADERS = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "Origin, X-Requested-With, Content-Type, Accept, api-key",
    "access-control-allow-methods": "GET, HEAD, POST, PUT",
}
_FAULT_TEXTS = {401: "InvalidApiKey", 429: "Too Many Requests"}


class Answer(NamedTuple):
    """A response and the fault for its delivery."""

    response: Response
    fault: FaultRule | None


@dataclass
class Service:
    """The state that determines every response; all of it may be changed at run time.

    `before_request` is called with each request to the API before it is processed, on the server's
    thread. It may change the account, for example to shift pages during a read.
    """

    account: Account
    api_key: str = field(repr=False)
    quirks: Quirks = LIVE
    latency_s: float = 0.0
    faults: Faults = field(default_factory=Faults)
    log: RequestLog = field(default_factory=RequestLog)
    before_request: Callable[[ReceivedRequest], object] | None = None

    def handle(self, request: Request, body: bytes) -> Answer:
        """Handle a request to the API, with faults on the service's side."""
        received = _read_request(request, body)
        if self.before_request is not None:
            self.before_request(received)
        fault = self.faults.strike(received.method, received.path)
        if fault is None:
            response = self._answer(request, body)
        else:
            response = self._answer_with_fault(fault, received, request, body)
        has_answer = fault is None or fault.kind not in ("reset", "timeout")
        status = response.status_code if has_answer else None
        self.log.add(LoggedRequest(*received, status, fault.text if fault else None))
        return Answer(response, fault)

    def handle_admin(self, request: Request, body: bytes) -> Response:
        """Handle a request on the admin path: app actions, request log, faults."""
        match request.method, request.url.path:
            case "GET", "/simulator/requests":
                return JsonAnswer(self.log.summary())
            case "GET", "/simulator/faults":
                return JsonAnswer(self.faults.texts())
            case "PUT", "/simulator/faults":
                return self._set_faults(body)
            case _:
                return self._operate(_APP_ROUTES, request, body, is_json=True)

    def _answer_with_fault(
        self, fault: FaultRule, received: ReceivedRequest, request: Request, body: bytes
    ) -> Response:
        if fault.kind == "drift":
            drift(self.account, fault.drift)
        if fault.kind == "duplicate":
            first = self._answer(request, body)
            self.log.add(LoggedRequest(*received, first.status_code, fault.text))
        carried_out = self._answer(request, body) if fault.is_carried_out else None
        if carried_out is not None and fault.kind != "status":
            return carried_out
        return _fault_response(fault)

    def _answer(self, request: Request, body: bytes) -> Response:
        if request.method == "OPTIONS":
            # A browser sends the preflight without the key.
            response = Response(status_code=204)
        elif request.headers.get("api-key") == self.api_key:
            media_type = request.headers.get("content-type", "").partition(";")[0]
            is_json = media_type.strip().lower() == "application/json"
            response = self._operate(_API_ROUTES, request, body, is_json=is_json)
        else:
            response = Response("InvalidApiKey", 401, media_type="text/html")
        response.headers.update(_CROSS_ORIGIN_HEADERS)
        return response

    def _operate(
        self, routes: Sequence["_Route"], request: Request, body: bytes, *, is_json: bool
    ) -> Response:
        found = _route(routes, request)
        if found is None:
            return self._refuse_route(routes, request)
        operation, variables = found
        call = Call(variables, query_of(request.query_params.multi_items()), body, is_json)
        try:
            return operation(self.account, self.quirks, call)
        except ApiProblem as problem:
            return refusal(problem)

    def _refuse_route(self, routes: Sequence["_Route"], request: Request) -> Response:
        text = f"Cannot {request.method} {request.url.path}"
        allowed = _methods(routes, request)
        if allowed and self.quirks.undeclared_status == "avoid":
            return PlainTextResponse(text, 405, {"allow": ", ".join(allowed)})
        return PlainTextResponse(text, 404)

    def _set_faults(self, body: bytes) -> Response:
        try:
            rules = read_json(body)
            if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
                raise ValueError("a list of rules is needed")
            self.faults.set(rules)
        except ValueError as error:
            return refusal(bad_request(str(error)))
        return JsonAnswer(self.faults.texts())


class _Route(NamedTuple):
    method: str
    pattern: re.Pattern[str]
    operation: Operation


def _routes(operations: Sequence[tuple[str, str, Operation]]) -> list[_Route]:
    """Compile the routes; as in Express, a trailing slash is ignored."""
    return [
        _Route(method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "/?"), operation)
        for method, path, operation in operations
    ]


_API_ROUTES = _routes(API_OPERATIONS)
_APP_ROUTES = _routes(APP_OPERATIONS)


def _route(
    routes: Sequence[_Route], request: Request
) -> tuple[Operation, Mapping[str, str]] | None:
    """Return the operation and its path variables; a slash within a variable is written %2F."""
    method = "GET" if request.method == "HEAD" else request.method
    for route in routes:
        match = route.pattern.fullmatch(_raw_path(request))
        if match and route.method == method:
            variables = {name: unquote(value) for name, value in match.groupdict().items()}
            return route.operation, variables
    return None


def _methods(routes: Sequence[_Route], request: Request) -> list[str]:
    """Return the methods of a request's path."""
    return [route.method for route in routes if route.pattern.fullmatch(_raw_path(request))]


def _raw_path(request: Request) -> str:
    raw_path: bytes = request.scope["raw_path"]
    return raw_path.decode("latin-1")


def _read_request(request: Request, raw_body: bytes) -> ReceivedRequest:
    try:
        body: Any = read_json(raw_body) if raw_body else None
    except ValueError:
        body = raw_body.decode(errors="replace")
    query = query_of(request.query_params.multi_items())
    return ReceivedRequest(request.method, request.scope["path"], query, body)


def _fault_response(fault: FaultRule) -> Response:
    """Return the response of a fault in place of the service's; some faults never send it."""
    response = Response(_FAULT_TEXTS.get(fault.status, ""), fault.status or 500)
    if fault.retry_after_s is not None:
        response.headers["retry-after"] = str(fault.retry_after_s)
    return response
