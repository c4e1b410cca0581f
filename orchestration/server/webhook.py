"""Hevy's webhook: stores a delivery immediately and leaves the run to Dagster.

The same service also answers requests for the next set.

It uses plain HTTP: put a reverse proxy with TLS in front of it.
"""

import asyncio
import hmac
import logging
import secrets
import socket
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from threading import Thread
from typing import Annotated

import uvicorn
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hevy_connector.request_guard import RequestGuard
from orchestration.config.athletes import configured_athletes
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.dagster_history import dagster_instance
from orchestration.server.limited_connection import LimitedConnection
from orchestration.server.next_set import next_set_route
from orchestration.server.request_body import read_body
from orchestration.services.ingestion.webhook_events import record_delivery
from orchestration.services.planning.day import day_of

# Hevy waits 5 s for an answer, including the network.
_TIMEOUT_S = 4.0
_LARGEST_HEADERS_BYTES = 16 * 1024

_log = logging.getLogger(__name__)

Record = Callable[[str, str], None]
"""Stores a delivery: the ids of athlete and workout."""


class Notice(BaseModel):
    """The body of a delivery, in the current format or with the `payload` envelope of 2025."""

    model_config = ConfigDict(frozen=True)

    workout_id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{1,64}$")] = Field(
        validation_alias=AliasChoices("workoutId", AliasPath("payload", "workoutId"))
    )


@dataclass(frozen=True)
class Addressees:
    """The athletes with deliveries, each with a token; `problems` are errors of the others."""

    tokens: Mapping[str, str] = field(repr=False)
    problems: tuple[str, ...]


@dataclass(frozen=True)
class RunningWebhook:
    """A webhook that listens at `url`; `thread` ends with it."""

    url: str
    is_loopback: bool
    addressees: Addressees
    thread: Thread

    @property
    def text(self) -> str:
        """Return the webhook URL of each athlete and notes, one line each."""
        lines = [
            f"Hevy's webhook of {athlete_id}: {self.url}/hevy/{athlete_id}"
            for athlete_id in self.addressees.tokens
        ]
        lines += self.addressees.problems
        if not self.is_loopback:
            lines.append(
                "Other machines can reach this, and it is plain HTTP: let them through a reverse "
                "proxy with TLS only."
            )
        return "\n".join(lines)


def read_addressees(settings: Settings) -> Addressees:
    """Return all athletes with an account and a token.

    Raises:
        SettingsError: no athlete has a token.
        ProfileError: a profile is unusable.
    """
    tokens: dict[str, str] = {}
    problems: list[str] = []
    for athlete in configured_athletes(settings):
        if athlete.hevy.account == "none":
            continue
        try:
            tokens[athlete.id] = settings.webhook_token(athlete.hevy.webhook_token_env)
        except SettingsError as error:
            problems.append(f"No webhook for {athlete.id}: {error}")
    if not tokens:
        raise SettingsError("\n".join(problems) or "No athlete has a Hevy account.")
    return Addressees(tokens, tuple(problems))


def create_app(
    tokens: Mapping[str, str],
    record: Record,
    *,
    routes: Sequence[Route] = (),
    timeout_s: float = _TIMEOUT_S,
) -> Starlette:
    """Return the webhook as an ASGI application; `tokens` are expected from Hevy, by athlete.

    `routes` come before its own catch-all route.

    Answers 200 once the delivery is stored. A wrong token gets 401 without any information on
    existing athletes, and the body is not read. A delivery that could not be stored within
    `timeout_s` gets 503, and Hevy repeats it.
    """
    nobodys_token = secrets.token_urlsafe()

    async def receive(request: Request) -> Response:
        athlete_id = addressee(request.path_params["path"], tokens)
        # A dummy token is compared for unknown athletes, so that response times reveal nothing.
        token = nobodys_token if athlete_id is None else tokens[athlete_id]
        offered = request.headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(offered, token.encode()) or athlete_id is None:
            raise HTTPException(401, "Not authorized.")
        try:
            async with asyncio.timeout(timeout_s):
                notice = _read_notice(await read_body(request))
                await asyncio.to_thread(record, athlete_id, notice.workout_id)
        except (SQLAlchemyError, OSError, ClientDisconnect) as error:
            _log.warning("A delivery for %s was not kept: %s", athlete_id, _in_short(error))
            raise HTTPException(503, "Could not be kept; deliver it again.") from error
        return PlainTextResponse("Kept; a sync follows.")

    return Starlette(routes=[*routes, Route("/{path:path}", receive, methods=["POST"])])


def addressee(path: str, athletes: Collection[str]) -> str | None:
    """Return the athlete of a path without its first slash: `hevy/<id>`, or the only athlete."""
    match path.rstrip("/").split("/"):
        case ["hevy", athlete_id] if athlete_id in athletes:
            return athlete_id
        case [""] | ["hevy"] if len(athletes) == 1:
            return next(iter(athletes))
    return None


@contextmanager
def running_webhook(
    settings: Settings, *, port: int, host: str = "127.0.0.1"
) -> Iterator[RunningWebhook]:
    """Serve the webhook of this home from a thread; port 0 selects a free one.

    Raises:
        SettingsError: no athlete has a token, or the address cannot be used.
        ProfileError: a profile is unusable.
    """
    addressees = read_addressees(settings)
    profiles = {athlete.id: athlete for athlete in configured_athletes(settings)}
    with _listen(host, port) as listener, dagster_instance(settings) as instance:
        app = create_app(
            addressees.tokens,
            partial(record_delivery, instance),
            routes=[
                next_set_route(addressees.tokens, profiles, partial(day_of, settings.warehouse))
            ],
        )
        server = webhook_server(RequestGuard(app, settings.allowed_hosts))
        thread = Thread(target=server.run, args=([listener],), name="hevy-webhook")
        thread.start()
        try:
            address, taken_port = listener.getsockname()[:2]
            yield RunningWebhook(
                url=f"http://{f'[{address}]' if ':' in address else address}:{taken_port}",
                is_loopback=ip_address(address).is_loopback,
                addressees=addressees,
                thread=thread,
            )
        finally:
            server.should_exit = True
            thread.join()


def webhook_server(
    app: ASGIApp, connection: type[LimitedConnection] = LimitedConnection
) -> uvicorn.Server:
    """Return a server with limits on the number, duration and header size of connections."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=connection,
            # Accepted concurrently before the oldest is closed.
            backlog=2 * connection.most,
            h11_max_incomplete_event_size=_LARGEST_HEADERS_BYTES,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise SettingsError(f"{host}, port {port} cannot be used: {error.strerror}.") from error


def _read_notice(body: bytes) -> Notice:
    try:
        return Notice.model_validate_json(body)
    except ValidationError as error:
        raise HTTPException(400, 'The body must be JSON like {"workoutId": "<id>"}.') from error


def _in_short(error: Exception) -> str:
    """Return the first line of an error, without the SQL and values that a database appends."""
    return f"{type(error).__name__}: {error}".splitlines()[0].rstrip(": ")
