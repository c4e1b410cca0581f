"""Redaction: remove keys from foreign text before it is stored, logged or shown."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import quote

Scrub = Callable[[str], str]

_HIDDEN = "***"
# A shorter text may be part of a word.
_SHORTEST_KEY = 6
_LOOKS_LIKE_A_KEY = re.compile(r"AIza[\w-]{10,}|\bsk-[\w-]{6,}|\b[Bb]earer\s+[\w.~+/=-]{8,}")


def scrubber(keys: Iterable[str]) -> Scrub:
    """Return a function that hides these keys, and anything that looks like a key, in a text."""
    known = {
        each for key in keys for each in (key, quote(key, safe="")) if len(key) >= _SHORTEST_KEY
    }
    longest_first = sorted(known, key=len, reverse=True)

    def scrub(text: str) -> str:
        for key in longest_first:
            text = text.replace(key, _HIDDEN)
        return _LOOKS_LIKE_A_KEY.sub(_HIDDEN, text)

    return scrub


class RedactSecrets(logging.Filter):
    """Hides keys in the output of a handler, traceback included.

    Attach it to handlers: a filter on a logger does not see the records of its child loggers.
    """

    def __init__(self, scrub: Scrub) -> None:
        super().__init__()
        self._scrub = scrub

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the record and let it pass."""
        record.msg, record.args = self._scrub(record.getMessage()), None
        if record.exc_info:
            record.exc_text = self._scrub(logging.Formatter().formatException(record.exc_info))
        return True


@contextmanager
def hide_keys(scrub: Scrub) -> Iterator[None]:
    """Hide keys in all output of this process's log handlers during the block."""
    handlers = [*logging.getLogger().handlers]
    if logging.lastResort is not None:
        handlers.append(logging.lastResort)
    guard = RedactSecrets(scrub)
    for handler in handlers:
        handler.addFilter(guard)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(guard)
