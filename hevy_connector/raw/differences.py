"""Differences that one sync found, by record and field.

They are derived from the raw tables: a row of the sync compared with the record's previous row.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import duckdb

from hevy_connector.records import ENTITIES, Entity

Kind = Literal["new", "changed", "deleted", "returned"]

_TITLES = ("title", "username", "date")
_ABSENT = object()


@dataclass(frozen=True)
class FieldDifference:
    """One changed field, named like `exercises[0].sets[1].reps`; None if it was or is absent."""

    path: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Difference:
    """One record that differs from its known state; `fields` only if it was changed."""

    athlete_id: str
    entity: Entity
    record_id: str
    title: str
    kind: Kind
    fields: tuple[FieldDifference, ...] = ()

    def summary(self) -> dict[str, Any]:
        """Return the difference as plain values."""
        return {
            "athlete": self.athlete_id,
            "entity": self.entity,
            "record": self.record_id,
            "title": self.title,
            "kind": self.kind,
            "fields": [vars(field) for field in self.fields],
        }


def read_differences(con: duckdb.DuckDBPyConnection, run_id: str) -> list[Difference]:
    """Return all records that a run found new, changed, deleted or restored."""
    return [
        difference
        for entity in ENTITIES
        if entity != "athlete_profiles"
        for difference in _of_entity(con, entity, run_id)
    ]


def _of_entity(con: duckdb.DuckDBPyConnection, entity: Entity, run_id: str) -> Iterator[Difference]:
    rows = con.execute(
        f"""
        with touched as (
            select distinct athlete_id, record_id
            from raw.{entity}
            where run_id = $1
        ),
        versions as (
            select
                *,
                lag(payload) over record as payload_before,
                lag(is_deleted) over record as was_deleted
            from raw.{entity}
            semi join touched using (athlete_id, record_id)
            window record as (partition by athlete_id, record_id order by loaded_at)
        )
        select athlete_id, record_id, payload, is_deleted, payload_before, was_deleted
        from versions
        where run_id = $1 and origin <> 'csv'
        order by athlete_id, record_id, loaded_at
        """,
        [run_id],
    ).fetchall()
    for athlete_id, record_id, payload, is_deleted, before, was_deleted in rows:
        after = json.loads(payload)
        title = next((str(after[name]) for name in _TITLES if after.get(name)), record_id)
        kind = _kind(is_deleted=is_deleted, was_deleted=was_deleted)
        fields = tuple(field_differences(json.loads(before), after)) if kind == "changed" else ()
        yield Difference(athlete_id, entity, record_id, title, kind, fields)


def _kind(*, is_deleted: bool, was_deleted: bool | None) -> Kind:
    if is_deleted:
        return "deleted"
    if was_deleted is None:
        return "new"
    return "returned" if was_deleted else "changed"


def field_differences(before: Any, after: Any, path: str = "") -> Iterator[FieldDifference]:
    """Yield the fields in which two JSON values differ; list items are compared by position."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before | after:
            inner = f"{path}.{name}" if path else name
            yield from field_differences(before.get(name, _ABSENT), after.get(name, _ABSENT), inner)
    elif isinstance(before, list) and isinstance(after, list):
        for place in range(max(len(before), len(after))):
            item_before, item_after = (
                items[place] if place < len(items) else _ABSENT for items in (before, after)
            )
            yield from field_differences(item_before, item_after, f"{path}[{place}]")
    elif before is not after and before != after:
        yield FieldDifference(path, _or_none(before), _or_none(after))


def _or_none(value: Any) -> Any:
    return None if value is _ABSENT else value
