"""Texts for athletes in their language, from one Fluent file for each language.

The current language is a context variable, as in gettext: a text is built deep in the engine, and
its language belongs to the whole plan. `in_language` sets it, `phrase` reads it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files

DEFAULT = "en"
Variable = str | int

# The start of an entry, and a reference to another one: `{ -term }`, `{ message }`.
_ENTRY = re.compile(r"^(?P<id>-?[a-zA-Z][\w-]*) *=", re.MULTILINE)
_REFERENCE = re.compile(r"\{\s*(-?[a-zA-Z][\w-]*)")

_DAYS_A_WEEK, _DAYS_A_MONTH = 7, 30.44
# Longer breaks are counted in months.
_MOST_WEEKS = 12

_CURRENT: ContextVar[str] = ContextVar("language", default=DEFAULT)


class MessageError(LookupError):
    """A missing message, or one with a missing variable."""


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Set the language of `phrase`; one without a file is English."""
    token = _CURRENT.set(language if language in languages() else DEFAULT)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_language() -> str:
    """Return the language that `phrase` uses."""
    return _CURRENT.get()


def is_default(language: str) -> bool:
    """Return whether a language is English: with `exclude_if` former values keep their bytes."""
    return language == DEFAULT


def supported(language: str) -> str:
    """Return the language if it has a file, otherwise English."""
    return language if language in languages() else DEFAULT


def phrase(message: str, **variables: Variable) -> str:
    """Return the message in the current language; whole numbers select the plural.

    Raises:
        MessageError: there is no such message, or a variable is missing.
    """
    return render(_CURRENT.get(), message, **variables)


def render(language: str, message: str, **variables: Variable) -> str:
    """Return the message in a language, with English as the fallback.

    Raises:
        MessageError: there is no such message, or a variable is missing.
    """
    return _render(supported(language), message, tuple(variables.items()))


def name_of(kind: str, name: str) -> str:
    """Return the name of a muscle group, body part or piece of equipment.

    An unknown one is returned with blanks for underscores: the lists of Hevy are open.
    """
    message = f"{kind}-{name.replace('_', '-').replace(' ', '-')}"
    if catalogue(__package__, DEFAULT).has_message(message):
        return phrase(message)
    return name.replace("_", " ")


def decimals(text: str) -> str:
    """Return a formatted number with the decimal separator of the current language."""
    return text if _CURRENT.get() == DEFAULT else text.replace(".", phrase("decimal-separator"))


def break_text(weeks: int) -> str:
    """Return the length of a break as a lifter says it: `12 weeks`, `18 months`, `1 year`."""
    if weeks <= _MOST_WEEKS:
        return phrase("break-weeks", count=weeks)
    months = round(weeks * _DAYS_A_WEEK / _DAYS_A_MONTH)
    years, more = divmod(months, 12)
    if years < 2 and (more or not years):
        return phrase("break-months", count=months)
    return phrase("break-over-years" if more else "break-years", count=years)


def join_words(items: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return phrase("list-and", items=", ".join(words[:-1]), last=words[-1])


def join_alternatives(items: Iterable[str]) -> str:
    """`a`, `a or b`, `a or b or c`."""
    text, *others = items
    for other in others:
        text = phrase("list-or", items=text, last=other)
    return text


def capitalise(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def day_text(day: date, pattern: str = "day-with-weekday") -> str:
    """Format a day in the current language; `pattern` is a message with a CLDR date pattern."""
    from babel.dates import format_date  # slow to import

    return format_date(day, phrase(pattern), locale=_CURRENT.get())


@cache
def languages() -> frozenset[str]:
    """Return the languages that have a file."""
    return languages_of(__package__)


@cache
def languages_of(package: str) -> frozenset[str]:
    """Return the languages that have a file of messages in a package."""
    return frozenset(
        each.name.removesuffix(".ftl")
        for each in files(package).iterdir()
        if each.name.endswith(".ftl")
    )


class Catalogue:
    """The messages of a language, parsed when first used: a whole file takes 0.1 s."""

    def __init__(self, language: str, source: str) -> None:
        from fluent.runtime import FluentBundle  # slow to import

        # Isolating marks are invisible characters, which do not belong in a note of another
        # service.
        self._bundle = FluentBundle([language], use_isolating=False)
        starts = [*_ENTRY.finditer(source)]
        ends = [*(entry.start() for entry in starts[1:]), len(source)]
        self._unparsed = {
            entry["id"]: source[entry.start() : end]
            for entry, end in zip(starts, ends, strict=True)
        }
        self._messages = frozenset(self._unparsed)

    def has_message(self, message: str) -> bool:
        """Return whether there is such a message."""
        return message in self._messages

    def format(self, message: str, variables: Mapping[str, str | float]) -> str:
        """Format a message.

        Raises:
            MessageError: there is no such message, or a variable is missing.
        """
        if message not in self._messages:
            raise MessageError(f"There is no message {message}.")
        self._parse(message)
        pattern = self._bundle.get_message(message).value
        if pattern is None:
            raise MessageError(f"{message} has no text.")
        text, errors = self._bundle.format_pattern(pattern, dict(variables))
        if errors:
            raise MessageError(f"{message}: {errors[0]}")
        return str(text)

    def _parse(self, entry: str) -> None:
        """Add an entry and those that it refers to."""
        from fluent.runtime import FluentResource  # slow to import

        source = self._unparsed.pop(entry, None)
        if source is not None:
            self._bundle.add_resource(FluentResource(source))
            for reference in _REFERENCE.findall(source):
                self._parse(reference)


@cache
def catalogue(package: str, language: str) -> Catalogue:
    """Read a language's messages from a package."""
    return Catalogue(language, source_of(package, language))


def source_of(package: str, language: str) -> str:
    """Return the content of a language's file in a package."""
    return (files(package) / f"{language}.ftl").read_text(encoding="utf-8")


def format_message(
    package: str, language: str, message: str, variables: Mapping[str, str | float]
) -> str:
    """Format a message of a package's catalogue, with English as the fallback.

    Raises:
        MessageError: there is no such message, or a variable is missing.
    """
    messages = catalogue(package, language)
    if not messages.has_message(message):
        messages = catalogue(package, DEFAULT)
    return messages.format(message, variables)


@lru_cache(maxsize=4096)
def _render(language: str, message: str, variables: tuple[tuple[str, Variable], ...]) -> str:
    text = format_message(__package__, language, message, dict(variables))
    # A sentence may end with an abbreviation: "8 statt 9 Wdh."
    return text if language == DEFAULT else text.replace("..", ".")
