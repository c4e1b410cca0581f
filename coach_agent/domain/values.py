import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A value of the coach: never changed, without unknown fields, NaN or infinity."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def canonical_json(value: BaseModel, *, without: set[str] | None = None) -> bytes:
    """The value as UTF-8 JSON with sorted keys, so that equal values have equal bytes.

    Fields of it named in `without` are left out.

    Raises:
        ValueError: the value holds NaN or infinity, which JSON cannot.
    """
    return json.dumps(
        value.model_dump(mode="json", exclude=without),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    ).encode()


def naive_utc(moment: datetime) -> datetime:
    """An aware time as the tables of the coach keep it: UTC, without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def by_athlete(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows that begin with the athlete's id and are ordered by it, without it and by it."""
    return {
        athlete_id: [row[1:] for row in own]
        for athlete_id, own in groupby(rows, key=lambda row: row[0])
    }
