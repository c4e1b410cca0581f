"""The result of a check of a week: findings, and hard sets by muscle."""

from datetime import date
from typing import Literal

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
