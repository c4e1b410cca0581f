"""How many repetitions to expect of a set, how surely, and how likely its target is.

What a lifter logs is mostly what was planned, so forecasts are made from logged repetitions and not
from a maximum: the same set of the last exposures, newest first in weight, moved by a tenth of what
Epley says for another load. Beyond what the maximum's band allows nothing is expected, and with a
load so light that the target is surely within reach, the target is.
"""

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from coach_agent.context import Exposure, Slot
from coach_agent.plan import Prediction, SetPrescription
from coach_agent.progression.constants import (
    INTERVAL_LEAST,
    INTERVAL_LEVEL,
    INTERVAL_MIN_RESIDUALS,
    INTERVAL_POOLED,
    INTERVAL_WINDOW,
    LOAD_TOLERANCE,
    PREDICT_CALIBRATION,
    PREDICT_DECAY,
    PREDICT_EXPOSURES,
    PREDICT_LOAD_SHARE,
    PREDICT_REP_DROPOFF,
    RPE_SHRINK_WEIGHT,
)
from coach_agent.progression.history import Answer, Attempt, attempt_of
from coach_agent.progression.increments import ASSISTED, WEIGHTED
from coach_agent.progression.ladder import load_of
from coach_agent.progression.sifting import believable
from coach_agent.progression.strength import effective_reps, epley_reps

# Forecasts err in proportion, and a set of none would have no logarithm. Nobody does a thousand.
_LEAST_REPS, _MOST_REPS = 0.5, 1000.0
_SHARES = PREDICT_REP_DROPOFF.value
_WEIGHTS = tuple(PREDICT_DECAY.value**age for age in range(PREDICT_EXPOSURES.value))


@dataclass(frozen=True)
class Shown:
    """What one attempt tells about each place in the order of sets."""

    attempt: Attempt

    def at(self, place: int) -> tuple[Answer, float]:
        """The set that tells most about a place, and the repetitions that it stands for there.

        Later sets bring fewer repetitions: 97.4 and 94.4 % of the first, measured on public logs.
        """
        if place < len(self._by_place):
            return self._by_place[place]
        last = len(self._by_place) - 1
        answer, reps = self._by_place[last]
        return answer, reps * _share(place) / _share(last)

    @cached_property
    def _by_place(self) -> tuple[tuple[Answer, float], ...]:
        return tuple(
            (answer, _attainable(answer) * _share(place) / _share(at))
            for place, (at, answer) in enumerate(self.attempt.nearest)
        )


@dataclass(frozen=True)
class SetSeries:
    """What an exercise's working sets are predicted from: its attempts, newest first.

    `is_whole_load`: the load is all that is moved. Otherwise the body is part of it, and a heavier
    load than the last one is not predicted: how much heavier it is, nobody knows.
    """

    shown: tuple[Shown, ...]
    is_whole_load: bool

    @property
    def recent(self) -> tuple[Shown, ...]:
        """What counts of them."""
        return self.shown[: PREDICT_EXPOSURES.value]

    @cached_property
    def highest_max_kg(self) -> float | None:
        """The upper end of the band of the best maximum they show; None where they show none."""
        if not self.is_whole_load:
            return None
        uppers = (each.attempt.highest_max_kg for each in self.recent)
        return max((upper for upper in uppers if upper is not None), default=None)


def predictions(
    slot: Slot,
    working: Sequence[int],
    prescribed: Iterable[SetPrescription],
    errors: tuple[float, ...],
    goals: Collection[int] = (),
) -> dict[int, Prediction]:
    """By set index, what to expect of each prescribed working set that can be predicted.

    `working` are the indexes of the routine's working sets, `errors` those of `forecast_errors`.
    The target of a range is its lower end, but of the sets in `goals` what is to be done in it.
    Without repetitions (time, distance), without a history or a load there is no prediction.
    """
    past = series_of(slot, slot.exposures, working)
    found = {}
    for target in prescribed:
        if target.set_index not in working or (target.reps or target.rep_range_start) is None:
            continue
        low = target.rep_range_start
        if low is None or (target.set_index in goals and target.reps is not None):
            low = target.reps
        load = load_of(slot.exercise_type, target.weight_kg)
        place = working.index(target.set_index)
        if prediction := predict(past, place, load, low, errors):
            found[target.set_index] = prediction
    return found


def predict(
    past: SetSeries,
    place: int,
    load: float | None,
    target: int | None,
    errors: tuple[float, ...],
) -> Prediction | None:
    """What to expect of the working set at a place, from 0, with a load; None without a basis.

    More load never means more repetitions nor a likelier target, and a higher target is never
    likelier. `load` is kg, assistance negative; None for the body alone.
    """
    expected = expected_reps(past, place, load, target)
    if expected is None:
        return None
    own = _ascending(errors) if len(errors) >= INTERVAL_MIN_RESIDUALS.value else ()
    margin = math.exp(_half_width(own))
    return Prediction(
        reps=expected,
        low=expected / margin,
        high=expected * margin,
        p_success=None if target is None or not own else _probability(expected, target, own),
        n=len(own),
    )


def expected_reps(
    past: SetSeries, place: int, load: float | None, target: int | None
) -> float | None:
    """The repetitions to expect, or to have in reach of an effort like the last ones.

    With an RPE half of what was left in reserve counts as well (`rpe.shrink_weight`).
    """
    if not past.is_whole_load and _is_heavier_than_last(past.recent, place, load):
        return None
    usual = able = weights = 0.0
    for weight, shown in zip(_WEIGHTS, past.shown, strict=False):
        answer, reps = shown.at(place)
        change = 0.0
        if past.is_whole_load:
            if (load is None) != (answer.load is None):
                continue
            if load is not None and answer.load is not None:
                change = (reps + 30) * (answer.load / load - 1)
        usual += weight * (reps + PREDICT_LOAD_SHARE.value * change)
        able += weight * (reps + change)
        weights += weight
    if not weights:
        return None
    usual, able = usual / weights, able / weights
    expected = usual if target is None else min(max(usual, target), max(usual, able))
    highest = past.highest_max_kg
    most = _MOST_REPS if load is None or highest is None else epley_reps(highest, load)
    return max(_LEAST_REPS, min(expected, most, _MOST_REPS))


def forecast_errors(slots: Iterable[tuple[Slot, Sequence[int]]]) -> tuple[float, ...]:
    """The lifter's own errors, log(done / expected), had each set been predicted on its day.

    Each slot with the indexes of its working sets; an exercise that several slots know from the
    same workouts counts once. Oldest first, the latest `interval.window`.
    """
    days: dict[tuple[str, int, str], _Day] = {}
    for slot, working in slots:
        places, is_whole_load = tuple(working), _is_whole_load(slot)
        known = _shown(slot, slot.exposures, places)
        for at, exposure in enumerate(slot.exposures):
            now = known[at]
            if now is not None:
                key = slot.exercise_template_id, slot.occurrence, exposure.workout_id
                day = _Day(exposure.started_at, now, known[at + 1 :], is_whole_load)
                days.setdefault(key, day)
    errors: list[float] = []  # newest first
    for day in reversed(sorted(days.values(), key=lambda day: day.at)):
        if len(errors) >= INTERVAL_WINDOW.value:
            break
        errors += reversed(_errors(day))
    return tuple(reversed(errors[: INTERVAL_WINDOW.value]))


class _Day(NamedTuple):
    """What a workout showed of an exercise, and what those before had, newest first."""

    at: datetime
    shown: Shown
    before: Sequence[Shown | None]
    is_whole_load: bool


def series_of(slot: Slot, exposures: Iterable[Exposure], working: Sequence[int]) -> SetSeries:
    """The latest exposures as attempts.

    Left out are sets that a decision would not believe either, and what was easy on purpose.
    """
    told = [exposure for exposure in exposures if not exposure.is_easy]
    latest = _shown(slot, told, tuple(working))[: PREDICT_EXPOSURES.value]
    return SetSeries(tuple(each for each in latest if each is not None), _is_whole_load(slot))


def _shown(
    slot: Slot, exposures: Iterable[Exposure], places: tuple[int, ...]
) -> tuple[Shown | None, ...]:
    """What each exposure shows, newest first, judged by those before it."""
    recorded = [
        attempt_of(exposure, places, places, slot.exercise_type, "reps") for exposure in exposures
    ]
    credible = believable(recorded, "whole" if _is_whole_load(slot) else "part")
    return tuple(None if attempt is None else Shown(attempt) for attempt in credible)


def _is_whole_load(slot: Slot) -> bool:
    return slot.exercise_type not in {ASSISTED, WEIGHTED}


def _errors(day: _Day) -> list[float]:
    before = SetSeries(tuple(each for each in day.before if each is not None), day.is_whole_load)
    errors = []
    for place, answer in enumerate(day.shown.attempt.answers):
        if answer is None:
            continue
        expected = expected_reps(before, place, answer.load, answer.planned_reps_low)
        if expected is not None:
            errors.append(round(math.log(max(_attainable(answer), _LEAST_REPS) / expected), 4))
    return errors


def _is_heavier_than_last(recent: Sequence[Shown], place: int, load: float | None) -> bool:
    """Whether the load is more than the last one; the body alone counts as none."""
    if not recent:
        return False
    answer, _ = recent[0].at(place)
    return (load or 0.0) > (answer.load or 0.0) + LOAD_TOLERANCE.value


def _share(place: int) -> float:
    return _SHARES[place] if place < len(_SHARES) else _SHARES[-1]


def _attainable(answer: Answer) -> float:
    reps = answer.reps or 0
    if answer.rpe is None:
        return float(reps)
    return reps + RPE_SHRINK_WEIGHT.value * (effective_reps(reps, answer.rpe) - reps)


@lru_cache(maxsize=8)
def _ascending(errors: tuple[float, ...]) -> tuple[float, ...]:
    """The errors in order; all sets of a plan ask for the same ones."""
    return tuple(sorted(errors))


@lru_cache(maxsize=8)
def _half_width(own: tuple[float, ...]) -> float:
    """Half of the interval as a logarithm: the conformal quantile of the own errors' sizes.

    Whoever logs the same again and again has no errors, and still no certainty: it is never
    narrower than that of the surest lifter of the pool.
    """
    if not own:
        return INTERVAL_POOLED.value
    rank = math.ceil((len(own) + 1) * INTERVAL_LEVEL.value / 100)
    return max(INTERVAL_LEAST.value, sorted(map(abs, own))[min(rank, len(own)) - 1])


def _probability(expected: float, target: int, own: tuple[float, ...]) -> float:
    """How likely at least the target is, counted from half a repetition below it, calibrated.

    Some share of a finite number of errors is never quite 0 or 1.
    """
    needed = math.log(max(target - 0.5, _LEAST_REPS) / expected)
    share = (len(own) - bisect_left(own, needed) + 0.5) / (len(own) + 1)
    for (low, came_low), (high, came_high) in pairwise(PREDICT_CALIBRATION.value):
        if share <= high:
            return came_low + (came_high - came_low) * (share - low) / (high - low)
    return share
