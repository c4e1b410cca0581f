"""Facts that a text may state: each has a role, an exercise and a set. Loads are kg."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from coach_agent.domain.context import ExposureSet, Slot, SlotContext
from coach_agent.domain.plan import DoneSet, Place, Plan, SetPrescription, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.llm.comments.cues import fitting_cues

Role = Literal["last_time", "planned", "step", "record", "target", "rest", "trend"]
Measure = Literal["load", "reps", "seconds", "sets"]

MEASURES: tuple[Measure, ...] = ("load", "reps", "seconds", "sets")
_EQUAL = 1e-6
_SMALLEST_SLOPE_PCT = 0.05  # below it a text cannot call a lift rising or falling


@dataclass(frozen=True)
class SetFact:
    """A done or planned working set. `low` and `high` are a rep range."""

    load_kg: float | None
    reps: int | None
    seconds: int | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Lift:
    """Facts about one exercise.

    `last` are the working sets of the latest workout, `before` those of the one before it,
    `planned` those of the plan, empty without a plan, `warmups` its sets to warm up. `best`
    is the heaviest known set. `hits` has for each set of `last` True if it reached its target, None
    without one; `misses` are the latest workouts in a row with a set that did not. `repeats_reps`:
    each set has the fixed target of last time again.
    """

    title: str
    index: int = 0
    is_assisted: bool = False
    planned: tuple[SetFact, ...] = ()
    warmups: tuple[SetFact, ...] = ()
    last: tuple[SetFact, ...] = ()
    before: tuple[SetFact, ...] = ()
    best: SetFact | None = None
    workouts: int = 0
    hit_targets: bool | None = None
    hit_goals: bool | None = None
    hits: tuple[bool | None, ...] = ()
    misses: int = 0
    repeats_reps: bool = False
    goals: frozenset[int] = frozenset()
    rest_s: int | None = None
    slope_pct: float | None = None
    is_stalled: bool = False
    is_easy: bool = False
    replaces: str | None = None
    is_left_out: bool = False
    is_weighted: bool = False
    cues: tuple[str, ...] = ()

    def step(self, measure: Measure) -> float | None:
        """Return the difference between plan and last time; more assistance counts as less load."""
        now, then = _amount(self.planned, measure), _amount(self.last, measure)
        if now is None or then is None:
            return None
        sign = -1 if measure == "load" and self.is_assisted else 1
        return sign * (now - then)

    def direction(self, measure: Measure | Literal["any"]) -> int | None:
        """Return 1 for more than last time, 0 for the same, -1 for less; None if unknown.

        For "any" the load decides, then repetitions or seconds, then sets.
        """
        if measure != "any":
            step = self.step(measure)
            return None if step is None else _sign(step)
        found: int | None = None
        for each in MEASURES:
            step = self.step(each)
            if step is None:
                continue
            found = _sign(step)
            if found:
                return found
        return found

    @property
    def progress(self) -> int | None:
        """Return 1 for better in the latest workout or by trend, -1 for worse, 0 for neither."""
        if self.slope_pct is not None and abs(self.slope_pct) > _SMALLEST_SLOPE_PCT:
            return _sign(self.slope_pct)
        changes = [
            _sign(now - then) * (-1 if each == "load" and self.is_assisted else 1)
            for each in MEASURES[:3]
            if (now := _amount(self.last, each)) is not None
            and (then := _amount(self.before, each)) is not None
        ]
        return next((each for each in changes if each), 0 if changes else None)


@dataclass(frozen=True)
class Known:
    """Facts about a day or a week: the exercises, and the totals.

    `statements` are sentences of the rules about the same data, which a model may repeat.
    """

    unit: Unit
    language: str
    lifts: tuple[Lift, ...] = ()
    minutes: tuple[float, float] | None = None
    is_deload: bool = False
    is_time_short: bool = False
    workouts: int | None = None
    statements: tuple[str, ...] = ()

    @property
    def trained(self) -> tuple[Lift, ...]:
        """The exercises of the plan; all of them without a plan."""
        planned = tuple(each for each in self.lifts if each.planned)
        return planned or self.lifts


def lift_of(slot: SlotContext, prescribed: SlotPrescription | None = None) -> Lift:
    """Build the facts of an exercise, with its plan if there is one."""
    exposures = [
        tuple(done for done in each.sets if done.set_type in WORKING_TYPES)
        for each in slot.exposures
    ]
    last = exposures[0] if exposures else ()
    is_assisted = slot.exercise_type == ASSISTED
    sets = () if prescribed is None else prescribed.sets
    place: Place = slot if prescribed is None else prescribed
    return Lift(
        title=place.exercise_title,
        index=place.exercise_index,
        is_assisted=is_assisted,
        planned=tuple(_facts(sets)),
        warmups=tuple(
            SetFact(each.weight_kg, each.reps, each.duration_s)
            for each in sets
            if each.set_type == "warmup"
        ),
        last=tuple(_facts(last)),
        before=tuple(_facts(exposures[1])) if len(exposures) > 1 else (),
        best=_best([fact for sets in exposures for fact in _facts(sets)], is_assisted=is_assisted),
        workouts=len(exposures),
        hit_targets=_reached(last, goal=False),
        hits=tuple(_reached([each], goal=False) for each in last),
        misses=len(list(takewhile(lambda sets: _reached(sets, goal=False) is False, exposures))),
        hit_goals=_reached(last, goal=True),
        repeats_reps=_fixed_targets(last) == [each.reps for each in _facts(sets)] != [],
        goals=frozenset(
            goal for each in last if (goal := each.planned_reps_high or each.planned_reps_low)
        ),
        rest_s=_rest(slot, prescribed),
        slope_pct=slot.trend.slope_pct,
        is_stalled=slot.trend.verdict == "stalled"
        or (prescribed is not None and prescribed.stall is not None),
        is_easy=prescribed is not None and prescribed.is_easy,
        replaces=None
        if prescribed is None or prescribed.replaces is None
        else prescribed.replaces.exercise_title,
        is_left_out=prescribed is not None and prescribed.is_left_out,
        is_weighted=place.exercise_type == WEIGHTED,
        cues=fitting_cues(place.primary_muscle_group, place.equipment, place.exercise_type),
    )


def known_of_plan(
    slots: Iterable[tuple[SlotContext, SlotPrescription]], plan: Plan, language: str
) -> Known:
    """Build the facts of a plan; each of its slots has the history of its exercise."""
    minutes = plan.minutes
    return Known(
        unit=plan.load_unit,
        language=language,
        lifts=tuple(lift_of(slot, prescribed) for slot, prescribed in slots),
        minutes=None if minutes is None else (minutes.low, minutes.high),
        is_deload=plan.deload is not None,
        is_time_short=any(
            each.rule == "time_cap" for slot in plan.slots for each in slot.adjustments
        ),
        statements=(plan.summary, *(each.text for each in plan.advice)),
    )


def same(one: float, other: float) -> bool:
    """Return whether two computed numbers are equal."""
    return abs(one - other) < _EQUAL


def _facts(sets: Iterable[SetPrescription | DoneSet]) -> Iterator[SetFact]:
    for each in sets:
        if each.set_type not in WORKING_TYPES:
            continue
        low = high = None
        if isinstance(each, SetPrescription):
            low, high = each.rep_range_start, each.rep_range_end
        reps = low if each.reps is None else each.reps
        yield SetFact(each.weight_kg, reps, each.duration_s, low, high)


def _best(sets: Sequence[SetFact], *, is_assisted: bool) -> SetFact | None:
    if not sets:
        return None
    sign = -1 if is_assisted else 1
    return max(
        sets,
        key=lambda each: (sign * (each.load_kg or 0.0), each.reps or 0, each.seconds or 0),
    )


def _rest(slot: Slot, prescribed: SlotPrescription | None) -> int | None:
    if slot.rest_s is not None or prescribed is None:
        return slot.rest_s
    return prescribed.advised_rest_s


def _amount(sets: Sequence[SetFact], measure: Measure) -> float | None:
    if not sets:
        return None
    if measure == "sets":
        return float(len(sets))
    if measure == "load":
        loads = [each.load_kg for each in sets]
        return max((load for load in loads if load is not None), default=None)
    values = [each.reps if measure == "reps" else each.seconds for each in sets]
    known = [value for value in values if value is not None]
    # Fewer sets are not fewer repetitions of a set.
    return sum(known) / len(known) if known else None


def _reached(sets: Sequence[ExposureSet], *, goal: bool) -> bool | None:
    """Return whether each set reached its target, or with `goal` the upper end of its range."""
    pairs = []
    for each in sets:
        reps = each.planned_reps_high if goal and each.planned_reps_high else each.planned_reps_low
        pairs += [(each.reps, reps)] if reps is not None else []
        if each.planned_duration_s is not None:
            pairs.append((each.duration_s, each.planned_duration_s))
    if not pairs:
        return None
    return all(done is not None and done >= target for done, target in pairs)


def _fixed_targets(sets: Sequence[ExposureSet]) -> list[int | None]:
    """The planned repetitions of each set, None for a range."""
    return [
        each.planned_reps_low if each.planned_reps_low == each.planned_reps_high else None
        for each in sets
    ]


def _sign(value: float) -> int:
    return 0 if abs(value) < _EQUAL else 1 if value > 0 else -1
