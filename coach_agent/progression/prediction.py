"""How many repetitions to expect of a set, how surely, and how likely its target is.

What a lifter logs is mostly what was planned, so forecasts are made from logged repetitions and not
from a maximum. With the load of the last time the same is expected again. With another one it is
what was done with loads like it, but with more load no more than the last time and with less no
fewer. A target that lately was within reach is expected.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

from coach_agent.context import Exposure, Slot
from coach_agent.plan import Prediction, SetPrescription
from coach_agent.progression.accuracy import LEAST_REPS, Accuracy, Outcome, accuracy_of, excess
from coach_agent.progression.constants import (
    INTERVAL_WINDOW,
    LOAD_TOLERANCE,
    PREDICT_AGE_REACH,
    PREDICT_EXPOSURES,
    PREDICT_IN_REACH,
    PREDICT_LOAD_REACH,
    PREDICT_REP_DROPOFF,
    RPE_SHRINK_WEIGHT,
    TYPO_HI,
)
from coach_agent.progression.history import (
    WORKING_TYPES,
    Attempt,
    attempt_of,
    done_sets,
)
from coach_agent.progression.increments import ASSISTED, WEIGHTED
from coach_agent.progression.ladder import load_of
from coach_agent.progression.sifting import believable
from coach_agent.progression.strength import HIGHEST_RPE, LOWEST_RPE, epley_max, epley_reps

_MOST_REPS = 1000.0  # nobody does more
_SHARES = PREDICT_REP_DROPOFF.value
_AGE_REACH, _LOAD_REACH = PREDICT_AGE_REACH.value, PREDICT_LOAD_REACH.value / 100


class Told(NamedTuple):
    """What an attempt tells about a place in the order of sets.

    The load in kg, assistance negative; the repetitions done with it, and those in reach, of which
    half of what was left in reserve is believed.
    """

    load: float | None
    reps: float
    in_reach: float


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
) -> dict[int, Prediction]:
    """By set index, what to expect of each prescribed working set that can be predicted.

    `working` are the indexes of the routine's working sets, `accuracy` is that of `own_accuracy`.
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
        if prediction := predict(past, place, load, low, accuracy):
            found[target.set_index] = prediction
    return found


def predict(
    past: SetSeries, place: int, load: float | None, target: int | None, accuracy: Accuracy
) -> Prediction | None:
    """What to expect of the working set at a place, from 0, with a load; None without a basis.

    A step up from the load of the last time never makes more repetitions expected or a target
    likelier, a step down never fewer, and a higher target is never likelier. `load` is kg,
    assistance negative; None for the body alone.
    """
    expected = expected_reps(past, place, load, target)
    if expected is None:
        return None
    low, high = accuracy.interval(expected)
    chance = None if target is None else accuracy.chance(expected, target)
    return Prediction(reps=expected, low=low, high=high, p_success=chance, n=accuracy.count)


def expected_reps(
    past: SetSeries, place: int, load: float | None, target: int | None = None
) -> float | None:
    """The repetitions to expect; with a target those of somebody who tries to reach it.

    Whole, as half of a repetition is never logged, and a half for none at all.
    """
    told = _telling(past.by_place[place], load, past.is_whole_load)
    return _expected(told, load, target, past.is_whole_load) if told else None


def own_accuracy(slots: Iterable[Slot]) -> Accuracy:
    """How the lifter's own sets went, had each been forecast on its day.

    An exercise that several slots know from the same workouts counts once. Sets are told apart by
    their order alone, so that nothing hangs on the routines as they are now.
    """
    days: dict[tuple[str, int, str], _Day] = {}
    for slot in slots:
        done = [_credible(each, slot.exercise_type) for each in slot.exposures]
        is_whole_load = _is_whole_load(slot)
        for at, exposure in enumerate(slot.exposures):
            key = slot.exercise_template_id, slot.occurrence, exposure.workout_id
            if done[at] and key not in days:
                days[key] = _Day(exposure.started_at, done[at], done[at + 1 :], is_whole_load)
    outcomes: list[Outcome] = []  # newest first
    for day in sorted(days.values(), key=lambda day: day.at, reverse=True):
        if len(outcomes) >= INTERVAL_WINDOW.value:
            break
        outcomes += reversed(_outcomes(day))
    return accuracy_of(outcomes[::-1])


class _Done(NamedTuple):
    """A set as it was done, and what it tells of its place."""

    reps: int
    target: int | None
    told: Told


class _Day(NamedTuple):
    """The sets of a workout, and those of the exposures before, newest first."""

    at: datetime
    done: Sequence[_Done]
    before: Sequence[Sequence[_Done]]
    is_whole_load: bool


def series_of(slot: Slot, exposures: Iterable[Exposure], working: Sequence[int]) -> SetSeries:
    """The latest exposures as attempts.

    Left out are sets that a decision would not believe either, and what was easy on purpose.
    """
    is_whole_load = _is_whole_load(slot)
    credible = believable(
        _recorded(slot, exposures, tuple(working)), "whole" if is_whole_load else "part"
    )
    rows = [_told(each) for each in credible if each is not None][: PREDICT_EXPOSURES.value]
    by_place = tuple(tuple(row[place] for row in rows) for place in range(len(working)))
    return SetSeries(by_place, is_whole_load)


def _recorded(
    slot: Slot, exposures: Iterable[Exposure], places: tuple[int, ...]
) -> list[Attempt | None]:
    return [
        attempt_of(exposure, places, places, slot.exercise_type, "reps") for exposure in exposures
    ]


def _is_whole_load(slot: Slot) -> bool:
    return slot.exercise_type not in {ASSISTED, WEIGHTED}


def _told(attempt: Attempt) -> tuple[Told, ...]:
    """What an attempt tells of each place: the set itself, else the one that tells most of it."""
    return tuple(
        _moved(_told_by(answer.load, answer.reps or 0, answer.rpe), at, place)
        for place, (at, answer) in enumerate(attempt.nearest)
    )


def _told_by(load: float | None, reps: int, rpe: float | None) -> Told:
    is_rated = rpe is not None and LOWEST_RPE <= rpe <= HIGHEST_RPE
    in_reserve = HIGHEST_RPE - rpe if is_rated and rpe is not None else 0.0
    return Told(load, float(reps), reps + RPE_SHRINK_WEIGHT.value * in_reserve)


def _moved(told: Told, from_place: int, place: int) -> Told:
    """What a set stands for at another place.

    Later sets bring fewer repetitions: 97.4 and 94.4 % of the first, measured on public logs.
    """
    if from_place == place:
        return told
    share = _share(place) / _share(from_place)
    return Told(told.load, told.reps * share, told.in_reach * share)


def _share(place: int) -> float:
    return _SHARES[place] if place < len(_SHARES) else _SHARES[-1]


def _outcomes(day: _Day) -> list[Outcome]:
    """What came of each set of a day: with a plan by its target, else by the time before."""
    known = [each for each in day.before if each][: PREDICT_EXPOSURES.value]
    if not known:
        return []
    outcomes = []
    for place, (done, planned, (load, _, _)) in enumerate(day.done):
        # Mostly it is the same again, and then nothing older counts.
        again = _same_again(known[0], place, load, planned)
        told = again or _telling([_at(each, place) for each in known], load, day.is_whole_load)
        if not told:
            continue
        expected = _expected(told, load, planned, day.is_whole_load)
        target = planned or round(told[0].reps)
        aimed = expected if planned else _expected(told, load, target, day.is_whole_load)
        error = math.log(max(done, LEAST_REPS) / expected)
        outcomes.append(Outcome(error, excess(aimed, target) if target else None, done >= target))
    return outcomes


def _same_again(
    before: Sequence[_Done], place: int, load: float | None, planned: int | None
) -> Sequence[Told]:
    """The set of the last time where load and target are those that it had or less."""
    if place >= len(before):
        return ()
    told = before[place].told
    if told.load is None or load is None or abs(told.load - load) > LOAD_TOLERANCE.value:
        return ()
    return (told,) if told.reps >= (planned or 0) else ()


def _at(done: Sequence[_Done], place: int) -> Told:
    if place < len(done):
        return done[place].told
    return _moved(done[-1].told, len(done) - 1, place)


def _credible(exposure: Exposure, exercise_type: str | None) -> list[_Done]:
    """The working sets in their order, without those that the marts or the athlete doubt.

    A doubt that only a decision would have is missed here: one set of hundreds.
    """
    if exposure.is_easy:
        return []
    return [
        _Done(
            done.reps,
            done.planned_reps_low,
            _told_by(load_of(exercise_type, done.weight_kg), done.reps, done.rpe),
        )
        for done in done_sets(exposure, WORKING_TYPES)
        if done.reps is not None
        and (done.is_confirmed or not (done.is_typo_suspect or done.is_confirmed is False))
    ]


def _telling(told: Sequence[Told], load: float | None, is_whole_load: bool) -> Sequence[Told]:
    """What of it tells anything about such a load, newest first."""
    if is_whole_load:
        return [each for each in told if (each.load is None) == (load is None)]
    is_heavier = told and (load or 0.0) > (told[0].load or 0.0) + LOAD_TOLERANCE.value
    return [] if is_heavier else told


def _expected(
    told: Sequence[Told], load: float | None, target: int | None, is_whole_load: bool
) -> float:
    expected = _usual(told, load, is_whole_load)
    if target is not None and expected < target:
        latest = told[: PREDICT_IN_REACH.value]
        reach = max(_in_reach(each, load, is_whole_load) for each in latest)
        expected = max(expected, min(target, reach))
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
    if not is_whole_load or load is None or told.load is None:
        return told.in_reach
    return (told.in_reach + 30) * told.load / load - 30
