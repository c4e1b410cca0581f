"""Backtest cases: forecasts of every past session from the data known before it.

A rolling origin: each exposure is a case once there are 6 earlier ones and at most 35 days since
the last. An error counts for later intervals only once its session was known.
"""

import math
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from typing import Literal

from coach_agent.domain.constants.forecast import (
    INTERVAL_LEVEL,
    INTERVAL_MIN_RESIDUALS,
    INTERVAL_WINDOW,
)
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import LAYOFF_HOLD_UNTIL
from coach_agent.evaluation.exposures import Knowledge, PastExposure, TrainingLog
from coach_agent.evaluation.predictors import Forecast, Predictor, Question

EARLIER_EXPOSURES = 6
LONGEST_GAP = timedelta(days=35)
NEAR_MAXIMAL_RPE = 9.5
# Zero repetitions have no logarithm.
_LEAST = 0.5

Quantity = Literal["reps", "e1rm", "rpe", "minutes"]
"""The forecast quantity: `reps` of the top set at its load; `e1rm` the session's best, in kg; `rpe`
the stated RPE of the top set with its load and repetitions; `minutes` of a whole session with its
number of sets."""

OfTopSet = Literal["reps", "e1rm", "rpe"]
"""A forecast quantity of an exposure."""

_MAIN_LIFTS = frozenset(
    {
        "squat (barbell)",
        "bench press (barbell)",
        "deadlift (barbell)",
        "sumo deadlift",
        "sumo deadlift (barbell)",
        "overhead press (barbell)",
    }
)


@dataclass(frozen=True)
class Case:
    """One exposure with its actual value and the forecast of each predictor.

    `forecasts` hold None for a predictor without a forecast. `is_hit`: the top set reached the
    target's repetitions. `is_near_maximal`: a set to failure or at RPE 9.5 or more; other sets only
    give a lower bound. `slices` are the names of its groups.
    """

    lifter: str
    exercise: str
    session_id: str
    started_at: datetime
    actual: float
    is_hit: bool
    is_near_maximal: bool
    slices: frozenset[str]
    forecasts: dict[str, Forecast | None]


def cases_of(
    log: TrainingLog,
    quantity: OfTopSet,
    predictors: Sequence[Predictor],
    on_case: Callable[[], None] = lambda: None,
) -> list[Case]:
    """Return every case of a log, oldest first; `on_case` is called for each."""
    pools = [(each, _Errors()) for each in predictors]
    cases = []
    for exposure, question in questions_of(log):
        actual = _actual(exposure, quantity)
        if actual is None:
            continue
        informed = replace(question, reps=exposure.top.reps if quantity == "rpe" else None)
        blind = replace(question, weight_kg=None)
        forecasts: dict[str, Forecast | None] = {}
        for predictor, pool in pools:
            pool.learn_until(exposure.started_at)
            is_blind = quantity == "e1rm" and not predictor.is_told_weight
            found = predictor.predict(blind if is_blind else informed, pool.latest)
            if found is not None:
                error = math.log(max(actual, _LEAST) / max(found.value, _LEAST))
                found = pool.complete(found, informed.target_reps if quantity == "reps" else None)
                pool.add(exposure.known_at, error)
            forecasts[predictor.name] = found
        cases.append(
            Case(
                lifter=log.lifter,
                exercise=exposure.exercise,
                session_id=exposure.session_id,
                started_at=exposure.started_at,
                actual=actual,
                is_hit=exposure.top.reps >= question.target_reps,
                is_near_maximal=_is_near_maximal(exposure),
                slices=_slices(exposure, question.history),
                forecasts=forecasts,
            )
        )
        on_case()
    return cases


def _actual(exposure: PastExposure, quantity: OfTopSet) -> float | None:
    if quantity == "reps":
        return float(exposure.top.reps)
    return exposure.e1rm_kg if quantity == "e1rm" else exposure.top.rpe


def questions_of(log: TrainingLog) -> Iterator[tuple[PastExposure, Question]]:
    """Yield each exposure that is a case, with its question, oldest first."""
    everything = Knowledge(log.exposures)
    by_exercise: dict[str, list[PastExposure]] = defaultdict(list)
    for each in log.exposures:
        by_exercise[each.exercise].append(each)
    histories = {exercise: Knowledge(done) for exercise, done in by_exercise.items()}
    for exposure in log.exposures:
        at = exposure.started_at
        history = histories[exposure.exercise].before(at)
        if len(history) < EARLIER_EXPOSURES or at - history[-1].started_at > LONGEST_GAP:
            continue
        yield (
            exposure,
            Question(
                lifter=log.lifter,
                exercise=exposure.exercise,
                facts=exposure.facts,
                started_at=at,
                history=history,
                everything=everything.before(at),
                weight_kg=exposure.top.weight_kg,
                target_reps=history[-1].top.reps,
                find_plan=partial(log.plan_input, exposure),
                places=exposure.top_places,
            ),
        )


class _Errors:
    """A predictor's latest errors of one lifter, from sessions known at the time."""

    def __init__(self) -> None:
        self._waiting: list[tuple[datetime, int, float]] = []
        self._count = 0
        self._latest: deque[float] = deque()
        self._ascending: list[float] = []
        self._sizes: list[float] = []

    @property
    def latest(self) -> tuple[float, ...]:
        return tuple(self._latest)

    def add(self, known_at: datetime, error: float) -> None:
        self._count += 1
        heappush(self._waiting, (known_at, self._count, error))

    def learn_until(self, moment: datetime) -> None:
        while self._waiting and self._waiting[0][0] < moment:
            error = heappop(self._waiting)[2]
            self._latest.append(error)
            insort(self._ascending, error)
            insort(self._sizes, abs(error))
            if len(self._latest) > INTERVAL_WINDOW.value:
                oldest = self._latest.popleft()
                del self._ascending[bisect_left(self._ascending, oldest)]
                del self._sizes[bisect_left(self._sizes, abs(oldest))]

    def complete(self, found: Forecast, target: int | None) -> Forecast:
        """Return the forecast with the missing interval and chance derived from these errors.

        The interval is conformal: it contains the share of errors given by its level. None with
        fewer than 20 errors.
        """
        count = len(self._latest)
        if count < INTERVAL_MIN_RESIDUALS.value:
            return found
        if found.low is None or found.high is None:
            rank = math.ceil((count + 1) * INTERVAL_LEVEL.value / 100)
            margin = math.exp(self._sizes[min(rank, count) - 1])
            found = found._replace(low=found.value / margin, high=found.value * margin)
        if found.p_target is None and target is not None:
            # Repetitions are whole: a target counts as reached from half a repetition below it.
            needed = math.log(max(target - 0.5, _LEAST) / max(found.value, _LEAST))
            above = count - bisect_left(self._ascending, needed)
            found = found._replace(p_target=(above + 0.5) / (count + 1))
        return found


def _is_near_maximal(exposure: PastExposure) -> bool:
    top = exposure.top
    return top.set_type == "failure" or (top.rpe is not None and top.rpe >= NEAR_MAXIMAL_RPE)


def _slices(exposure: PastExposure, history: Sequence[PastExposure]) -> frozenset[str]:
    """Return the groups of a case. The usual repetitions are those of the last time, not of
    today.
    """
    last = history[-1]
    gap_days = (exposure.started_at - last.started_at).days
    change = exposure.top.weight_kg - last.top.weight_kg
    return frozenset(
        {
            _equipment(exposure),
            _rep_zone(last.top.reps),
            "after 17 to 35 days" if gap_days > LAYOFF_HOLD_UNTIL.value else "within 16 days",
            "with RPE" if any(each.rpe is not None for each in last.counted) else "without RPE",
            _length(len(history)),
            "same weight"
            if abs(change) <= LOAD_TOLERANCE.value
            else "heavier"
            if change > 0
            else "lighter",
        }
    )


SLICES = (
    "main barbell",
    "other barbell",
    "machine",
    "dumbbell",
    "other equipment",
    "last 1 to 3 reps",
    "last 4 to 6 reps",
    "last 7 to 10 reps",
    "last 11 or 12 reps",
    "within 16 days",
    "after 17 to 35 days",
    "with RPE",
    "without RPE",
    "6 to 11 earlier",
    "12 to 23 earlier",
    "24 to 47 earlier",
    "48 or more earlier",
    "same weight",
    "heavier",
    "lighter",
)
"""All groups, in the order in which they are printed."""


def _equipment(exposure: PastExposure) -> str:
    if exposure.exercise in _MAIN_LIFTS:
        return "main barbell"
    equipment = exposure.facts.equipment or _equipment_in(exposure.exercise)
    if equipment == "barbell":
        return "other barbell"
    return equipment if equipment in {"machine", "dumbbell"} else "other equipment"


def _equipment_in(title: str) -> str | None:
    """Return the equipment in a title without a catalogue entry, in Hevy's categories."""
    words = ("barbell", "dumbbell", "machine", "cable")
    found = next((word for word in words if word in title), None)
    return "machine" if found == "cable" else found


def _rep_zone(reps: int) -> str:
    for most, name in ((3, "1 to 3"), (6, "4 to 6"), (10, "7 to 10")):
        if reps <= most:
            return f"last {name} reps"
    return "last 11 or 12 reps"


def _length(earlier: int) -> str:
    for below, name in ((12, "6 to 11"), (24, "12 to 23"), (48, "24 to 47")):
        if earlier < below:
            return f"{name} earlier"
    return "48 or more earlier"
