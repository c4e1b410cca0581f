"""Titles of an athlete without an exercise, with a proposal for each; accepted ones are aliases."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from statistics import median

import duckdb

from hevy_connector.csv_imports.alias_proposals import (
    AliasProposal,
    CatalogueExercise,
    TitleUse,
    propose_aliases,
)
from hevy_connector.csv_imports.titles import normalised_title
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.raw.tables import known_records


def read_proposals(
    con: duckdb.DuckDBPyConnection, athlete_id: str, aliases: Mapping[str, str]
) -> tuple[AliasProposal, ...]:
    """Return a proposal for each title of the athlete's files that is no exercise and no alias.

    Loads are compared with those that the athlete lifted under a known title.
    """
    templates = [*built_in_templates(), *_own_templates(con, athlete_id)]
    known = {normalised_title(one["title"]) for one in templates}
    known |= {normalised_title(title) for title in aliases}
    loads = _loads(con, athlete_id)
    uses = [
        TitleUse(title, len(sets), _median(sets))
        for title, sets in loads.items()
        if normalised_title(title) not in known
    ]
    own = {normalised_title(title): _median(sets) for title, sets in loads.items()}
    catalogue = [
        CatalogueExercise(
            title=one["title"],
            muscles=(one["primary_muscle_group"] or "",),
            has_load="weight" in (one["type"] or "weight_reps"),
            median_kg=own.get(normalised_title(one["title"])),
            equipment=one["equipment"] or "",
        )
        for one in templates
    ]
    return propose_aliases(uses, catalogue)


def proposals_digest(proposals: Iterable[AliasProposal]) -> str:
    """Return the SHA-256 of the sure proposals, exercises by title, in hexadecimal."""
    joins = {one.title: one.exercise for one in proposals if one.is_sure}
    return sha256(json.dumps(joins, sort_keys=True).encode()).hexdigest()


def exercise_titles(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[str]:
    """Return the titles that an alias can mean: the catalogue's, and those of the workouts."""
    templates = [*built_in_templates(), *_own_templates(con, athlete_id)]
    return [*(one["title"] for one in templates), *_loads(con, athlete_id)]


def _own_templates(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[dict[str, str]]:
    rows = con.execute(
        f"select payload from ({known_records('hevy_exercise_templates')})",  # noqa: S608
        {"athlete_id": athlete_id},
    ).fetchall()
    return [
        {
            **{key: payload.get(key) or "" for key in ("title", "primary_muscle_group", "type")},
            "equipment": payload.get("equipment") or payload.get("equipment_category") or "",
        }
        for (text,) in rows
        for payload in (json.loads(text),)
    ]


def _loads(con: duckdb.DuckDBPyConnection, athlete_id: str) -> dict[str, list[float | None]]:
    """Return the weight of each set by title, in kilograms."""
    rows = con.execute(
        f"select payload from ({known_records('hevy_workouts')}) where not is_deleted",  # noqa: S608
        {"athlete_id": athlete_id},
    ).fetchall()
    loads: dict[str, list[float | None]] = {}
    for (payload,) in rows:
        for exercise in json.loads(payload)["exercises"] or ():
            weights = [one.get("weight_kg") for one in exercise["sets"] or ()]
            loads.setdefault(" ".join(exercise["title"].split()), []).extend(weights)
    return loads


def _median(weights: Iterable[float | None]) -> float | None:
    lifted = [weight for weight in weights if weight]
    return median(lifted) if lifted else None
