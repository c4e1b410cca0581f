"""How many repetitions to expect of a set, how surely, and how likely its target is.

What a lifter logs is mostly what was planned, so forecasts are made from logged repetitions and not
from a maximum. With the load of the last time the same is expected again. With another one it is
what was done with loads like it, but with more load no more than the last time and with less no
fewer. A target that lately was within reach is expected.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from coach_agent.domain.constants import (
    EFFORT_RESERVE,
    EFFORT_RESERVE_BIAS,
    LOAD_TOLERANCE,
    PREDICT_AGE_REACH,
    PREDICT_BREAK_SHARE,
    PREDICT_EXPOSURES,
    PREDICT_IN_REACH,
    PREDICT_LOAD_REACH,
    PREDICT_REP_DROPOFF,
    RPE_SHRINK_WEIGHT,
    TYPO_HI,
)
from coach_agent.domain.context import Exposure, Slot
from coach_agent.domain.plan import Prediction, SetPrescription
from coach_agent.engine.forecast.accuracy import LEAST_REPS, Accuracy
from coach_agent.engine.forecast.e1rm import HIGHEST_RPE, LOWEST_RPE, epley_max, epley_reps
from coach_agent.engine.history.attempts import (
    Attempt,
    Measure,
    attempt_of,
)
from coach_agent.engine.history.filter import believable
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import load_of
from coach_agent.engine.models.breaks import Layoff

_MOST_REPS = 86_400.0  # nobody does more, not even seconds
_SHARES = PREDICT_REP_DROPOFF.value
_AGE_REACH, _LOAD_REACH = PREDICT_AGE_REACH.value, PREDICT_LOAD_REACH.value / 100


FIELDS: dict[Measure, str] = {
    "reps": "reps",
    "duration": "duration_s",
    "distance": "distance_m",
}
"""By measure the field of sets and predictions that has it."""
MEASURES: dict[str | None, Measure] = {
    "duration": "duration",
    "weight_duration": "duration",
    "short_distance_weight": "distance",
}
"""By type of exercise the measure that is predicted; all others in repetitions."""


class Told(NamedTuple):
    """What an attempt tells about a place in the order of sets.

    The load in kg, assistance negative; the repetitions done with it, and those in reach, of which
    half of what was left in reserve is believed. `at_ease` are those that a plentiful reserve
    leaves, one less than stated; without one it is 0.
    """

    load: float | None
    reps: float
    in_reach: float
    at_ease: float = 0.0


@dataclass(frozen=True)
class SetSeries:
    """What an exercise's working sets are predicted from.

    `by_place` has for each place in the order of sets what the latest attempts tell of it, newest
    first. `is_whole_load`: the load is all that is moved. Otherwise the body is part of it, and a
    heavier load than the last one is not predicted: how much heavier it is, nobody knows.
    """

    by_place: tuple[tuple[Told, ...], ...]
    is_whole_load: bool


def predictions(
    slot: Slot,
    working: Sequence[int],
    prescribed: Iterable[SetPrescription],
    accuracy: Accuracy,
    goals: Collection[int] = (),
    layoff: Layoff | None = None,
) -> dict[int, Prediction]:
    """By set index, what to expect of each prescribed working set that can be predicted.

    `working` are the indexes of the routine's working sets, `accuracy` is that of `own_accuracy`.
    The target of a range is its lower end, but of the sets in `goals` what is to be done in it.
    After a break less is expected. Without a target or a history there is no prediction, nor for
    endurance work.
    """
    series: dict[Measure, SetSeries] = {}
    found = {}
    for target in prescribed:
        measure = _measure_of(slot, target)
        if target.set_index not in working or measure is None:
            continue
        if measure not in series:
            past = series_of(slot, slot.exposures, working, measure)
            series[measure] = after_break(past, layoff, measure)
        wanted = {
            "reps": _wanted_reps(target, is_goal=target.set_index in goals),
            "duration": target.duration_s,
            "distance": target.distance_m,
        }[measure]
        load = load_of(slot.exercise_type, target.weight_kg)
        place = working.index(target.set_index)
        prediction = predict(series[measure], place, load, wanted, accuracy, measure)
        if prediction is not None:
            found[target.set_index] = prediction
    return found


def _measure_of(slot: Slot, target: SetPrescription) -> Measure | None:
    """What a target asks for; None where it asks for nothing that is predicted."""
    if target.reps is not None or target.rep_range_start is not None:
        return "reps"
    if slot.exercise_type in MEASURES and getattr(target, FIELDS[MEASURES[slot.exercise_type]]):
        return MEASURES[slot.exercise_type]
    return None


def _wanted_reps(target: SetPrescription, *, is_goal: bool) -> int | None:
    if target.rep_range_start is None or (is_goal and target.reps is not None):
        return target.reps
    return target.rep_range_start


def predict(
    past: SetSeries,
    place: int,
    load: float | None,
    target: int | None,
    accuracy: Accuracy,
    measure: Measure = "reps",
) -> Prediction | None:
    """What to expect of the working set at a place, from 0, with a load; None without a basis.

    A step up from the load of the last time never makes more repetitions expected or a target
    likelier, a step down never fewer, and a higher target is never likelier. `load` is kg,
    assistance negative; None for the body alone. `past` and `target` are in the measure.
    """
    expected = expected_reps(past, place, load, target)
    if expected is None:
        return None
    low, high = accuracy.interval(expected)
    is_counted = measure == "reps"
    chance = None if target is None else accuracy.chance(expected, target, is_counted=is_counted)
    return Prediction(
        **{FIELDS[measure]: expected}, low=low, high=high, p_success=chance, n=accuracy.count
    )


def expected_reps(
    past: SetSeries, place: int, load: float | None, target: int | None = None
) -> float | None:
    """The repetitions to expect; with a target those of somebody who tries to reach it.

    Whole, as half of a repetition is never logged, and a half for none at all.
    """
    told = telling(past.by_place[place], load, past.is_whole_load)
    return expected_from(told, load, target, past.is_whole_load) if told else None


def series_of(
    slot: Slot, exposures: Iterable[Exposure], working: Sequence[int], measure: Measure = "reps"
) -> SetSeries:
    """The latest exposures as attempts, in repetitions, seconds or metres.

    Left out are sets that a decision would not believe either, and what was easy on purpose.
    """
    is_whole_load = is_whole_load_of(slot)
    credible = believable(
        _recorded(slot, exposures, tuple(working), measure), "whole" if is_whole_load else "part"
    )
    rows = [_told(each, measure) for each in credible if each is not None]
    rows = rows[: PREDICT_EXPOSURES.value]
    by_place = tuple(tuple(row[place] for row in rows) for place in range(len(working)))
    return SetSeries(by_place, is_whole_load)


def after_break(past: SetSeries, layoff: Layoff | None, measure: Measure = "reps") -> SetSeries:
    """The series with what is left of its repetitions, seconds or metres after a break.

    With a load of one's own choice that is more than with a given one, see `predict.break_share`.
    """
    if layoff is None:
        return past
    by_reps = measure == "reps" and past.is_whole_load
    strength = 1 - PREDICT_BREAK_SHARE.value * (1 - layoff.strength)

    def left(told: Told) -> Told:
        if not by_reps or told.load is None:
            return Told(told.load, told.reps * layoff.reps, told.in_reach * layoff.reps)
        reps, in_reach = (
            max(LEAST_REPS, (each + 30) * strength - 30) for each in (told.reps, told.in_reach)
        )
        return Told(told.load, reps, in_reach)

    places = tuple(tuple(map(left, place)) for place in past.by_place)
    return SetSeries(places, past.is_whole_load)


def _recorded(
    slot: Slot, exposures: Iterable[Exposure], places: tuple[int, ...], measure: Measure
) -> list[Attempt | None]:
    return [
        attempt_of(exposure, places, places, slot.exercise_type, measure) for exposure in exposures
    ]


def is_whole_load_of(slot: Slot) -> bool:
    """Whether the load of an exercise is all that is moved."""
    return slot.exercise_type not in {ASSISTED, WEIGHTED}


def _told(attempt: Attempt, measure: Measure) -> tuple[Told, ...]:
    """What an attempt tells of each place: the set itself, else the one that tells most of it."""
    if measure == "reps":
        return tuple(
            moved(told_by(answer.load, answer.reps or 0, answer.rpe), at, place)
            for place, (at, answer) in enumerate(attempt.nearest)
        )
    return tuple(
        told_by(answer.load, getattr(answer, FIELDS[measure]) or 0, None)
        for _, answer in attempt.nearest
    )


def told_by(load: float | None, reps: int, rpe: float | None) -> Told:
    """What a set tells of its own place; seconds and metres stand in for repetitions."""
    is_rated = rpe is not None and LOWEST_RPE <= rpe <= HIGHEST_RPE
    in_reserve = HIGHEST_RPE - rpe if is_rated and rpe is not None else 0.0
    has_plenty = in_reserve >= EFFORT_RESERVE.value
    at_ease = reps + in_reserve - EFFORT_RESERVE_BIAS.value if has_plenty else 0.0
    return Told(load, float(reps), reps + RPE_SHRINK_WEIGHT.value * in_reserve, at_ease)


def moved(told: Told, from_place: int, place: int) -> Told:
    """What a set stands for at another place.

    Later sets bring fewer repetitions: 97.4 and 94.4 % of the first, measured on public logs.
    """
    if from_place == place:
        return told
    share = _share(place) / _share(from_place)
    return Told(told.load, told.reps * share, told.in_reach * share, told.at_ease * share)


def _share(place: int) -> float:
    return _SHARES[place] if place < len(_SHARES) else _SHARES[-1]


def telling(told: Sequence[Told], load: float | None, is_whole_load: bool) -> Sequence[Told]:
    """What of it tells anything about such a load, newest first."""
    if is_whole_load:
        return [each for each in told if (each.load is None) == (load is None)]
    is_heavier = told and (load or 0.0) > (told[0].load or 0.0) + LOAD_TOLERANCE.value
    return [] if is_heavier else told


def expected_from(
    told: Sequence[Told], load: float | None, target: int | None, is_whole_load: bool
) -> float:
    """The repetitions to expect by what is told, never empty; see `expected_reps`."""
    expected = _usual(told, load, is_whole_load)
    if target is not None and expected < target:
        latest = told[: PREDICT_IN_REACH.value]
        reach = max(_in_reach(each, load, is_whole_load) for each in latest)
        expected = max(expected, min(target, reach))
    if target is not None and told[0].at_ease:
        expected = max(expected, _with_load(told[0], told[0].at_ease, load, is_whole_load))
    return max(LEAST_REPS, float(round(min(expected, _MOST_REPS))))


def _usual(told: Sequence[Told], load: float | None, is_whole_load: bool) -> float:
    """The last time again, or with another load the median of the times with loads like it."""
    last = told[0]
    step = (load or 0.0) - (last.load or 0.0)
    if abs(step) <= LOAD_TOLERANCE.value:
        return last.reps
    pairs = sorted(
        (each.reps, math.exp(-_apart(each.load, load, is_whole_load) - age / _AGE_REACH))
        for age, each in enumerate(told)
    )
    reached = accumulate(weight for _, weight in pairs)
    half = sum(weight for _, weight in pairs) / 2 * (1 - 1e-9)  # sums differ by rounding
    usual = next(reps for (reps, _), sum_ in zip(pairs, reached, strict=True) if sum_ >= half)
    if step < 0:
        return max(usual, last.reps)
    return min(usual, last.reps, _most_believed(told, load) if is_whole_load else last.reps)


def _most_believed(told: Sequence[Told], load: float | None) -> float:
    """The repetitions with a load that would show a maximum just short of a typing error.

    What was done was seldom all that was possible, so no estimate of a maximum is a limit.
    """
    best = max(epley_max(each.load, each.reps) for each in told if each.load is not None)
    return _MOST_REPS if load is None else epley_reps(TYPO_HI.value * best, load)


def _apart(one: float | None, other: float | None, is_whole_load: bool) -> float:
    """How unlike two loads are; where the body is part of it nobody knows, so that one reach is."""
    if abs((one or 0.0) - (other or 0.0)) <= LOAD_TOLERANCE.value:
        return 0.0
    if not is_whole_load or one is None or other is None:
        return 1.0
    return abs(math.log(one / other)) / _LOAD_REACH


def _in_reach(told: Told, load: float | None, is_whole_load: bool) -> float:
    """What an effort like that one brings with a load, after Epley."""
    return _with_load(told, told.in_reach, load, is_whole_load)


def _with_load(told: Told, reps: float, load: float | None, is_whole_load: bool) -> float:
    if not is_whole_load or load is None or told.load is None:
        return reps
    return (reps + 30) * told.load / load - 30
