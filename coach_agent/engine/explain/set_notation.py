"""Parser of sets in lifters' notation: `100x5@8`, `225lb x 5`, `80x8-12`, `5+`, `bw+10x8`,
`60s`.
"""

import re
from dataclasses import dataclass

from coach_agent.domain.e1rm import HIGHEST_RPE, LOWEST_RPE
from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit, load_text

_MOST_KG, _MOST_REPS, _MOST_SECONDS = 1000.0, 1000, 24 * 3600
_LONGEST_SHOWN = 40

_NUMBER = r"[0-9]{1,5}(?:[.,][0-9]{1,5})?"
_LOAD = rf"{_NUMBER}\s*(?:kgs?|lbs?)?"
_SET = re.compile(
    rf"(?:(?P<load>(?:bw\s*[+-]\s*)?{_LOAD}|bw)\s*[x×*]\s*)?"
    r"(?:(?P<low>[0-9]{1,5})\s*(?:-\s*(?P<high>[0-9]{1,5})|(?P<open>\+))?"
    r"|(?P<seconds>[0-9]{1,5})\s*s)"
    rf"\s*(?:@\s*(?P<rpe>{_NUMBER}))?",
    re.IGNORECASE,
)
_EXAMPLES = '"100x5@8", "225lb x 5", "80x8-12", "100x5+", "bw x 8", "bw+10x8" or "60s"'


class SetNotationError(Exception):
    """A set that cannot be parsed; the message shows the notation."""


@dataclass(frozen=True)
class WrittenSet:
    """A parsed set. `load` is kg, assistance negative; None: bodyweight, or not given.

    `is_added`: the load is added to the body or, if negative, assists it. Repetitions are a range:
    fixed ones have equal ends, an open range ("5+") a `high` of None. A timed set has `duration_s`
    instead, in seconds.
    """

    text: str
    load: float | None
    is_added: bool
    low: int | None
    high: int | None
    duration_s: int | None
    rpe: float | None


def parse_target(text: str, unit: Unit = "kg") -> WrittenSet:
    """Parse a planned set; loads without a unit are in `unit`.

    Raises:
        SetNotationError: invalid notation, or an impossible number.
    """
    written = _parse(text, unit)
    if written.low == 0:
        raise SetNotationError(f'"{text}": a target has at least 1 repetition.')
    if written.low is not None and written.high is not None and written.high < written.low:
        raise SetNotationError(f'"{text}": write the range as lowest-highest, as "80x8-12".')
    return written


def parse_done(text: str, unit: Unit = "kg") -> WrittenSet:
    """Parse a done set; its repetitions are one number, 0 if it failed.

    Raises:
        SetNotationError: invalid notation, a range, or an impossible number.
    """
    written = _parse(text, unit)
    if written.low != written.high:
        raise SetNotationError(
            f'"{text}": a set that was done has one number of repetitions, as "100x5".'
        )
    return written


def _parse(text: str, unit: Unit) -> WrittenSet:
    match = _SET.fullmatch(text.strip())
    if match is None:
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        raise SetNotationError(f'"{shown}" is no set. Write one like {_EXAMPLES}.')
    low = None if match["low"] is None else int(match["low"])
    high = low if match["high"] is None else int(match["high"])
    written = WrittenSet(
        text=text.strip(),
        load=_load(match["load"] or "", unit),
        is_added="bw" in (match["load"] or "").lower(),
        low=low,
        high=None if match["open"] else high,
        duration_s=None if match["seconds"] is None else int(match["seconds"]),
        rpe=None if match["rpe"] is None else _number(match["rpe"]),
    )
    _require_possible(written, unit)
    return written


def _load(text: str, unit: Unit) -> float | None:
    number = re.search(_NUMBER, text)
    if number is None:
        return None
    is_lb = "lb" in text.lower() or (unit == "lb" and "kg" not in text.lower())
    kilograms = _number(number[0]) * (KILOGRAMS_PER_POUND if is_lb else 1.0)
    return 0.0 - kilograms if "-" in text else kilograms


def _require_possible(written: WrittenSet, unit: Unit) -> None:
    reps = [each for each in (written.low, written.high) if each is not None]
    seconds, rpe = written.duration_s, written.rpe
    limits = [
        (abs(written.load or 0.0) <= _MOST_KG, f"a load is at most {load_text(_MOST_KG, unit)}"),
        (written.load != 0, 'a load is more than 0; write "bw x 8" for the body alone'),
        (max(reps, default=0) <= _MOST_REPS, f"reps are at most {_MOST_REPS}"),
        (seconds is None or 0 < seconds <= _MOST_SECONDS, "a time is 1 s to 24 h"),
        (rpe is None or LOWEST_RPE <= rpe <= HIGHEST_RPE, "an RPE is 1 to 10"),
    ]
    for is_met, rule in limits:
        if not is_met:
            raise SetNotationError(f'"{written.text}": {rule}.')


def _number(text: str) -> float:
    return float(text.replace(",", "."))
