"""What an import of a file did, as plain values: for the terminal and for JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from hevy_connector.csv_imports.titles import UnknownTitle


@dataclass(frozen=True)
class RowCounts:
    """The rows of a file; `read` is the sum of the others.

    `loaded`: sets of workouts that are new or changed. `known`: of workouts known just so.
    `in_account`: of workouts new here that the Hevy account has, and that count from there.
    `repeated`: exact copies. `attached`: rest timers and notes, that are no sets.
    `quarantined`: could not be read.
    """

    read: int
    loaded: int
    known: int
    in_account: int
    repeated: int
    attached: int
    quarantined: int


@dataclass(frozen=True)
class WorkoutCounts:
    """The workouts of a file, each in one of `new`, `changed`, `unchanged` and `matched`.

    A `matched` one is not known from a file but in the account; `in_account` counts all that are.
    """

    new: int
    changed: int
    unchanged: int
    matched: int
    in_account: int


@dataclass(frozen=True)
class Clock:
    """How the times of a file differ from those of `reference`, by each of `shifts`.

    `moved_count` workouts that no earlier file had were moved by them.
    """

    reference: Literal["account", "files"]
    shifts: tuple[timedelta, ...]
    is_zone_given: bool
    moved_count: int


@dataclass(frozen=True)
class NamedLine:
    """A line of the file (from 1) and what is to be said of it."""

    line: int | None
    reason: str


@dataclass(frozen=True)
class ImportOutcome:
    """What an import did, or with `is_dry_run` would do.

    `flagged` rows are odd and loaded as they are; some may belong to workouts that were known.
    `unknown_titles` are neither in the athlete's catalogue nor in that of every account.
    `new_profile` is the file of an athlete who had none.
    """

    athlete_id: str
    dialect: str
    timezone: str
    is_dry_run: bool
    rows: RowCounts
    workouts: WorkoutCounts
    clock: Clock
    quarantined: Sequence[NamedLine]
    newly_quarantined_count: int
    repeated: Sequence[NamedLine]
    flagged: Sequence[NamedLine]
    unknown_titles: tuple[UnknownTitle, ...]
    new_profile: Path | None

    def summary(self) -> dict[str, Any]:
        """The same as JSON, every list complete."""
        return {
            "athlete": self.athlete_id,
            "dialect": self.dialect,
            "timezone": self.timezone,
            "dry_run": self.is_dry_run,
            "rows": asdict(self.rows),
            "rows_quarantined": _lines(self.quarantined),
            "rows_newly_quarantined": self.newly_quarantined_count,
            "rows_repeated": _lines(self.repeated),
            "rows_flagged": _lines(self.flagged),
            "workouts": asdict(self.workouts),
            "workouts_moved": self.clock.moved_count,
            "hours_ahead": {
                "of": self.clock.reference,
                "hours": [shift / timedelta(hours=1) for shift in self.clock.shifts],
            },
            "titles_without_template": [asdict(title) for title in self.unknown_titles],
            "new_profile": None if self.new_profile is None else str(self.new_profile),
        }


def _lines(named: Sequence[NamedLine]) -> list[dict[str, Any]]:
    return [asdict(one) for one in named]
