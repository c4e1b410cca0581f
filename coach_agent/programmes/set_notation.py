"""Sets of a programme as text: `5x5`, `1x5+ @85%`, `3x8-12`, `1x1 @RPE 8`, `3x20-30s`.

Groups are separated by commas. Repetitions are a number, a range or `max`; `+` marks a last set
with as many as possible, `s` seconds, `drop` drop sets after the sets before them, always last and
with a lower percentage. After `@` is the load in percent of the lift's load, rounded at each `of`
(`80% of 90%`), with `+1` for one step more, or an effort as RPE or RIR.
"""

import math
import re
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from coach_agent.domain.values import Value

SKIPPED = "-"
"""An exercise that is left out in a week."""

_GROUP = re.compile(
    r"(?P<count>\d{1,2})\s*x\s*"
    r"(?:(?P<max>max)|(?P<low>\d{1,3})(?:-(?P<high>\d{1,3}))?(?P<open>\+)?(?P<timed>s)?)"
    r"(?P<drop>\s+drop)?"
    r"(?:\s*@\s*(?P<load>.+))?"
)
_PERCENT = r"\d{1,3}(?:\.\d+)?\s*%"
_LOAD = re.compile(
    rf"(?P<percents>{_PERCENT}(?:\s+of\s+{_PERCENT})*)(?:\s*\+\s*(?P<steps>\d))?"
    r"|RPE\s*(?P<rpe>\d{1,2}(?:\.5)?)|RIR\s*(?P<rir>\d)"
)
_DROP_EXAMPLE = "as '3x10, 1x8 drop @80%'"
_EXAMPLE = "such as '5x5', '1x5+ @85%', '3x8-12', '1x1 @RPE 8' or '3x20-30s'"

Percent = Annotated[float, Field(ge=20, le=110)]


class SetGroup(Value):
    """Sets of one kind; `reps` are seconds with `is_timed`, and null for as many as possible.

    `percents` multiply the lift's load one after the other, each result rounded; without any and
    without `rpe` and `rir` the load is the lift's own. `steps` are added afterwards. Drop sets
    follow the set before them without a rest, and count as no hard set of their own.
    """

    count: Annotated[int, Field(ge=1, le=20)]
    reps: Annotated[int, Field(ge=1, le=600)] | None
    reps_high: Annotated[int, Field(ge=1, le=600)] | None = None
    is_open: bool = False
    is_timed: bool = False
    is_drop: bool = False
    percents: tuple[Percent, ...] = ()
    steps: Annotated[int, Field(ge=0, le=9)] = 0
    rpe: Annotated[float, Field(ge=5, le=10)] | None = None
    rir: Annotated[int, Field(ge=0, le=6)] | None = None

    @property
    def percent(self) -> float:
        """Percent of the lift's load; 100 without any, also by effort."""
        return round(100 * math.prod(each / 100 for each in self.percents), 1)

    @property
    def target(self) -> str:
        """Sets and repetitions as text: `3x8-12`, `1x5+`."""
        reps = "max" if self.reps is None else str(self.reps)
        if self.reps_high is not None:
            reps = f"{reps}-{self.reps_high}"
        plus = "+" if self.is_open and self.reps is not None else ""
        return f"{self.count}x{reps}{plus}{'s' * self.is_timed}{' drop' * self.is_drop}"


def parse_sets(text: str) -> tuple[SetGroup, ...]:
    """Parse the sets of one exercise; `-` is none.

    Raises:
        ValueError: another form, or beyond its limits.
    """
    groups = parse_groups(text)
    if groups and groups[0].is_drop:
        raise ValueError(f"{text!r} must have a set before the first drop set, {_DROP_EXAMPLE}")
    for before, group in pairwise(groups):
        if before.is_drop and not group.is_drop:
            raise ValueError(f"{text!r} must have its drop sets last, {_DROP_EXAMPLE}")
        if group.is_drop and group.percent >= before.percent:
            raise ValueError(
                f"{text!r} must have drop sets below {before.percent:g}%, the load of the sets "
                f"before them, {_DROP_EXAMPLE}"
            )
    return groups


def parse_groups(text: str) -> tuple[SetGroup, ...]:
    """Parse sets that may continue others; `-` is none.

    Raises:
        ValueError: another form, or beyond its limits.
    """
    if text.strip() == SKIPPED:
        return ()
    return tuple(_group(part.strip()) for part in text.split(","))


def _group(text: str) -> SetGroup:
    found = _GROUP.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} must be sets x repetitions @ load, {_EXAMPLE}")
    low, high = found["low"], found["high"]
    if high is not None and int(high) <= int(low):
        raise ValueError(f"{text!r} must have its lower number of repetitions first")
    load = None if found["load"] is None else _LOAD.fullmatch(found["load"].strip())
    if found["load"] is not None and load is None:
        raise ValueError(f"{text!r} must have a load {_EXAMPLE}")
    if found["drop"] is not None:
        if load is None or load["percents"] is None or load["steps"] is not None:
            raise ValueError(f"{text!r} must have drop sets at a percentage, {_DROP_EXAMPLE}")
        if found["open"] is not None:
            raise ValueError(f"{text!r} must have drop sets without a plus, or 'max'")
    parts = re.findall(r"[\d.]+(?=\s*%)", (load["percents"] or "") if load else "")
    try:
        return SetGroup(
            count=int(found["count"]),
            reps=None if low is None else int(low),
            reps_high=None if high is None else int(high),
            is_open=found["open"] is not None or found["max"] is not None,
            is_timed=found["timed"] is not None,
            is_drop=found["drop"] is not None,
            percents=tuple(float(part) for part in reversed(parts)),
            steps=int(load["steps"] or 0) if load else 0,
            rpe=float(load["rpe"]) if load and load["rpe"] else None,
            rir=int(load["rir"]) if load and load["rir"] else None,
        )
    except ValueError as error:
        raise ValueError(f"{text!r} has a number beyond its limits, {_EXAMPLE}") from error
