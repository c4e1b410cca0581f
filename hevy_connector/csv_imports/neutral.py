"""The rows of an export as values that know nothing of the app that wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.raw.quarantine import Rejected


@dataclass(frozen=True, slots=True)
class Head:
    """What a row says of its workout; rows with the same `key` are of one workout.

    `written` is what the file says of its times, in the phone's own zone: read again with the
    zone corrected it is the same workout. `end_at` is None where the file does not tell it.
    """

    title: str
    written: tuple[str | int | None, ...]
    start_at: datetime
    end_at: datetime | None

    @property
    def key(self) -> tuple[str | int | None, ...]:
        """What tells this workout from the others of the file."""
        return (*self.written, self.title)


@dataclass(frozen=True, slots=True)
class SetRow:
    """One performed set. `values` are its fields as in the API.

    `number` is its position as the file counts, None where a letter stands instead (Strong's W, F
    and D); `takes_number` is false for those that the count leaves out (W). `attached` are the
    lines of further rows whose content it carries.
    """

    row: CsvRow
    head: Head
    description: str
    exercise_title: str
    notes: str
    superset_id: int | None
    number: int | None
    takes_number: bool
    values: Mapping[str, Any]
    rest_s: int | None = None
    attached: tuple[int, ...] = ()

    @property
    def line(self) -> int:
        """The physical line on which it begins."""
        return self.row.line

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything but the place in the file: copies are equal in it."""
        return (
            self.exercise_title,
            self.notes,
            self.description,
            self.superset_id,
            self.number,
            self.values,
        )


@dataclass(frozen=True, slots=True)
class Aside:
    """A row that is no set: the rest after the set before it, or a note on the exercise after it.

    `rest_s` is None on a note.
    """

    row: CsvRow
    head: Head
    exercise_title: str
    rest_s: int | None
    notes: str
    is_note: bool

    @property
    def line(self) -> int:
        """The physical line on which it begins."""
        return self.row.line


@dataclass(frozen=True)
class Repeated:
    """A row that was set aside as an exact copy, by itself or as part of a whole workout."""

    line: int
    reason: str


@dataclass(frozen=True)
class Flag:
    """Something that was loaded as it is, but can hardly be true."""

    line: int
    reason: str


def rejected(row: CsvRow, reason: str) -> Rejected:
    """A row for quarantine; `reason` is told without line and full stop."""
    return Rejected(f"Line {row.line}: {reason}.", row.text, source_line=row.line)
