import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable value of the coach, without unknown fields, NaN or infinity."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def __eq__(self, other: object) -> bool:
        """Compare the fields first: pydantic's own comparison takes several times as long."""
        if type(self) is type(other) and self.__dict__ == other.__dict__:
            return True
        return super().__eq__(other)


def canonical_json(value: BaseModel, *, without: set[str] | None = None) -> bytes:
    """Serialize the value as UTF-8 JSON with sorted keys, so that equal values have equal bytes.

    Fields named in `without` are excluded.

    Raises:
        ValueError: the value holds NaN or infinity, which JSON cannot represent.
    """
    return json.dumps(
        value.model_dump(mode="json", exclude=without),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
        check_circular=False,
    ).encode()


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


StoredTime = Annotated[datetime, AfterValidator(_in_utc)]
"""A time in UTC, also in the form of the warehouse's own JSON: `2026-03-04 17:02:11`."""


def is_null(value: object) -> bool:
    """Return whether a field is null: with `exclude_if` former values keep their bytes."""
    return value is None


def naive_utc(moment: datetime) -> datetime:
    """Convert an aware time to UTC without a zone, the format of the coach's tables."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def by_athlete(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    """Group rows by their first column, the athlete's id, and drop it; rows are ordered by it."""
    return {
        athlete_id: [row[1:] for row in own]
        for athlete_id, own in groupby(rows, key=lambda row: row[0])
    }
