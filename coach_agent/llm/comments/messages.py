"""Localized messages, rendered by Fluent with the numbers of Babel."""

from collections.abc import Mapping

from coach_agent.language.messages import (
    DEFAULT,
    MessageError,
    format_message,
    languages_of,
    source_of,
)

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


def render(language: str, message: str, **variables: str | float) -> str:
    """Return the message in the language, with English as the fallback.

    Raises:
        MessageError: there is no such message, or its variables differ.
    """
    if VARIABLES.get(message) != variables.keys():
        raise MessageError(f"{message} is not a message of {sorted(variables)}.")
    chosen = language if language in languages() else DEFAULT
    return format_message(__package__, chosen, message, variables)


def languages() -> frozenset[str]:
    """Return the languages that have a file of messages."""
    return languages_of(__package__)


def source(language: str) -> str:
    """Return the content of a language's file."""
    return source_of(__package__, language)
