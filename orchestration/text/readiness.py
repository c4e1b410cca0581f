"""Wording of a day's recovery: each signal against the athlete's own usual, with its source."""

import math
from collections.abc import Callable, Iterator
from datetime import date

from coach_agent.domain.values import Value
from coach_agent.language.messages import day_text, decimals, phrase

NOT_ENOUGH = "not_enough_data"

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
    check_in_score: int | None = None

    @property
    def is_lowered(self) -> bool:
        """Return whether signals agree that the recovery is worse than usual."""
        return self.readiness == "lowered"


def readiness_lines(
    known: Readiness, today: date, *, is_adjusting: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield name and text of each measured signal, then the verdict on all of them.

    `is_adjusting`: the athlete's plans use it.
    """
    if known.hrv is not None:
        method = _METHODS[known.hrv_method or ""]
        yield phrase("hrv"), _band_text(known.hrv, f", {method}", math.exp, " ms")
    if known.resting_hr is not None:
        yield phrase("resting-hr"), _band_text(known.resting_hr, "", float, "")
    if known.sleep is not None:
        night = phrase("night-last")
        if known.day != today:
            night = phrase("night-to", day=day_text(known.day, "day-short"))
        yield phrase("sleep"), _sleep_text(known.sleep, night)
    if known.check_in_score is not None:
        score = phrase("recovery-feeling-score", score=known.check_in_score)
        yield phrase("recovery-feeling"), score
    if known.readiness == NOT_ENOUGH:
        text = phrase("recovery-not-enough")
    else:
        text = phrase("recovery-verdict", worse=known.worse_count, count=known.judged_count)
    use = phrase("recovery-in-plan" if is_adjusting else "recovery-display-only")
    yield phrase("recovery-together"), f"{text} {use}"


def _band_text(band: UsualBand, method: str, shown: Callable[[float], float], unit: str) -> str:
    value = shown(band.week_mean)
    source = f"({band.source}{method})"
    if band.usual_low is None or band.usual_high is None:
        return phrase(
            "band-not-enough",
            days=band.week_day_count,
            value=f"{value:.0f}{unit}",
            source=source,
            before=band.baseline_day_count,
        )
    low, high = shown(band.usual_low), shown(band.usual_high)
    message, bound = {"low": ("band-below", low), "high": ("band-above", high)}.get(
        band.state, ("band-within", None)
    )
    digits = 0 if bound is None else _digits_apart(value, bound)
    return phrase(
        message,
        days=band.week_day_count,
        value=decimals(f"{value:.{digits}f}{unit}"),
        low=decimals(f"{low:.{digits}f}"),
        high=decimals(f"{high:.{digits}f}{unit}"),
        source=source,
    )


def _digits_apart(value: float, bound: float) -> int:
    """Return the fewest digits after the point that show two values as different, up to a limit."""
    digits = 0
    while digits < _MOST_DIGITS and f"{value:.{digits}f}" == f"{bound:.{digits}f}":
        digits += 1
    return digits


def _sleep_text(sleep: Sleep, night: str) -> str:
    slept = f"{_hours(sleep.minutes)} {night}"
    if sleep.state == NOT_ENOUGH:
        return phrase(
            "sleep-not-enough", slept=slept, source=sleep.source, nights=sleep.week_day_count
        )
    return phrase(
        "sleep-debt",
        slept=slept,
        debt=_hours(sleep.debt_minutes),
        need=_hours(sleep.need_minutes),
        nights=sleep.week_day_count,
        source=sleep.source,
    )


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest:02} min"
