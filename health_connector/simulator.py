"""Simulated services on loopback with fake accounts, and with faults on request."""

import base64
import json
import secrets
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

Fault = Literal["busy", "error", "page", "truncate", "reset"]
"""429, 500, an HTML page with status 200, JSON that breaks off, a connection that is closed after
the request was carried out."""

SIMULATED_KEY = "simulated-intervals-key"


@dataclass(frozen=True)
class Request:
    """A request; its query and form have one value for each name."""

    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    authorization: str


@dataclass(frozen=True)
class Answer:
    """A status with JSON, or with a redirect."""

    status: int
    content: Any = None
    location: str | None = None


@dataclass
class SimulatedService(ABC):
    """A service with the faults of its next requests, and the paths that were requested."""

    faults: deque[Fault] = field(default_factory=deque)
    requests: list[str] = field(default_factory=list)
    url: str = ""

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Return the answer of the service without a fault."""


Service = TypeVar("Service", bound=SimulatedService)


@dataclass
class SimulatedIntervals(SimulatedService):
    """Intervals.icu with one account: wellness objects by day, and activities by id."""

    wellness: dict[date, dict[str, Any]] = field(default_factory=dict)
    activities: dict[str, dict[str, Any]] = field(default_factory=dict)
    api_key: str = SIMULATED_KEY

    def answer(self, request: Request) -> Answer:
        """Answer athlete/0, and its wellness and activities."""
        known = base64.b64encode(f"API_KEY:{self.api_key}".encode()).decode()
        if request.authorization != f"Basic {known}":
            return Answer(401, {"status": 401, "error": "Unauthorized"})
        if request.path == "/api/v1/athlete/0":
            return Answer(200, {"id": "i1", "name": "Simulated Athlete"})
        if request.path == "/api/v1/athlete/0/activities":
            first, last = request.query["oldest"], request.query["newest"]
            found = [
                {"id": each, **one}
                for each, one in self.activities.items()
                if first <= one["start_date_local"] <= last
            ]
            return Answer(200, sorted(found, key=lambda one: one["start_date_local"], reverse=True))
        if request.path != "/api/v1/athlete/0/wellness":
            return Answer(404, {"status": 404, "error": "Not Found", "path": request.path})
        oldest, newest = (date.fromisoformat(request.query[name]) for name in ("oldest", "newest"))
        return Answer(
            200,
            [
                {"id": day.isoformat(), "ctl": 40.5, "atl": 38.0, **values}
                for day, values in sorted(self.wellness.items())
                if oldest <= day <= newest
            ],
        )


DateMode = Literal["inclusive", "end-exclusive", "start-exclusive"]
"""The ends of a window that Oura includes: its documentation and its users disagree."""

OURA_CLIENT_ID, OURA_CLIENT_SECRET = "simulated-client", "simulated-secret"
OURA_REDIRECT_URL = "http://127.0.0.1:8730/oura"


# What every document of a collection has, by the OpenAPI description.
_OURA_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "sleep": {
        "bedtime_start": None,
        "bedtime_end": None,
        "low_battery_alert": False,
        "period": 0,
        "time_in_bed": 28_800,
    },
    "daily_readiness": {"contributors": {}, "timestamp": None, "score": None},
    "workout": {"calories": None, "distance": None, "intensity": "moderate", "source": "confirmed"},
}


@dataclass
class SimulatedOura(SimulatedService):
    """Oura with one account, its login, and single-use codes and refresh tokens.

    `documents` has the documents of each collection by id. `burnt` counts uses of a refresh token
    that was used before.
    """

    documents: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: {"sleep": {}, "daily_readiness": {}, "workout": {}}
    )
    date_mode: DateMode = "inclusive"
    page_size: int = 10
    scopes: frozenset[str] = frozenset({"daily", "workout"})
    has_membership: bool = True
    access_tokens: set[str] = field(default_factory=set)
    refresh_token: str = ""
    codes: set[str] = field(default_factory=set)
    expires_in_s: int = 86_400
    burnt: int = 0

    def answer(self, request: Request) -> Answer:
        """Answer the login, the token address, personal_info and collections of days."""
        if request.path == "/oauth/authorize":
            return self._authorize(request.query)
        if request.path == "/oauth/token":
            return self._issue(request.form)
        if request.authorization.removeprefix("Bearer ") not in self.access_tokens:
            return Answer(401, {"title": "Unauthorized", "detail": "Invalid access token."})
        if not self.has_membership:
            return Answer(403, {"title": "Forbidden", "detail": "No active membership."})
        name = request.path.removeprefix("/v2/usercollection/")
        if name == "personal_info":
            return Answer(200, {"id": "simulated-athlete"})
        if name not in _OURA_FIELDS:
            return Answer(404, {"detail": "Not Found"})
        scope = "workout" if name == "workout" else "daily"
        if scope not in self.scopes:
            text = f"Token is not authorized access {scope} scope."
            return Answer(401, {"title": "Unauthorized", "detail": text})
        return self._page(name, request.query)

    def grant(self) -> dict[str, Any]:
        """Issue tokens as after a login; the former refresh token is no longer valid."""
        access, self.refresh_token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access_tokens.add(access)
        return {
            "access_token": access,
            "refresh_token": self.refresh_token,
            "expires_in": self.expires_in_s,
            "token_type": "bearer",
            "scope": " ".join(f"extapi:{one}" for one in sorted(self.scopes)),
        }

    def _authorize(self, query: Mapping[str, str]) -> Answer:
        """Log the athlete in, who accepts at once."""
        if query.get("client_id") != OURA_CLIENT_ID or query.get("response_type") != "code":
            return Answer(400, {"detail": "invalid_request"})
        code = secrets.token_urlsafe(12)
        self.codes.add(code)
        answer = {"code": code, "state": query.get("state", "")}
        return Answer(302, location=f"{query['redirect_uri']}?{urlencode(answer)}")

    def _issue(self, form: Mapping[str, str]) -> Answer:
        if (form.get("client_id"), form.get("client_secret")) != (
            OURA_CLIENT_ID,
            OURA_CLIENT_SECRET,
        ):
            return Answer(401, {"error": "invalid_client"})
        if form.get("grant_type") == "authorization_code" and form.get("code") in self.codes:
            self.codes.discard(form["code"])
            return Answer(200, self.grant())
        if form.get("grant_type") != "refresh_token":
            return Answer(400, {"error": "invalid_grant"})
        if form.get("refresh_token") != self.refresh_token:
            self.burnt += 1
            return Answer(400, {"error": "invalid_grant"})
        self.access_tokens.clear()
        return Answer(200, self.grant())

    def _page(self, name: str, query: Mapping[str, str]) -> Answer:
        try:
            start, end = (date.fromisoformat(query[each]) for each in ("start_date", "end_date"))
            place = int(query.get("next_token", "0"))
        except (KeyError, ValueError):
            return Answer(422, {"detail": [{"loc": ["query"], "msg": "invalid", "type": "value"}]})
        start += timedelta(days=self.date_mode == "start-exclusive")
        end -= timedelta(days=self.date_mode == "end-exclusive")
        documents = sorted(
            self.documents.get(name, {}).values(), key=lambda one: (one["day"], one["id"])
        )
        found = [
            {**_OURA_FIELDS[name], **one}
            for one in documents
            if start <= date.fromisoformat(one["day"]) <= end
        ]
        following = place + self.page_size
        return Answer(
            200,
            {
                "data": found[place:following],
                "next_token": str(following) if following < len(found) else None,
            },
        )


@contextmanager
def running_service(state: Service) -> Iterator[Service]:
    """Serve a service on a free port of loopback; sets its `url`."""

    class Handler(_Handler):
        service = state

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    service: SimulatedService

    def do_GET(self) -> None:
        self._handle({})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self._handle(_single(self.rfile.read(length).decode()))

    def _handle(self, form: Mapping[str, str]) -> None:
        parts = urlsplit(self.path)
        self.service.requests.append(self.path)
        fault = self.service.faults.popleft() if self.service.faults else None
        if fault in ("busy", "error"):
            self._send(429 if fault == "busy" else 500, b'{"error": "later"}')
            return
        if fault == "page":
            self._send(200, b"<html>maintenance</html>", "text/html")
            return
        authorization = self.headers.get("authorization") or ""
        answer = self.service.answer(Request(parts.path, _single(parts.query), form, authorization))
        if fault == "reset":
            self.close_connection = True
            return
        content = b"" if answer.location else json.dumps(answer.content).encode()
        half = content[: len(content) // 2]
        self._send(answer.status, half if fault == "truncate" else content, to=answer.location)

    def _send(
        self, status: int, content: bytes, kind: str = "application/json", to: str | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        if to is not None:
            self.send_header("location", to)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: requests are in `SimulatedService.requests`."""


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
