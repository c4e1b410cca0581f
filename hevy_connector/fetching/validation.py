"""Validate payloads of the API: each becomes a record or a rejection with its reason."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from hevy_connector.canonical_json import canonical_json
from hevy_connector.plausible import implausible_start
from hevy_connector.records import Entity, FetchResult, Record, Rejected
from hevy_connector.schemas import JsonObject, ReadModel, Workout


def full_snapshot(
    entity: Entity,
    payloads: Iterable[JsonObject],
    model: type[ReadModel],
    *,
    identity: str = "id",
) -> FetchResult:
    """Validate a complete list; the last of several payloads with one id counts."""
    records: dict[str, Record] = {}
    rejected: dict[tuple[str | None, str], Rejected] = {}
    for payload in payloads:
        outcome = validate(payload, model, identity)
        if isinstance(outcome, Record):
            records[outcome.record_id] = outcome
        else:
            rejected[outcome.record_id, outcome.payload] = outcome
    return FetchResult(entity, tuple(records.values()), tuple(rejected.values()), is_complete=True)


def validate(
    payload: JsonObject, model: type[ReadModel], identity: str = "id"
) -> Record | Rejected:
    """Validate a payload; return the record to land or the rejection with the reason."""
    try:
        text = canonical_json(payload)
        # Validates the text, not the object: the text is what is stored, and it is faster.
        parsed = model.model_validate_json(text)
        if isinstance(parsed, Workout):
            written_at = parsed.updated_at or parsed.created_at or datetime.now(UTC)
            if reason := implausible_start(parsed.start_time, written_at):
                raise ValueError(reason)
        return Record(str(payload[identity]), text, getattr(parsed, "updated_at", None))
    except ValueError as error:
        known = payload.get(identity)
        return reject(payload, error, known if isinstance(known, str | int) else None)


def reject(payload: Mapping[str, Any], error: ValueError, record_id: Any) -> Rejected:
    """Return the payload as rejected with its first error."""
    try:
        text = json.dumps(
            payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str
        )
    except RecursionError:
        text = f"nested too deeply to be written; its fields: {', '.join(payload)}"
    return Rejected(
        reason=_reason(error),
        payload=text,
        record_id=None if record_id is None else str(record_id),
    )


def _reason(error: ValueError) -> str:
    """Return the first validation error of a record, with its path if a model found it."""
    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
