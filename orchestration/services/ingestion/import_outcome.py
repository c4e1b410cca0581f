"""Result of a file import as plain values, for the terminal and for JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from hevy_connector.csv_imports.alias_proposals import AliasProposal


@dataclass(frozen=True)
class RowCounts:
    """Rows of a file by result; `read` is the sum of the others.

    `loaded`: sets of new or changed workouts. `known`: sets of unchanged workouts. `in_account`:
    sets of workouts that are new as a file, but come from the Hevy account. `repeated`: exact
    copies. `attached`: rest timers and notes, which are no sets. `quarantined`: unreadable rows.
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
    """Workouts of a file, each in one of `new`, `changed`, `unchanged` and `matched`.

    A `matched` workout is in the account but in no earlier file; `in_account` counts all workouts
    that are in the account.
    """

    new: int
    changed: int
    unchanged: int
    matched: int
    in_account: int


@dataclass(frozen=True)
class Clock:
    """Offsets `shifts` between the times of a file and those of `reference`.

    `moved_count` workouts that were in no earlier file were shifted.
    """

    reference: Literal["account", "files"]
    shifts: tuple[timedelta, ...]
    is_zone_given: bool
    moved_count: int


@dataclass(frozen=True)
class NamedLine:
    """A line of the file (from 1) and the reason it is listed."""

    line: int | None
    reason: str


@dataclass(frozen=True)
class ImportOutcome:
    """Result of an import, or with `is_dry_run` of its preview.

    `flagged` rows are implausible but loaded; some may belong to known workouts. `unknown_titles`
    are titles of the file that are no exercise and no alias, with all their sets in the warehouse.
    `new_profile` is the created profile of a new athlete. With `is_refused` nothing was written,
    because no file has a readable workout of the new athlete. `unread_columns` have texts and no
    meaning.
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
    unknown_titles: tuple[AliasProposal, ...]
    new_profile: Path | None
    is_refused: bool = False
    unread_columns: tuple[str, ...] = ()

    @property
    def has_workouts(self) -> bool:
        """True if the file has a readable workout, new or known."""
        counts = self.workouts
        return bool(counts.new + counts.changed + counts.unchanged + counts.matched)

    def summary(self) -> dict[str, Any]:
        """Return the result for JSON, with complete lists."""
        return {
            "athlete": self.athlete_id,
            "dialect": self.dialect,
            "columns_unread": list(self.unread_columns),
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
