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
        """Compare the fields first: pydantic's own comparison takes several times as long.

        It is only needed if one of them holds more than its fields, such as a cached property.
        """
        if type(self) is type(other):
            mine, others = self.__dict__, other.__dict__
            if mine == others:
                return True
            if mine.keys() == others.keys():
                return False
        return super().__eq__(other)


class SameObjects:
    """Objects as a key of a cache, equal only for the same objects.

    To compare equal values may take as long as to compute the result. The key holds the objects, so
    that no identity is reused.
    """

    def __init__(self, *held: Any) -> None:
        self.held = held
        self._key = tuple(map(id, held))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObjects) and self._key == other._key


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
