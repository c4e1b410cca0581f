"""Recovery of a day that is worse than usual, as input of a plan that may hold or reduce."""

from datetime import date, timedelta
from typing import Literal

from coach_agent.domain.values import Value

KNOWN_FOR = timedelta(days=1)
"""Age of a day that still counts: the night to today is often not read yet when a plan is made."""


RECOVERY_RULE = "readiness_recovery"
"""Rule of an adjustment by lowered recovery; its text has the signals."""


class WorseSignal(Value):
    """A signal beyond the athlete's usual, with its source.

    `value` is the mean of seven days: ms of heart rate variability, or beats per minute at rest;
    `usual` is the end of the band that it left. Of sleep it is the debt of seven nights, and
    `usual` the last night, both in minutes. Of a check-in they are its score, and the least that is
    not low, of 5.
    """

    signal: Literal["hrv", "resting_hr", "sleep", "check_in"]
    value: float
    usual: float
    source: str


class LoweredRecovery(Value):
    """A day on which two signals or more are worse than usual."""

    day: date
    signals: tuple[WorseSignal, ...]

    def without_check_in(self) -> "LoweredRecovery | None":
        """Return the day by its measured signals alone; None if fewer than two are left."""
        measured = tuple(each for each in self.signals if each.signal != "check_in")
        return LoweredRecovery(day=self.day, signals=measured) if len(measured) > 1 else None

    def holds_on(self, today: date) -> bool:
        """Return whether the day counts for a plan of another one."""
        return timedelta(0) <= today - self.day <= KNOWN_FOR
