"""Keys never reach a table, a log or a screen: what others say is scrubbed before it is kept."""

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
    """A function that hides these keys, and whatever looks like one, in a text."""
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
    """Hides keys in what a handler writes, traceback included.

    It belongs on handlers: a filter on a logger does not see what its children log.
    """

    def __init__(self, scrub: Scrub) -> None:
        super().__init__()
        self._scrub = scrub

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through, scrubbed."""
        record.msg, record.args = self._scrub(record.getMessage()), None
        if record.exc_info:
            record.exc_text = self._scrub(logging.Formatter().formatException(record.exc_info))
        return True


@contextmanager
def keys_hidden(scrub: Scrub) -> Iterator[None]:
    """Hide keys in all that the handlers of this process write during the block."""
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
