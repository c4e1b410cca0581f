"""Breaks: their length, their effect, and the ramp back.

Loads, sets, repetitions and seconds follow one curve each, all of them smooth and falling with the
length of the break. Sources are with the constants `layoff.*`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import exp
from statistics import median_low
from typing import Any

from pydantic import Field, model_validator

from coach_agent.domain.constants.history import CONTEXT_OWN_PLACE
from coach_agent.domain.constants.recovery import (
    LAYOFF_ELSEWHERE,
    LAYOFF_FIRST_DAY,
    LAYOFF_HOLD_UNTIL,
    LAYOFF_HOLD_WEEKS,
    LAYOFF_KEPT_WEEKS,
    LAYOFF_REPS,
    LAYOFF_RETURN_FROM,
    LAYOFF_RETURN_UNTIL,
    LAYOFF_SETS,
    LAYOFF_STRENGTH,
    LAYOFF_USUAL_GAPS,
)
from coach_agent.domain.values import Value
from coach_agent.engine.history.attempts import Attempt

_WEEK = 7
_SHORT_DAYS = 4 * _WEEK
# Earlier versions had two kinds of breaks: 17 to 41 days, and longer.
_FORMER_WEEKS = {"mid": 4, "long": 8}


class Layoff(Value):
    """A break in weeks since the last time of the exercise, in any routine.

    `counted` are the weeks beyond the athlete's usual rest: a lift that is done every three weeks
    is not in a break after three weeks. With `has_other_work` it was done elsewhere in between, for
    other repetitions; then `counted` is a share of the weeks. With `is_hold` it is so short that
    it takes nothing.
    """

    weeks: int = Field(ge=LAYOFF_HOLD_WEEKS.value)
    counted: int = Field(ge=LAYOFF_HOLD_WEEKS.value)
    has_other_work: bool = False
    is_hold: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read_former(cls, value: Any) -> Any:
        if isinstance(value, str) and value in _FORMER_WEEKS:
            return {"weeks": _FORMER_WEEKS[value], "counted": _FORMER_WEEKS[value]}
        return value

    @property
    def strength(self) -> float:
        """The remaining share of strength (e1RM)."""
        return 1 - self._lost(LAYOFF_STRENGTH.value, LAYOFF_KEPT_WEEKS.value)

    @property
    def load(self) -> float:
        """The share of the last load for the first day back: strength, with a margin."""
        return self.strength * (1 - self._lost(LAYOFF_FIRST_DAY.value, 0))

    @property
    def reps(self) -> float:
        """The remaining share of repetitions and seconds at the same load."""
        return 1 - self._lost(LAYOFF_REPS.value, LAYOFF_KEPT_WEEKS.value)

    @property
    def sets(self) -> float:
        """The share of the sets for the first day back; all after other work."""
        if self.has_other_work:
            return 1
        return 1 - self._lost(LAYOFF_SETS.value, LAYOFF_HOLD_WEEKS.value)

    def _lost(self, curve: tuple[float, float], from_week: int) -> float:
        """Return the loss of a curve that begins after so many weeks."""
        most, pace = curve
        return 0.0 if self.is_hold else most * (1 - exp((from_week - self.counted) / pace))


def layoff_before(today: date, days_done: Sequence[date]) -> Layoff | None:
    """Return the break up to today; None below two weeks beyond the usual rest.

    `days_done` are the latest days on which the exercise was done, newest first.
    """
    if not days_done:
        return None
    gaps = [(after - before).days for after, before in pairwise(days_done)]
    usual = median_low(gaps[: LAYOFF_USUAL_GAPS.value]) if gaps else 0
    days = (today - days_done[0]).days
    beyond = days - max(0, usual - _WEEK)
    if beyond < LAYOFF_HOLD_WEEKS.value * _WEEK:
        return None
    return Layoff(
        # 20 days are "3 weeks" to a lifter, and days would change the input every night.
        weeks=round(days / _WEEK) if days < _SHORT_DAYS else days // _WEEK,
        counted=beyond // _WEEK,
        is_hold=beyond <= LAYOFF_HOLD_UNTIL.value,
    )


def layoff_with_other_work(today: date, own_days: Sequence[date], latest: date) -> Layoff | None:
    """Return the break of an exercise at its place, if it was done elsewhere for other repetitions.

    `own_days` are its days at the place, newest first, `latest` is the last one anywhere. None
    unless that is so much newer that similar work would count instead of the own.
    """
    if not own_days or (latest - own_days[0]).days <= CONTEXT_OWN_PLACE.value:
        return None
    own = layoff_before(today, own_days)
    if own is None:
        return None
    counted = max(LAYOFF_HOLD_WEEKS.value, round(own.counted * LAYOFF_ELSEWHERE.value))
    is_hold = own.counted * LAYOFF_ELSEWHERE.value < LAYOFF_HOLD_WEEKS.value
    return Layoff(weeks=own.weeks, counted=counted, has_other_work=True, is_hold=is_hold)


@dataclass(frozen=True)
class Return:
    """The ramp back to the `load` before a break of so many weeks."""

    load: float
    weeks: int


def return_after_break(attempts: Sequence[Attempt], body_kg: float = 0.0) -> Return | None:
    """Return the ramp back after the latest break; None without one, or once it is over.

    `attempts` are those with a load, newest first; `body_kg` is moved with an added load.
    """
    for after, before in pairwise(attempts):
        if after.at is None or before.at is None:
            return None
        weeks = (after.at - before.at).days // _WEEK
        if weeks >= LAYOFF_RETURN_FROM.value:
            old = before.load + body_kg
            is_over = attempts[0].load + body_kg >= old * LAYOFF_RETURN_UNTIL.value
            return None if is_over or old <= 0 else Return(before.load, weeks)
    return None
