"""Exercises and muscles by the names of the gym, for tools with typed input."""

from coach_agent.asking.question import named_exercise, named_muscles
from orchestration.services.answers.ask import known_exercises
from orchestration.services.answers.training import Exercise, Training


class NotNamedError(ValueError):
    """No or more than one exercise or muscle fits a name; the text states the next step."""


def exercise_of(training: Training, name: str) -> Exercise:
    """Return the athlete's exercise of this name.

    Raises:
        NotNamedError: none or several fit.
    """
    own, others = known_exercises(training)
    match = named_exercise(name, list(own), list(others))
    if match is None:
        raise NotNamedError(
            "No exercise of the athlete has this name. get_progress lists exercises."
        )
    if len(match.titles) > 1 or not match.is_exact:
        raise NotNamedError(f"Several exercises fit; use one title: {', '.join(match.titles[:8])}.")
    return {**others, **own}[match.titles[0]]


def muscles_of(name: str) -> tuple[str, ...]:
    """Return the muscle groups of a name.

    Raises:
        NotNamedError: it is not known.
    """
    found = named_muscles(name.replace("_", " "))
    if not found:
        raise NotNamedError(
            "This muscle is not known: use for example chest, back, legs or biceps."
        )
    return found
