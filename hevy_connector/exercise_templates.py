"""Hevy's built-in exercise templates, which every account has."""

import csv
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def built_in_templates() -> tuple[dict[str, Any], ...]:
    """Return all built-in templates in their read format.

    Source: ids, titles and muscles as served by Hevy API v1, GET exercise_templates, state of
    January 2026.
    """
    text = files(__package__).joinpath("exercise_templates.csv").read_text(encoding="utf-8")
    return tuple(
        {
            **row,
            "secondary_muscle_groups": row["secondary_muscle_groups"].split(),
            "is_custom": False,
            "thumbnail_url": None,
        }
        for row in csv.DictReader(text.splitlines())
    )


def built_in_title(template_id: str) -> str | None:
    """Return the English title of a built-in exercise; None for any other id."""
    return _titles().get(template_id)


@cache
def _titles() -> dict[str, str]:
    return {one["id"]: one["title"] for one in built_in_templates()}
