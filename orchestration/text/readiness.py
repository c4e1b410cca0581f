"""Wording of a day's recovery: each signal against the athlete's own usual, with its source."""

import math
from collections.abc import Callable, Iterator
from datetime import date

from coach_agent.domain.values import Value

NOT_ENOUGH = "not_enough_data"

HEADING = "Recovery"
DISPLAY_ONLY = "For display only: no plan depends on it."

_METHODS = {"rmssd": "rMSSD", "sdnn": "SDNN"}


class UsualBand(Value):
    """Mean of the last days against the athlete's usual band; heart rate variability as ln ms."""

    source: str
    week_day_count: int
    week_mean: float
    baseline_day_count: int
    usual_low: float | None
    usual_high: float | None
    state: str


class Sleep(Value):
    """The last night and the debt of the known nights of seven, in minutes."""

    source: str
    week_day_count: int
    minutes: float
    need_minutes: float
    debt_minutes: float
    state: str


class Readiness(Value):
    """A row of `fct_readiness_day`; a signal without a value on the day is None."""

    day: date
    readiness: str
    judged_count: int
    worse_count: int
    hrv_method: str | None
    hrv: UsualBand | None
    resting_hr: UsualBand | None
    sleep: Sleep | None


def readiness_lines(known: Readiness) -> Iterator[tuple[str, str]]:
    """Yield name and text of each measured signal, then the verdict on all of them."""
    if known.hrv is not None:
        method = _METHODS[known.hrv_method or ""]
        text = _band_text(known.hrv, f"{known.hrv.source}, {method}", _milliseconds, " ms")
        yield "Heart rate variability", text
    if known.resting_hr is not None:
        text = _band_text(known.resting_hr, known.resting_hr.source, round, "")
        yield "Resting heart rate", text
    if known.sleep is not None:
        yield "Sleep", _sleep_text(known.sleep)
    if known.readiness == NOT_ENOUGH:
        yield "Together", f"not enough data. {DISPLAY_ONLY}"
    else:
        signals = f"{known.worse_count} of {known.judged_count} signals"
        yield "Together", f"{signals} worse than your usual. {DISPLAY_ONLY}"


def _band_text(band: UsualBand, source: str, shown: Callable[[float], int], unit: str) -> str:
    mean = f"mean of {band.week_day_count} days {shown(band.week_mean)}{unit}"
    if band.usual_low is None or band.usual_high is None:
        days = f"{band.week_day_count} days of this week, {band.baseline_day_count} before it"
        return f"{mean} ({source}); not enough data: {days}."
    words = {"low": "below", "high": "above"}.get(band.state, "within")
    usual = f"{shown(band.usual_low)} to {shown(band.usual_high)}{unit}"
    return f"{mean}, {words} your usual {usual} ({source})."


def _sleep_text(sleep: Sleep) -> str:
    night = f"{_hours(sleep.minutes)} last night"
    if sleep.state == NOT_ENOUGH:
        return f"{night} ({sleep.source}); not enough data, {sleep.week_day_count} nights."
    debt = f"{_hours(sleep.debt_minutes)} short of {_hours(sleep.need_minutes)} a night"
    return f"{night}; {debt} over {sleep.week_day_count} nights ({sleep.source})."


def _milliseconds(logarithm: float) -> int:
    return round(math.exp(logarithm))


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest:02} min"
