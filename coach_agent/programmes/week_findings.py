"""The result of a check of a week, and the weeks of the programme around it."""

from datetime import date
from typing import Literal

from coach_agent.domain.block import Phase
from coach_agent.domain.values import Value

Kind = Literal[
    "skipped",
    "moved",
    "too_close",
    "shortened",
    "swapped",
    "added",
    "removed",
    "reordered",
    "deleted",
]
Verdict = Literal["fine", "caution", "advise_against"]
Action = Literal["go_on", "move", "merge", "drop"]


class Finding(Value):
    """A difference from the programme: verdict, reason for people, and what to do."""

    kind: Kind
    verdict: Verdict
    subject: str
    text: str
    action: Action


class MuscleWeekEffect(Value):
    """Weekly hard sets of a muscle: planned by the programme, done, and expected by its end."""

    muscle: str
    planned: float
    done: float
    expected: float
    low: int
    high: int
    verdict: Verdict


class WeekCheck(Value):
    """The check of a week, from 1 of `weeks`, from `begins` to `ends`.

    `remaining` are the sessions left, in their order. `verdict` is the strictest one.
    """

    programme: str
    week: int
    weeks: int
    begins: date
    ends: date
    verdict: Verdict
    done: tuple[str, ...]
    remaining: tuple[str, ...]
    findings: tuple[Finding, ...]
    muscles: tuple[MuscleWeekEffect, ...]


class WeekOutline(Value):
    """A week of a programme: its phase, working sets of all sessions, and effort.

    `sets` is null where the week has days without a routine. The reserves are the least and the
    most repetitions to leave in reserve, null where no exercise states any. `load_ratio` is the
    least share of the usual loads in an easy week, null in others.
    """

    phase: Phase | None
    sets: int | None
    least_reserve: float | None
    most_reserve: float | None
    load_ratio: float | None = None


class FollowedWeek(Value):
    """The programme that an athlete follows: its weeks, and the check of the present one.

    `cycle_from` is as in `BlockCalendar`. `check` is null before the start and after the end.
    """

    title: str
    start: date
    weeks: tuple[WeekOutline, ...]
    cycle_from: int | None
    is_over: bool
    check: WeekCheck | None

    @property
    def has_easy_weeks(self) -> bool:
        """True if the programme plans its own easy weeks."""
        return any(each.phase == "deload" for each in self.weeks)
