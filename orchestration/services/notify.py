"""Sending a text to where the athlete wants it, by Apprise; a service that fails fails alone.

An address holds secrets. None of it reaches a log, an error or a table: what is told of a failure
is cleaned of every part of the address, and nobody hears the loggers of what sends.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Thread
from time import monotonic
from urllib.parse import unquote

from coach_agent.store.briefings import Notification

ANSWER_WITHIN_S = 30.0
"""A service that says nothing for so long has failed; it is tried again by the next run."""

_LOGGERS = ("apprise", "urllib3", "requests", "requests_oauthlib")
_LONGEST_DETAIL = 200
_SHORTEST_SECRET = 3
_TOKEN = re.compile(r"[A-Za-z0-9_+/=-]{20,}")
_HIDDEN = "…"


@dataclass(frozen=True)
class Message:
    """A text with its title, for services that show Markdown or make HTML of it, and for others."""

    title: str
    markdown: str
    plain: str


def send(
    destinations: Sequence[tuple[str, str | None]],
    message: Message,
    now: Callable[[], datetime],
    answer_within_s: float = ANSWER_WITHIN_S,
) -> tuple[Notification, ...]:
    """Send to all of them at once; what came of each, in their order.

    A destination is a name, and a URL of Apprise or None where it could not be put together.
    """
    found: dict[str, str | None] = {}
    _keep_to_themselves(_LOGGERS)
    deadline = monotonic() + answer_within_s
    threads = [_started(name, url, message, found) for name, url in destinations if url is not None]
    for thread in threads:
        thread.join(max(0.0, deadline - monotonic()))
    return tuple(_outcome(name, url, found, now(), answer_within_s) for name, url in destinations)


def _outcome(
    name: str,
    url: str | None,
    found: Mapping[str, str | None],
    at: datetime,
    answer_within_s: float,
) -> Notification:
    if url is None:
        variable = name.split()[-1]
        return Notification(name, "failed", f"{variable} is not set in .env.", at)
    if name not in found:
        return Notification(name, "failed", f"No answer within {answer_within_s:g} s.", at)
    problem = found[name]
    return Notification(name, "failed" if problem else "sent", problem, at)


def _started(name: str, url: str, message: Message, found: dict[str, str | None]) -> Thread:
    """A thread of its own, which no end of the program waits for: Apprise's own are waited for."""

    def work() -> None:
        try:
            found[name] = _problem_of(url, message)
        except Exception as error:  # whatever a service's code raises, it is this service's
            found[name] = without_secrets(f"{type(error).__name__}: {error}", url)

    thread = Thread(target=work, name=f"notify {name}", daemon=True)
    thread.start()
    return thread


def _problem_of(url: str, message: Message) -> str | None:
    """Why the text did not arrive, without secrets; None if it did."""
    from apprise import Apprise, AppriseAsset, NotifyFormat  # takes a third of a second

    asset = AppriseAsset(
        app_id="Spotter",
        app_desc="Spotter",
        async_mode=False,
        service_timeout=0,
        storage_mode="memory",
        pgp_autogen=False,
        pem_autogen=False,
    )
    services = Apprise(asset=asset)
    if not services.add(url):
        return "Apprise cannot use the URL: github.com/caronc/apprise/wiki has the form of each."
    is_plain = services[0].notify_format == NotifyFormat.TEXT
    result = services.notify(
        body=message.plain if is_plain else message.markdown,
        title=message.title,
        body_format=NotifyFormat.TEXT if is_plain else NotifyFormat.MARKDOWN,
    )
    if result:
        return None
    told = [entry.message for entry in result.logs()]
    return without_secrets(" ".join(told) or "The service refused it.", url)


def without_secrets(text: str, url: str) -> str:
    """A text in which no part of the URL is left, cut to what a person reads."""
    parts = {part for part in re.split(r"[:/@?&=#,;\s]+", url.partition("://")[2]) if part}
    parts |= {unquote(part) for part in parts}
    cleaned = text.replace(url, _HIDDEN)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _SHORTEST_SECRET:
            cleaned = re.sub(re.escape(part), _HIDDEN, cleaned, flags=re.IGNORECASE)
    cleaned = " ".join(_TOKEN.sub(_HIDDEN, cleaned).split())
    short = len(cleaned) <= _LONGEST_DETAIL
    return cleaned if short else f"{cleaned[: _LONGEST_DETAIL - 1]}{_HIDDEN}"


def _keep_to_themselves(names: Sequence[str]) -> None:
    """For good: also what a service says that answers too late is heard by nobody."""
    for name in names:
        logger = logging.getLogger(name)
        logger.propagate = False
        if _NOWHERE not in logger.handlers:
            logger.addHandler(_NOWHERE)


_NOWHERE = logging.NullHandler()
