"""App-independent values of export rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.records import Rejected
from hevy_connector.schemas import SetType

UNTITLED = "Workout"
"""Title of the workouts of a file without titles."""


@dataclass(frozen=True, slots=True)
class Head:
    """Workout fields of a row; rows with the same `key` belong to one workout.

    `written` are its times as text, in the phone's zone: after a correction of the zone it is the
    same workout. `end_at` is None if the file lacks it.
    """

    title: str
    written: tuple[str | int | None, ...]
    start_at: datetime
    end_at: datetime | None

    @property
    def key(self) -> tuple[str | int | None, ...]:
        """Key that identifies this workout within the file."""
        return (*self.written, self.title)


@dataclass(frozen=True, slots=True)
class SetRow:
    """One performed set. `values` are its fields as in the API.

    `number` is its position as the file counts, None if the file has a letter instead (Strong's W,
    F and D); `takes_number` is false for those that the count omits (W). `attached` are the lines
    of further rows that were merged into it.
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
        """Physical line of its beginning."""
        return self.row.line

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything except the position in the file: copies compare equal."""
        return (
            self.exercise_title,
            self.notes,
            self.description,
            self.superset_id,
            self.number,
            self.values,
        )


@dataclass(frozen=True, slots=True)
class Annotation:
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
        """Physical line of its beginning."""
        return self.row.line


@dataclass(frozen=True)
class Repeated:
    """A row that was removed as an exact copy, alone or as part of a whole workout."""

    line: int
    reason: str


@dataclass(frozen=True)
class Flag:
    """A loaded value that is implausible."""

    line: int
    reason: str


def reject_row(row: CsvRow, reason: str) -> Rejected:
    """Build a rejection for quarantine; `reason` has no line number and no full stop."""
    return Rejected(f"Line {row.line}: {reason}.", row.text, source_line=row.line)


def set_values(
    set_type: SetType,
    weight_kg: float | None,
    reps: int | None,
    distance_m: float | None,
    duration_s: int | None,
    rpe: float | None = None,
) -> Mapping[str, Any]:
    """Return the values of a set, for apps that write 0 for a missing value.

    0 repetitions are a failed attempt only if there is a weight and no time or distance.
    """
    is_failed_attempt = reps == 0 and weight_kg and not (duration_s or distance_m)
    return {
        "type": set_type,
        "weight_kg": weight_kg,
        "reps": reps if is_failed_attempt else reps or None,
        "distance_meters": distance_m,
        "duration_seconds": duration_s,
        "rpe": rpe,
        "custom_metric": None,
    }
