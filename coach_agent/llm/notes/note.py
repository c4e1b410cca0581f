"""The note of an exercise: rendered from the codes that a model selected.

A code that is not true of the exercise, or does not fit it, is left out and counted.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Literal

from coach_agent.domain.plan import SlotPrescription
from coach_agent.domain.units import Unit, in_unit
from coach_agent.engine.loads.increments import WEIGHTED
from coach_agent.llm.comments.comment import Rejected
from coach_agent.llm.comments.known import Lift, Role, SetFact
from coach_agent.llm.notes.messages import DEFAULT, languages, render

ReasonCode = Literal[
    "all_reps_done",
    "top_of_range",
    "add_reps",
    "repeat",
    "fell_short",
    "lighter",
    "easy_day",
    "check_in",
    "fits_time",
    "flat",
    "stands_in",
]
"""Reason for an exercise's targets; each is validated before it is shown."""

CueCode = Literal[
    "same_form",
    "slow_lowering",
    "full_range",
    "press_with_intent",
    "shoulder_blades",
    "elbows_close",
    "feet_planted",
    "flat_back",
    "tight_core",
    "lead_with_elbows",
    "no_swing",
    "bar_close",
    "straight_line",
    "stop_when_form_slips",
    "smooth_reps",
    "first_set",
    "last_like_first",
    "take_your_time",
]
"""Cues of our catalogue, `cues.toml`."""

LONGEST_NOTE = 200
"""Characters that a lifter reads for an exercise in the gym."""

_FLAT_PCT = 0.05  # a slope that rounds to nothing


@dataclass(frozen=True)
class Note:
    """A rendered note, None if nothing is shown, and the rejected codes."""

    text: str | None
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True)
class Cue:
    """A cue of the catalogue; empty `muscles`, `equipment` and `types` fit every exercise."""

    kind: str
    source: str
    muscles: frozenset[str]
    equipment: frozenset[str]
    types: frozenset[str]

    def fits(self, slot: SlotPrescription) -> bool:
        """Return whether the cue fits an exercise, including one with little data."""
        wanted = (
            (self.muscles, slot.primary_muscle_group),
            (self.equipment, slot.equipment),
            (self.types, slot.exercise_type),
        )
        return all(not allowed or value in allowed for allowed, value in wanted)


@cache
def catalogue() -> Mapping[str, Cue]:
    """Return the cues by code."""
    data = tomllib.loads((files(__package__) / "cues.toml").read_text(encoding="utf-8"))
    return {
        name.replace("-", "_"): Cue(
            kind=cue["kind"],
            source=data["sources"][cue["source"]],
            muscles=frozenset(cue.get("muscles", ())),
            equipment=frozenset(cue.get("equipment", ())),
            types=frozenset(cue.get("types", ())),
        )
        for name, cue in data["cues"].items()
    }


def fitting_cues(slot: SlotPrescription) -> tuple[str, ...]:
    """Return the codes of the cues that fit an exercise."""
    return tuple(code for code, cue in catalogue().items() if cue.fits(slot))


def true_reasons(slot: SlotPrescription, lift: Lift) -> tuple[str, ...]:
    """Return the codes of the reasons that are true of an exercise."""
    return tuple(code for code, holds in _HOLDS.items() if holds(slot, lift))


def note_of(
    slot: SlotPrescription,
    lift: Lift,
    unit: Unit,
    language: str,
    *,
    reason: ReasonCode | None,
    cues: Sequence[CueCode],
    facts: Sequence[Role],
) -> Note:
    """Build the note of an exercise: the reason, then cues, then facts, up to the maximum
    length.
    """
    parts: list[str] = []
    rejected: list[Rejected] = []

    def tell(text: str | None, code: str, why: Literal["claim", "cue", "fact"]) -> None:
        if text is None:
            rejected.append(Rejected(why, code))
        elif len(" ".join((*parts, text))) > LONGEST_NOTE:
            rejected.append(Rejected("too_long", code))
        elif text not in parts:
            parts.append(text)

    if reason is not None:
        is_true = _HOLDS[reason](slot, lift)
        tell(_reason(reason, lift, language) if is_true else None, f"reason {reason}", "claim")
    for cue in cues:
        fits = catalogue()[cue].fits(slot)
        text = render(language, f"cue-{cue.replace('_', '-')}") if fits else None
        tell(text, f"cue {cue}", "cue")
    for role in facts:
        fact = fact_text(role, slot, lift, unit, language)
        tell(fact, f"fact {role}", "fact")
    return Note(" ".join(parts) or None, tuple(rejected))


def fact_text(
    role: Role, slot: SlotPrescription, lift: Lift, unit: Unit, language: str
) -> str | None:
    """Format a fact of an exercise in its role; None without one."""
    return _Facts(slot, lift, unit, language).text(role)


def _reason(reason: ReasonCode, lift: Lift, language: str) -> str:
    message = f"reason-{reason.replace('_', '-')}"
    if reason == "stands_in":
        return render(language, message, title=lift.replaces or "")
    return render(language, message)


def _took(*rules: str) -> Callable[[SlotPrescription, Lift], bool]:
    def check(slot: SlotPrescription, lift: Lift) -> bool:
        return any(each.rule.startswith(rules) for each in slot.adjustments)

    return check


def _has_range(lift: Lift) -> bool:
    return any(each.high is not None and each.low != each.high for each in lift.planned)


_HOLDS: Mapping[ReasonCode, Callable[[SlotPrescription, Lift], bool]] = {
    "all_reps_done": lambda slot, lift: lift.hit_goals is True,
    "top_of_range": lambda slot, lift: lift.hit_goals is True and _has_range(lift),
    "add_reps": lambda slot, lift: lift.direction("load") == 0 and lift.direction("reps") == 1,
    "repeat": lambda slot, lift: lift.direction("any") == 0,
    "fell_short": lambda slot, lift: lift.hit_targets is False,
    "lighter": lambda slot, lift: lift.direction("load") == -1,
    "easy_day": lambda slot, lift: lift.is_easy,
    "check_in": _took("pain_", "readiness_"),
    "fits_time": _took("time_cap"),
    "flat": lambda slot, lift: lift.is_stalled,
    "stands_in": lambda slot, lift: lift.replaces is not None,
}


@dataclass(frozen=True)
class _Facts:
    """Facts of one exercise as text."""

    slot: SlotPrescription
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
        if self.slot.exercise_type == WEIGHTED and not is_step:
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
        if len(ranges) == 1 and _has_range(self.lift):
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
