"""Hevy's built-in exercises by title, from a local list."""

from functools import cache

from coach_agent.domain.titles import normalize_title
from coach_agent.planning.between_sets import ExerciseFacts
from coach_agent.programmes.catalogue import Catalogue, catalogue_of
from hevy_connector.exercise_templates import built_in_templates


def built_in_exercise(title: str) -> ExerciseFacts | None:
    """Return the exercise with this title, ignoring case and blanks; None for a custom exercise."""
    return _by_title().get(normalize_title(title))


def built_in_titles() -> tuple[str, ...]:
    """Return the titles of all built-in exercises."""
    return tuple(facts.title for facts in _by_title().values())


@cache
def _by_title() -> dict[str, ExerciseFacts]:
    return {
        normalize_title(template["title"]): ExerciseFacts(
            title=template["title"],
            exercise_type=template["type"],
            equipment=template["equipment"],
            primary_muscle_group=template["primary_muscle_group"],
            secondary_muscle_groups=tuple(template["secondary_muscle_groups"]),
        )
        for template in built_in_templates()
    }


@cache
def programme_catalogue() -> Catalogue:
    """Return Hevy's built-in exercises as programmes need them."""
    return catalogue_of(built_in_templates())
