"""Send a text to an athlete's destinations by Apprise; failures are isolated by destination.

An address contains secrets. They never reach a log, an error or a table: failure messages are
cleaned of every part of the address, and the loggers of the sending libraries are silenced.
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
"""A service without an answer for this long has failed; the next run retries."""

_LOGGERS = ("apprise", "urllib3", "requests", "requests_oauthlib")
_LONGEST_DETAIL = 200
_SHORTEST_SECRET = 3
_TOKEN = re.compile(r"[A-Za-z0-9_+/=-]{20,}")
_HIDDEN = "…"


@dataclass(frozen=True)
class Message:
    """A text with its title, as Markdown and as plain text."""

    title: str
    markdown: str
    plain: str


def send(
    destinations: Sequence[tuple[str, str | None]],
    message: Message,
    now: Callable[[], datetime],
    answer_within_s: float = ANSWER_WITHIN_S,
) -> tuple[Notification, ...]:
    """Send to all destinations concurrently; return their results in order.

    A destination is a name and an Apprise URL, or None if the URL could not be built.
    """
    found: dict[str, str | None] = {}
    _silence(_LOGGERS)
    deadline = monotonic() + answer_within_s
    threads = [
        _start_thread(name, url, message, found) for name, url in destinations if url is not None
    ]
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


def _start_thread(name: str, url: str, message: Message, found: dict[str, str | None]) -> Thread:
    """Start a daemon thread: unlike Apprise's own threads, it does not block exit."""

    def work() -> None:
        try:
            found[name] = _problem_of(url, message)
        except Exception as error:  # any error of a service's code is isolated to it
            found[name] = without_secrets(f"{type(error).__name__}: {error}", url)

    thread = Thread(target=work, name=f"notify {name}", daemon=True)
    thread.start()
    return thread


def _problem_of(url: str, message: Message) -> str | None:
    """Return the reason for a failed delivery, without secrets; None on success."""
    from apprise import Apprise, AppriseAsset, NotifyFormat  # import takes 0.3 s

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
    """Return a text without any part of the URL, truncated."""
    parts = {part for part in re.split(r"[:/@?&=#,;\s]+", url.partition("://")[2]) if part}
    parts |= {unquote(part) for part in parts}
    cleaned = text.replace(url, _HIDDEN)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _SHORTEST_SECRET:
            cleaned = re.sub(re.escape(part), _HIDDEN, cleaned, flags=re.IGNORECASE)
    cleaned = " ".join(_TOKEN.sub(_HIDDEN, cleaned).split())
    short = len(cleaned) <= _LONGEST_DETAIL
    return cleaned if short else f"{cleaned[: _LONGEST_DETAIL - 1]}{_HIDDEN}"


def _silence(names: Sequence[str]) -> None:
    """Silence loggers permanently: a late answer of a service must not be logged either."""
    for name in names:
        logger = logging.getLogger(name)
        logger.propagate = False
        if _NOWHERE not in logger.handlers:
            logger.addHandler(_NOWHERE)


_NOWHERE = logging.NullHandler()
