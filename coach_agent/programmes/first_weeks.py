"""The sessions of the first weeks of a programme: sets and loads, from the lifter's numbers.

Loads are rounded to the nearest load on the bar, ties and reductions down. An increase is at least
one rounding step.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import Field

from coach_agent.domain.values import Value, is_null
from coach_agent.programmes.model import Block, Lift, Programme, Start, groups_of, is_skipped
from coach_agent.programmes.set_notation import SetGroup


@dataclass(frozen=True)
class Result:
    """Outcome of one lift of a session; `open_reps` are those of the open set with most load."""

    is_missed: bool = False
    open_reps: int | None = None
    total_reps: int | None = None


class PlannedGroup(Value):
    """Sets of one kind; `weight_kg` is null for body weight and unknown loads, `reps` for `max`.

    `reps` of a range are those of the session, from `reps_low` to `reps_high`. `load_pct` is the
    percentage of the lift's load, if the programme has one.
    """

    count: int
    reps: int | None
    reps_low: int | None = Field(default=None, exclude_if=is_null)
    reps_high: int | None = None
    is_open: bool = False
    is_timed: bool = False
    is_drop: bool = False
    weight_kg: float | None = None
    load_pct: float | None = None
    rpe: float | None = None
    rir: int | None = None


class PlannedExercise(Value):
    """An exercise of a session; `exercise` is the title in Hevy."""

    lift: str
    exercise: str
    rest_s: int
    note: str | None = None
    groups: tuple[PlannedGroup, ...]


class Session(Value):
    """A session; `week` and `number` count from 1."""

    week: int
    number: int
    day: str
    exercises: tuple[PlannedExercise, ...]


@dataclass(frozen=True)
class _State:
    load_kg: float | None
    reps: int = 0
    stage: int = 0
    rung: int = 0
    misses: int = 0
    best_total: int = 0


_DONE = Result()


def first_weeks(
    programme: Programme,
    numbers: Mapping[str, float],
    weeks: int = 4,
    results: Mapping[tuple[int, str], Result] | None = None,
) -> list[Session]:
    """Return the sessions of the first weeks.

    `numbers` has a number in kg by lift, of the kind that its `start` names, and the number of the
    rung for a ladder, from 1. Lifts without one have no load. `results` are by session number and
    lift; without one all sets were done.
    """
    return list(_Run(programme, numbers, results or {}).sessions(weeks))


@dataclass
class _Run:
    """The states of the lifts while sessions pass."""

    programme: Programme
    numbers: Mapping[str, float]
    results: Mapping[tuple[int, str], Result]
    states: dict[str, _State] = field(default_factory=dict)
    next_week: dict[str, _State] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, lift in self.programme.lifts.items():
            number = self.numbers.get(name)
            if lift.progression.kind == "ladder":
                self.states[name] = _State(None, rung=0 if number is None else int(number) - 1)
                continue
            load = None if number is None else self._start(number, lift.start)
            self.states[name] = _State(load)

    def sessions(self, weeks: int) -> Iterator[Session]:
        number = 0
        for week, (block, week_of_block, is_last) in zip(
            range(1, weeks + 1), weeks_of(self.programme), strict=False
        ):
            days = list(block.days)
            for place in range(self.programme.days_per_week):
                turn = number if self.programme.order == "rolling" else place
                number += 1
                session = self._session(week, number, block, days[turn % len(days)], week_of_block)
                yield session
                if not block.is_held:
                    self._advance(session, block)
            self.states |= self.next_week
            self.next_week.clear()
            if is_last:
                self._end_cycle()

    def _session(self, week: int, number: int, block: Block, day: str, place: int) -> Session:
        planned = [
            self._exercise(name, sets)
            for name in block.days[day]
            if not is_skipped(sets := block.sets_in(day, name, place))
        ]
        return Session(week=week, number=number, day=day, exercises=tuple(planned))

    def _exercise(self, name: str, sets: str) -> PlannedExercise:
        lift = self.programme.lifts[name]
        owner = self.programme.lifts[lift.load_of] if lift.load_of else lift
        own, lent = self.states[name], self.states[lift.load_of or name]
        progression = lift.progression
        stage = progression.stages[own.stage] if progression.stages else None
        groups = groups_of(sets, stage)
        if progression.kind in {"double", "ladder"}:
            own = self.states[name] = _in_range(own, groups)
        rungs = progression.rungs
        return PlannedExercise(
            lift=name,
            exercise=rungs[own.rung] if rungs else lift.exercise,
            rest_s=lift.rest_s,
            note=lift.note,
            groups=tuple(self._groups(groups, own, lent.load_kg, owner)),
        )

    def _groups(
        self, groups: Sequence[SetGroup], state: _State, load_kg: float | None, owner: Lift
    ) -> Iterator[PlannedGroup]:
        """Yield the planned groups; a drop set is lighter than the set before it, if it can be."""
        before: float | None = None
        for each in groups:
            planned = self._group(each, state, load_kg, owner)
            weight = planned.weight_kg
            if each.is_drop and weight is not None and before is not None:
                lighter = before - self.programme.rounding_kg
                if 0 < lighter < weight:
                    planned = planned.model_copy(update={"weight_kg": lighter})
            before = planned.weight_kg
            yield planned

    def _group(
        self, group: SetGroup, state: _State, load_kg: float | None, owner: Lift
    ) -> PlannedGroup:
        is_by_effort = group.rpe is not None or group.rir is not None
        weight = None if is_by_effort or load_kg is None else load_kg
        if weight is not None:
            for percent in group.percents:
                weight = self._nearest(weight * percent / 100)
            weight = self._up(weight, group.steps * owner.step_kg)
        reps = group.reps
        if reps is not None and group.reps_high is not None:
            reps = min(max(reps, state.reps), group.reps_high)
        return PlannedGroup(
            count=group.count,
            reps=reps,
            reps_low=None if group.reps_high is None else group.reps,
            reps_high=group.reps_high,
            is_open=group.is_open,
            is_timed=group.is_timed,
            is_drop=group.is_drop,
            weight_kg=weight,
            load_pct=group.percent if group.percents else None,
            rpe=group.rpe,
            rir=group.rir,
        )

    def _advance(self, session: Session, block: Block) -> None:
        for exercise in session.exercises:
            lift, state = self.programme.lifts[exercise.lift], self.states[exercise.lift]
            days = lift.progression.advance_on
            if lift.load_of is None and (not days or session.day in days):
                result = self.results.get((session.number, exercise.lift), _DONE)
                is_weekly = lift.progression.kind == "amrap"
                states = self.next_week if is_weekly else self.states
                states[exercise.lift] = self._next(lift, state, exercise, result)

    def _next(self, lift: Lift, state: _State, done: PlannedExercise, result: Result) -> _State:
        progression = lift.progression
        match progression.kind:
            case "linear":
                return self._linear(lift, state, result)
            case "double" | "ladder":
                return self._double(lift, state, done, result)
            case "stages" if result.is_missed and state.stage + 1 < len(progression.stages):
                return replace(state, stage=state.stage + 1)
            case "stages" if result.is_missed:
                return replace(state, stage=0, load_kg=self._reduced(lift, state.load_kg))
            case "stages":
                return replace(state, load_kg=self._stepped(lift, state.load_kg, 1))
            case "amrap":
                reps = result.open_reps
                passed = [by for least, by in progression.steps_by_reps if (reps or 0) >= least]
                steps = max(passed, default=0)
                return replace(state, load_kg=self._stepped(lift, state.load_kg, steps))
            case "total":
                return self._total(lift, state, done, result)
        return state

    def _linear(self, lift: Lift, state: _State, result: Result) -> _State:
        progression = lift.progression
        if result.is_missed:
            if state.misses + 1 < progression.misses:
                return replace(state, misses=state.misses + 1)
            return replace(state, misses=0, load_kg=self._reduced(lift, state.load_kg))
        reps = result.open_reps or 0
        if progression.open_success is not None and reps < progression.open_success:
            return replace(state, misses=0)
        twice = progression.double_above is not None and reps > progression.double_above
        load = self._stepped(lift, state.load_kg, 2 if twice else 1)
        return replace(state, misses=0, load_kg=load)

    def _double(self, lift: Lift, state: _State, done: PlannedExercise, result: Result) -> _State:
        ranges = [each for each in done.groups if each.reps_high is not None]
        if not ranges:
            return state
        if result.is_missed:
            return self._linear(lift, state, result)
        state = replace(state, misses=0)
        if state.reps < (ranges[0].reps_high or 0):
            return replace(state, reps=state.reps + 1)
        if lift.progression.kind == "double":
            # Without a step, as with body weight, the lower end would be easier than the last set.
            load = self._stepped(lift, state.load_kg, 1)
            return replace(state, reps=0, load_kg=load) if lift.step_kg else state
        is_last = state.rung + 1 == len(lift.progression.rungs)
        return state if is_last else replace(state, reps=0, rung=state.rung + 1)

    def _total(self, lift: Lift, state: _State, done: PlannedExercise, result: Result) -> _State:
        asked = sum(each.count * (each.reps or 0) for each in done.groups if not each.is_drop)
        total = asked if result.total_reps is None else result.total_reps
        if total >= asked:
            load = self._stepped(lift, state.load_kg, 1)
            return replace(state, load_kg=load, misses=0, best_total=0)
        if total > state.best_total:
            return replace(state, misses=0, best_total=total)
        if state.misses + 1 < lift.progression.misses:
            return replace(state, misses=state.misses + 1)
        load = None if state.load_kg is None else max(0.0, state.load_kg - 2 * lift.step_kg)
        return replace(state, load_kg=load, misses=0, best_total=0)

    def _end_cycle(self) -> None:
        for name, lift in self.programme.lifts.items():
            if lift.progression.kind == "cycle":
                state = self.states[name]
                load = self._stepped(lift, state.load_kg, 1)
                self.states[name] = replace(state, load_kg=load)

    def _stepped(self, lift: Lift, load_kg: float | None, steps: int) -> float | None:
        return None if load_kg is None else self._up(load_kg, steps * lift.step_kg)

    def _reduced(self, lift: Lift, load_kg: float | None) -> float | None:
        if load_kg is None:
            return None
        unit = self.programme.rounding_kg
        return math.floor(_exact(load_kg * lift.progression.reset_pct / 100 / unit)) * unit

    def _up(self, load_kg: float, by_kg: float) -> float:
        if by_kg <= 0:
            return load_kg
        raised = self._nearest(load_kg + by_kg)
        return raised if raised > load_kg else self._nearest(load_kg + self.programme.rounding_kg)

    def _start(self, number: float, start: Start) -> float:
        for percent in reversed(start.percents):
            number = self._nearest(number * percent / 100)
        return number

    def _nearest(self, kg: float) -> float:
        """Round to the nearest load on the bar, ties down."""
        unit = self.programme.rounding_kg
        return math.ceil(_exact(kg / unit) - 0.5) * unit


def _exact(value: float) -> float:
    """Remove the noise of binary fractions before a rounding."""
    return round(value, 6)


def _in_range(state: _State, groups: Sequence[SetGroup]) -> _State:
    """Return a state whose repetitions are in the first range of the sets, else at its low end."""
    for each in groups:
        if each.reps is not None and each.reps_high is not None:
            is_within = each.reps <= state.reps <= each.reps_high
            return state if is_within else replace(state, reps=each.reps)
    return state


def weeks_of(programme: Programme) -> Iterator[tuple[Block, int, bool]]:
    """Yield the weeks without end: the block, the week in it from 0, and whether it is its last."""
    for block in programme.blocks:
        for _ in range(block.repeats):
            yield from _weeks(block)
    while True:
        yield from _weeks(programme.blocks[-1])


def _weeks(block: Block) -> Iterator[tuple[Block, int, bool]]:
    for week in range(block.weeks):
        yield block, week, week == block.weeks - 1
