"""Wording of a day's recovery: each signal against the athlete's own usual, with its source."""

import math
from collections.abc import Callable, Iterator
from datetime import date

from coach_agent.domain.values import Value
from orchestration.text.measures import day_text

NOT_ENOUGH = "not_enough_data"

HEADING = "Recovery"
DISPLAY_ONLY = "For display only: no plan depends on it."

_METHODS = {"rmssd": "rMSSD", "sdnn": "SDNN"}
_MOST_DIGITS = 3  # no device measures a thousandth of a millisecond or of a beat


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
    """The night to the day, and the debt of the known nights of seven, in minutes."""

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


def readiness_lines(known: Readiness, today: date) -> Iterator[tuple[str, str]]:
    """Yield name and text of each measured signal, then the verdict on all of them."""
    if known.hrv is not None:
        method = _METHODS[known.hrv_method or ""]
        yield "Heart rate variability", _band_text(known.hrv, f", {method}", math.exp, " ms")
    if known.resting_hr is not None:
        yield "Resting heart rate", _band_text(known.resting_hr, "", float, "")
    if known.sleep is not None:
        night = "last night" if known.day == today else f"in the night to {day_text(known.day)}"
        yield "Sleep", _sleep_text(known.sleep, night)
    if known.readiness == NOT_ENOUGH:
        yield "Together", f"not enough data. {DISPLAY_ONLY}"
    else:
        signals = f"{known.worse_count} of {_count(known.judged_count, 'signal')}"
        yield "Together", f"{signals} worse than your usual. {DISPLAY_ONLY}"


def _band_text(band: UsualBand, method: str, shown: Callable[[float], float], unit: str) -> str:
    mean = f"mean of {_count(band.week_day_count, 'day')}"
    value = shown(band.week_mean)
    source = f"({band.source}{method})"
    if band.usual_low is None or band.usual_high is None:
        days = f"{_count(band.week_day_count, 'day')} of this week"
        return (
            f"{mean} {value:.0f}{unit} {source}; not enough data: {days}, "
            f"{band.baseline_day_count} before it."
        )
    low, high = shown(band.usual_low), shown(band.usual_high)
    word, bound = {"low": ("below", low), "high": ("above", high)}.get(band.state, ("within", None))
    digits = 0 if bound is None else _digits_apart(value, bound)
    usual = f"{low:.{digits}f} to {high:.{digits}f}{unit}"
    return f"{mean} {value:.{digits}f}{unit}, {word} your usual {usual} {source}."


def _digits_apart(value: float, bound: float) -> int:
    """Return the fewest digits after the point that show two values as different, up to a limit."""
    digits = 0
    while digits < _MOST_DIGITS and f"{value:.{digits}f}" == f"{bound:.{digits}f}":
        digits += 1
    return digits


def _sleep_text(sleep: Sleep, night: str) -> str:
    slept = f"{_hours(sleep.minutes)} {night}"
    nights = _count(sleep.week_day_count, "night")
    if sleep.state == NOT_ENOUGH:
        return f"{slept} ({sleep.source}); not enough data, {nights}."
    debt = f"{_hours(sleep.debt_minutes)} short of {_hours(sleep.need_minutes)} a night"
    return f"{slept}; {debt} over {nights} ({sleep.source})."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest:02} min"
