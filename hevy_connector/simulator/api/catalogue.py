"""The exercise templates of every account."""

import csv
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from hevy_connector.simulator.api.records import Json, template_record


@cache
def built_in_templates() -> tuple[Json, ...]:
    """Return all built-in templates in their read format.

    Source: ids, titles and muscles as served by Hevy API v1, GET exercise_templates, state of
    January 2026.
    """
    text = files(__package__).joinpath("exercise_templates.csv").read_text(encoding="utf-8")
    return tuple(
        template_record(
            row["id"],
            title=row["title"],
            type=row["type"],
            primary_muscle_group=row["primary_muscle_group"],
            secondary_muscle_groups=row["secondary_muscle_groups"].split(),
            equipment=row["equipment"],
            is_custom=False,
        )
        for row in csv.DictReader(text.splitlines())
    )


def in_service_order(templates: Iterable[Json]) -> list[Json]:
    """Sort by title, ignoring case, punctuation and spaces: "Boxing" comes before "Box Jump"."""
    return sorted(templates, key=lambda template: (_letters(template["title"]), template["id"]))


def _letters(title: str) -> str:
    return "".join(character for character in title.casefold() if character.isalnum())
