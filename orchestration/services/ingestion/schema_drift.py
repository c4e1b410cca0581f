"""Detect new and vanished fields in Hevy's responses: the API changes without notice."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import duckdb
from pydantic import AliasChoices, BaseModel

from hevy_connector import schemas
from hevy_connector.raw.quarantine import DELETED_REASON
from hevy_connector.records import Entity

MODELS: Mapping[Entity, type[BaseModel]] = {
    "hevy_workouts": schemas.Workout,
    "hevy_routines": schemas.Routine,
    "hevy_exercise_templates": schemas.ExerciseTemplate,
    "hevy_routine_folders": schemas.RoutineFolder,
    "hevy_body_measurements": schemas.BodyMeasurement,
    "hevy_users": schemas.UserInfo,
}

_COMPARED = 300  # payloads on either side, newest first: enough, and fast
_LEAST_NEW = 5  # with fewer payloads a field may be missing by chance
_NEARLY_ALWAYS_RATIO = 0.95


@dataclass(frozen=True)
class Drift:
    """Fields by their paths, such as `exercises[].sets[].rpe`, that appeared or vanished."""

    new: tuple[str, ...]
    vanished: tuple[str, ...]


def schema_problems(con: duckdb.DuckDBPyConnection, entity: Entity, run_id: str) -> list[str]:
    """Return the changes of schema in a run's records of an entity, and its quarantined records.

    Compared with the raw rows of earlier runs, so each change is reported once.
    """
    brought = _payloads(con, entity, "run_id = $run_id", run_id)
    problems = []
    if brought:
        drift = drift_of(
            _payloads(con, entity, "run_id <> $run_id", run_id),
            brought,
            known_fields(MODELS[entity]),
        )
        if drift.new:
            problems.append(
                f"Hevy now sends {', '.join(drift.new)}: kept, but nothing reads it yet; look "
                "whether a newer Spotter does."
            )
        if drift.vanished:
            problems.append(
                f"Hevy no longer sends {', '.join(drift.vanished)}: it counts as not recorded; "
                "look whether a newer Spotter knows where it went."
            )
    rejected: list[tuple[str, int, str]] = con.execute(
        """
        select athlete_id, count(*), any_value(reason order by loaded_at) from raw.quarantine
        where entity = $1 and run_id = $2 and reason <> $3 group by athlete_id order by athlete_id
        """,
        [entity, run_id, DELETED_REASON],
    ).fetchall()
    return problems + [
        f"{athlete}: {count} could not be read and lie in raw.quarantine, such as: {reason}"
        for athlete, count, reason in rejected
    ]


def drift_of(before: Sequence[Any], brought: Sequence[Any], known: frozenset[str]) -> Drift:
    """Compare payloads with earlier ones; empty without earlier ones."""
    if not before:
        return Drift((), ())
    earlier = Counter(path for payload in before for path in fields_of(payload))
    present = {path for payload in brought for path in fields_of(payload)}
    vanished = {
        path
        for path, count in earlier.items()
        if len(brought) >= _LEAST_NEW
        and count >= len(before) * _NEARLY_ALWAYS_RATIO
        and path not in present
        and _parent(path) in {_parent(other) for other in present}
    }
    return Drift(
        new=tuple(sorted(present - set(earlier) - known)), vanished=tuple(sorted(vanished))
    )


def fields_of(payload: Any) -> frozenset[str]:
    """Return the paths of all fields of a payload, including null ones."""
    return frozenset(_walk(payload, ""))


def known_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the paths of all fields that a model reads, under each of their names."""
    return frozenset(_model_paths(model, ""))


def _walk(value: Any, prefix: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{prefix}{name}"
            yield from _walk(inner, f"{prefix}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, f"{prefix.removesuffix('.')}[].")


def _model_paths(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        others = alias.choices if isinstance(alias, AliasChoices) else ()
        for each in {name, *(other for other in others if isinstance(other, str))}:
            yield f"{prefix}{each}"
            for inner, is_many in _models_in(field.annotation):
                yield from _model_paths(inner, f"{prefix}{each}{'[]' if is_many else ''}.")


def _models_in(annotation: Any, *, is_many: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_many
        return
    is_list = get_origin(annotation) in {Sequence, list, tuple}
    for inner in get_args(annotation):
        yield from _models_in(inner, is_many=is_many or is_list)


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _payloads(con: duckdb.DuckDBPyConnection, entity: Entity, which: str, run_id: str) -> list[Any]:
    rows: Iterable[tuple[str]] = con.execute(
        f"""
        select payload from raw.{entity}
        where origin = 'api' and not is_deleted and {which}
        order by loaded_at desc limit {_COMPARED}
        """,  # noqa: S608 - our own table names
        {"run_id": run_id},
    ).fetchall()
    return [json.loads(payload) for (payload,) in rows]
