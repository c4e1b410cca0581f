"""Localized messages, rendered by Fluent with the numbers of Babel."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

DEFAULT = "en"

_REASONS = (
    "all-reps-done",
    "top-of-range",
    "add-reps",
    "repeat",
    "fell-short",
    "lighter",
    "easy-day",
    "check-in",
    "fits-time",
    "flat",
)
_CUES = (
    "same-form",
    "slow-lowering",
    "full-range",
    "press-with-intent",
    "shoulder-blades",
    "elbows-close",
    "feet-planted",
    "flat-back",
    "tight-core",
    "lead-with-elbows",
    "no-swing",
    "bar-close",
    "straight-line",
    "stop-when-form-slips",
    "smooth-reps",
    "first-set",
    "last-like-first",
    "take-your-time",
    "chest-up",
    "knees-in-line",
    "wrists-straight",
    "squeeze-at-the-top",
    "hips-back",
)

VARIABLES: Mapping[str, frozenset[str]] = {
    **{f"reason-{each}": frozenset[str]() for each in _REASONS},
    **{f"cue-{each}": frozenset[str]() for each in _CUES},
    "reason-stands-in": frozenset({"title"}),
    "fact-last-time": frozenset({"sets"}),
    "fact-planned": frozenset({"sets"}),
    "fact-target": frozenset({"counts"}),
    "fact-target-range": frozenset({"low", "high"}),
    "fact-step-up": frozenset({"step"}),
    "fact-step-down": frozenset({"step"}),
    "fact-step-same": frozenset(),
    "fact-record": frozenset({"workouts", "sets"}),
    "fact-rest": frozenset({"seconds"}),
    "fact-trend-up": frozenset({"pct"}),
    "fact-trend-down": frozenset({"pct"}),
    "fact-trend-flat": frozenset(),
    "load-kg": frozenset({"load"}),
    "load-lb": frozenset({"load"}),
    "load-bodyweight": frozenset(),
    "load-added": frozenset({"load"}),
    "load-assistance": frozenset({"load"}),
    "block": frozenset({"load", "counts"}),
    "seconds": frozenset({"seconds"}),
    "reps": frozenset({"count"}),
    "sets": frozenset({"count"}),
    "about": frozenset({"title", "text"}),
    "misses": frozenset({"workouts"}),
    "next-step": frozenset({"count"}),
    "all-targets-reached": frozenset(),
    "most-targets-reached": frozenset(),
    "keep-going": frozenset(),
    "day": frozenset({"parts"}),
    "day-up": frozenset({"count"}),
    "day-same": frozenset({"count"}),
    "day-down": frozenset({"count"}),
    "week": frozenset({"workouts"}),
}
"""Each message with its variables."""


class MessageError(LookupError):
    """A missing message, or one with an unknown variable."""


def render(language: str, message: str, **variables: str | float) -> str:
    """Return the message in the language, with English as the fallback.

    Raises:
        MessageError: there is no such message, or its variables differ.
    """
    if VARIABLES.get(message) != variables.keys():
        raise MessageError(f"{message} is not a message of {sorted(variables)}.")
    bundle = _bundle(language if language in languages() else DEFAULT)
    if not bundle.has_message(message):
        bundle = _bundle(DEFAULT)
    pattern = bundle.get_message(message).value
    if pattern is None:
        raise MessageError(f"{message} has no text.")
    text, errors = bundle.format_pattern(pattern, variables)
    if errors:
        raise MessageError(f"{message}: {errors[0]}")
    return str(text)


@cache
def languages() -> frozenset[str]:
    """Return the languages that have a file of messages."""
    return frozenset(
        each.name.removesuffix(".ftl")
        for each in files(__package__).iterdir()
        if each.name.endswith(".ftl")
    )


def source(language: str) -> str:
    """Return the content of a language's file."""
    return (files(__package__) / f"{language}.ftl").read_text(encoding="utf-8")


@cache
def _bundle(language: str) -> "FluentBundle":
    from fluent.runtime import FluentBundle, FluentResource  # most commands render nothing

    # Isolating marks are invisible characters, which do not belong in a note of another service.
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(source(language)))
    return bundle
