"""Facts of an exercise as localized text, each in its role."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from coach_agent.domain.units import Unit, in_unit
from coach_agent.language.messages import DEFAULT
from coach_agent.llm.comments.known import Lift, Role, SetFact
from coach_agent.llm.comments.messages import languages, render

_FLAT_PCT = 0.05  # a slope that rounds to nothing


def fact_text(role: Role, lift: Lift, unit: Unit, language: str) -> str | None:
    """Format a fact of an exercise in its role; None without one."""
    return _Facts(lift, unit, language).text(role)


def has_range(lift: Lift) -> bool:
    """Return whether a planned set has a range of repetitions."""
    return any(each.high is not None and each.low != each.high for each in lift.planned)


@dataclass(frozen=True)
class _Facts:
    """Facts of one exercise as text."""

    lift: Lift
    unit: Unit
    language: str

    def text(self, role: Role) -> str | None:
        readers: Mapping[Role, Callable[[], str | None]] = {
            "last_time": lambda: self._sets("fact-last-time", self.lift.last),
            "planned": lambda: self._sets("fact-planned", self.lift.planned),
            "step": self._step,
            "record": self._record,
            "target": self._target,
            "rest": self._rest,
            "trend": self._trend,
        }
        return readers[role]()

    def _render(self, message: str, **variables: str | float) -> str:
        return render(self.language, message, **variables)

    def _number(self, value: float) -> str:
        from babel.numbers import format_decimal  # most commands render nothing

        locale = self.language if self.language in languages() else DEFAULT
        return format_decimal(value, format="0.##", locale=locale)

    def _load(self, load_kg: float, *, is_step: bool = False) -> str:
        amount = in_unit(abs(load_kg), self.unit)
        load = self._render(f"load-{self.unit}", load=self._number(amount))
        if self.lift.is_assisted:
            return self._render("load-assistance", load=load)
        if self.lift.is_weighted and not is_step:
            return self._render("load-added", load=load)
        return load

    def _count(self, each: SetFact) -> str | None:
        if each.reps is not None:
            return self._number(each.reps)
        if each.seconds is not None:
            return self._render("seconds", seconds=self._number(each.seconds))
        return None

    def _blocks(self, sets: Sequence[SetFact]) -> Iterator[str]:
        for load_kg, group in groupby(sets, key=lambda each: each.load_kg):
            counts = [count for each in group if (count := self._count(each)) is not None]
            if not counts:
                continue
            listed = ", ".join(counts)
            if load_kg:
                yield self._render("block", load=self._load(load_kg), counts=listed)
            else:
                yield listed

    def _sets(self, message: str, sets: Sequence[SetFact]) -> str | None:
        listed = ", ".join(self._blocks(sets))
        return self._render(message, sets=listed) if listed else None

    def _step(self) -> str | None:
        lift = self.lift
        load, reps, seconds = lift.step("load"), lift.step("reps"), lift.step("seconds")
        if load:
            # For assistance the amount is shown, where more of it is less load.
            change = -load if lift.is_assisted else load
            return self._changed(change, self._load(load, is_step=True))
        if seconds:
            text = self._render("seconds", seconds=self._number(abs(seconds)))
            return self._changed(seconds, text)
        if reps is not None and reps:
            total = sum(each.reps or 0 for each in lift.planned)
            change = total - sum(each.reps or 0 for each in lift.last)
            if len(lift.planned) != len(lift.last) or not change:
                return None
            return self._changed(change, self._render("reps", count=abs(change)))
        sets = lift.step("sets")
        if sets:
            return self._changed(sets, self._render("sets", count=abs(sets)))
        return self._render("fact-step-same") if lift.direction("any") == 0 else None

    def _changed(self, change: float, step: str) -> str:
        return self._render(f"fact-step-{'up' if change > 0 else 'down'}", step=step)

    def _record(self) -> str | None:
        best = self.lift.best
        listed = ", ".join(self._blocks([best])) if best is not None else ""
        if not listed:
            return None
        return self._render("fact-record", workouts=self.lift.workouts, sets=listed)

    def _target(self) -> str | None:
        planned = self.lift.planned
        ranges = {(each.low, each.high) for each in planned}
        if len(ranges) == 1 and has_range(self.lift):
            ((low, high),) = ranges
            return self._render(
                "fact-target-range", low=self._number(low or 0), high=self._number(high or 0)
            )
        counts = [count for each in planned if (count := self._count(each)) is not None]
        return self._render("fact-target", counts=", ".join(counts)) if counts else None

    def _rest(self) -> str | None:
        rest_s = self.lift.rest_s
        return None if not rest_s else self._render("fact-rest", seconds=self._number(rest_s))

    def _trend(self) -> str | None:
        slope = self.lift.slope_pct
        if slope is None:
            return None
        if self.lift.is_stalled or abs(slope) < _FLAT_PCT:
            return self._render("fact-trend-flat")
        way = "up" if slope > 0 else "down"
        return self._render(f"fact-trend-{way}", pct=self._number(round(abs(slope), 1)))
