"""Forecast of a set's repetitions, with an interval and the chance of its target.

A lifter mostly logs what was planned, so forecasts are based on logged repetitions and not on a
maximum. At the last load the last result is expected again. At another load it is the result with
similar loads, limited by the last time: with more load no more, with less load no fewer. A target
that was recently within reach is expected.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import NamedTuple

from coach_agent.domain.constants.forecast import (
    PREDICT_AGE_REACH,
    PREDICT_BREAK_SHARE,
    PREDICT_EXPOSURES,
    PREDICT_IN_REACH,
    PREDICT_LOAD_REACH,
)
from coach_agent.domain.constants.history import TYPO_HI
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import EFFORT_RESERVE, EFFORT_RESERVE_BIAS
from coach_agent.domain.constants.session import PREDICT_REP_DROPOFF
from coach_agent.domain.constants.strength import RPE_SHRINK_WEIGHT
from coach_agent.domain.context import Exposure, Slot
from coach_agent.domain.e1rm import HIGHEST_RPE, LOWEST_RPE, epley_max, epley_reps
from coach_agent.domain.plan import Prediction, SetPrescription
from coach_agent.engine.forecast.accuracy import LEAST_REPS, Accuracy
from coach_agent.engine.history.alternation import kinds_of
from coach_agent.engine.history.attempts import (
    Attempt,
    Measure,
    attempt_of,
)
from coach_agent.engine.history.breaks import Layoff
from coach_agent.engine.history.filter import credible_attempts
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import load_of

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_MOST_REPS = 86_400.0  # an upper bound of all measures, including seconds
_SHARES = PREDICT_REP_DROPOFF.value
_AGE_REACH, _LOAD_REACH = PREDICT_AGE_REACH.value, PREDICT_LOAD_REACH.value / 100


FIELDS: dict[Measure, str] = {
    "reps": "reps",
    "duration": "duration_s",
    "distance": "distance_m",
}
"""The field of sets and predictions by measure."""
MEASURES: dict[str | None, Measure] = {
    "duration": "duration",
    "weight_duration": "duration",
    "short_distance_weight": "distance",
}
"""The predicted measure by exercise type; the default is repetitions."""


class Evidence(NamedTuple):
    """The evidence of an attempt for a place in the order of sets.

    The load in kg, assistance negative; the repetitions done with it, and those in reach, which
    include half of the stated reserve. `at_ease` are the repetitions with a large reserve, one less
    than stated; 0 without one.
    """

    load: float | None
    reps: float
    in_reach: float
    at_ease: float = 0.0


@dataclass(frozen=True)
class SetSeries:
    """The input of predictions for an exercise's working sets.

    `by_place` has the evidence of the latest attempts for each place in the order of sets, newest
    first. `is_whole_load`: the load is all that is moved. Otherwise the body is part of it, and a
    heavier load than the last one is not predicted, because the relative increase is unknown. With
    `body_kg` each load is the total with that body weight.
    """

    by_place: tuple[tuple[Evidence, ...], ...]
    is_whole_load: bool
    body_kg: float = 0.0


def predictions(
    slot: Slot,
    working: Sequence[int],
    prescribed: Iterable[SetPrescription],
    accuracy: Accuracy,
    goals: Collection[int] = (),
    layoff: Layoff | None = None,
    elsewhere: Sequence[Exposure] = (),
    body_kg: float = 0.0,
) -> dict[int, Prediction]:
    """Return predictions by set index for each prescribed working set that can be predicted.

    `working` are the indexes of the routine's working sets, `accuracy` is that of `own_accuracy`.
    The target of a range is its lower end, for sets in `goals` the goal within it. `body_kg` is
    moved with the loads; 0 if unknown, or for loads of their own. After a break less is expected.
    There is no prediction without a target or a history, nor for endurance work.
    """
    series: dict[Measure, SetSeries] = {}
    found = {}
    for target in prescribed:
        measure = _measure_of(slot, target)
        if target.set_index not in working or measure is None:
            continue
        if measure not in series:
            series[measure] = series_of_plan(slot, working, layoff, elsewhere, body_kg, measure)
        wanted = {
            "reps": _target_reps(target, is_goal=target.set_index in goals),
            "duration": target.duration_s,
            "distance": target.distance_m,
        }[measure]
        load = load_of(slot.exercise_type, target.weight_kg)
        place = working.index(target.set_index)
        prediction = predict(series[measure], place, load, wanted, accuracy, measure)
        if prediction is not None:
            found[target.set_index] = prediction
    return found


def series_of_plan(
    slot: Slot,
    working: Sequence[int],
    layoff: Layoff | None,
    elsewhere: Sequence[Exposure],
    body_kg: float = 0.0,
    measure: Measure = "reps",
) -> SetSeries:
    """Return the evidence of a plan for an exercise's working sets; see `predictions`."""
    past = series_of(slot, slot.exposures, working, measure, elsewhere, body_kg)
    return after_break(past, layoff, measure)


def _measure_of(slot: Slot, target: SetPrescription) -> Measure | None:
    """Return the measure of a target; None if it has none that is predicted."""
    if target.reps is not None or target.rep_range_start is not None:
        return "reps"
    if slot.exercise_type in MEASURES and getattr(target, FIELDS[MEASURES[slot.exercise_type]]):
        return MEASURES[slot.exercise_type]
    return None


def _target_reps(target: SetPrescription, *, is_goal: bool) -> int | None:
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
    """Predict the working set at a place, from 0, with a load; None without a basis.

    A step up from the last load never raises the expected repetitions or the chance of a target, a
    step down never lowers them, and a higher target never has a higher chance. `load` is kg,
    assistance negative; None for bodyweight. `past` and `target` are in the measure.
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
    """Return the expected repetitions; with a target, those of a lifter that tries to reach it.

    Whole, because half a repetition is never logged, and a half for none at all.
    """
    load = _with_body(load, past.body_kg)
    evidence = relevant_evidence(past.by_place[place], load, past.is_whole_load)
    return expected_from(evidence, load, target, past.is_whole_load) if evidence else None


def series_of(
    slot: Slot,
    exposures: Iterable[Exposure],
    working: Sequence[int],
    measure: Measure = "reps",
    elsewhere: Sequence[Exposure] = (),
    body_kg: float = 0.0,
) -> SetSeries:
    """Return the latest exposures as attempts, in repetitions, seconds or metres.

    The last one at the own place comes first, then those at all places by recency: on five public
    logs that has the smallest error where another routine has newer work. Excludes sets that a
    decision would not believe either, and deliberately easy ones.
    """
    is_whole_load = is_whole_load_of(slot)
    own, others = (
        [
            each
            for each in credible_attempts(
                _recorded_attempts(slot, known, tuple(working), measure),
                "whole" if is_whole_load else "part",
            )
            if each is not None
        ]
        for known in (exposures, elsewhere)
    )
    if others:
        older = sorted((*own[1:], *others), key=lambda each: each.at or _LONG_AGO, reverse=True)
        own = [*own[:1], *older]
    rows = [_evidence_by_place(each, measure) for each in own[: PREDICT_EXPOSURES.value]]
    by_place = tuple(
        tuple(row[place]._replace(load=_with_body(row[place].load, body_kg)) for row in rows)
        for place in range(len(working))
    )
    return SetSeries(by_place, is_whole_load or body_kg > 0, body_kg)


def _with_body(load: float | None, body_kg: float) -> float | None:
    """Return a load with the body weight that is moved with it, at least a hundredth of that."""
    return max((load or 0.0) + body_kg, body_kg / 100) if body_kg else load


def after_break(past: SetSeries, layoff: Layoff | None, measure: Measure = "reps") -> SetSeries:
    """Return the series with repetitions, seconds or metres reduced by a break.

    With a self-chosen load the loss is smaller than with a given one, see `predict.break_share`.
    """
    if layoff is None:
        return past
    by_reps = measure == "reps" and past.is_whole_load
    strength = 1 - PREDICT_BREAK_SHARE.value * (1 - layoff.strength)

    def left(evidence: Evidence) -> Evidence:
        if not by_reps or evidence.load is None:
            return Evidence(
                evidence.load, evidence.reps * layoff.reps, evidence.in_reach * layoff.reps
            )
        reps, in_reach = (
            max(LEAST_REPS, (each + 30) * strength - 30)
            for each in (evidence.reps, evidence.in_reach)
        )
        return Evidence(evidence.load, reps, in_reach)

    places = tuple(tuple(map(left, place)) for place in past.by_place)
    return replace(past, by_place=places)


def _recorded_attempts(
    slot: Slot, exposures: Iterable[Exposure], places: tuple[int, ...], measure: Measure
) -> list[Attempt | None]:
    return [
        attempt_of(exposure, places, places, slot.exercise_type, measure) for exposure in exposures
    ]


def is_whole_load_of(slot: Slot) -> bool:
    """Return whether the load of an exercise is all that is moved."""
    return slot.exercise_type not in {ASSISTED, WEIGHTED}


def _evidence_by_place(attempt: Attempt, measure: Measure) -> tuple[Evidence, ...]:
    """Return the evidence of an attempt for each place: the set itself, otherwise the nearest
    one.
    """
    if measure == "reps":
        return tuple(
            scale_to_place(evidence_of(answer.load, answer.reps or 0, answer.rpe), at, place)
            for place, (at, answer) in enumerate(attempt.nearest)
        )
    return tuple(
        evidence_of(answer.load, getattr(answer, FIELDS[measure]) or 0, None)
        for _, answer in attempt.nearest
    )


def evidence_of(load: float | None, reps: int, rpe: float | None) -> Evidence:
    """Return the evidence of a set for its own place; seconds and metres replace repetitions."""
    if rpe is None or not LOWEST_RPE <= rpe <= HIGHEST_RPE:
        return Evidence(load, float(reps), float(reps))
    in_reserve = HIGHEST_RPE - rpe
    has_plenty = in_reserve >= EFFORT_RESERVE.value
    at_ease = reps + in_reserve - EFFORT_RESERVE_BIAS.value if has_plenty else 0.0
    return Evidence(load, float(reps), reps + RPE_SHRINK_WEIGHT.value * in_reserve, at_ease)


def scale_to_place(evidence: Evidence, from_place: int, place: int) -> Evidence:
    """Scale the evidence of a set to another place.

    Later sets have fewer repetitions: 97.4 and 94.4 % of the first, measured on public logs.
    """
    if from_place == place:
        return evidence
    share = _share(place) / _share(from_place)
    return Evidence(
        evidence.load, evidence.reps * share, evidence.in_reach * share, evidence.at_ease * share
    )


def _share(place: int) -> float:
    return _SHARES[place] if place < len(_SHARES) else _SHARES[-1]


def relevant_evidence(
    evidence: Sequence[Evidence], load: float | None, is_whole_load: bool
) -> Sequence[Evidence]:
    """Return the evidence that applies to such a load, newest first."""
    if is_whole_load:
        known = [each for each in evidence if (each.load is None) == (load is None)]
        return known if load is None else _of_one_day(known, load)
    is_heavier = evidence and (load or 0.0) > (evidence[0].load or 0.0) + LOAD_TOLERANCE.value
    return [] if is_heavier else evidence


def _of_one_day(evidence: Sequence[Evidence], load: float) -> Sequence[Evidence]:
    """Return the evidence of the kind of day that the load is nearer to, if heavy and light days
    take turns.
    """
    loads = [each.load or 0.0 for each in evidence]
    if not (kinds := kinds_of(loads)):
        return evidence
    known = [(kind, each) for kind, each in zip(kinds, evidence, strict=False) if kind]
    nearest, _ = min(known, key=lambda of_kind: abs((of_kind[1].load or 0.0) - load))
    return [each for kind, each in known if kind == nearest]


def expected_from(
    evidence: Sequence[Evidence], load: float | None, target: int | None, is_whole_load: bool
) -> float:
    """Return the expected repetitions from evidence, which is never empty; see `expected_reps`."""
    usual = usual_reps(evidence, load, is_whole_load)
    return aimed_reps(usual, evidence, load, target, is_whole_load)


def aimed_reps(
    usual: float,
    evidence: Sequence[Evidence],
    load: float | None,
    target: int | None,
    is_whole_load: bool,
) -> float:
    """Return the expected repetitions for a target from the usual ones, see `usual_reps`."""
    expected = usual
    if target is not None and expected < target:
        latest = evidence[: PREDICT_IN_REACH.value]
        reach = max(_in_reach(each, load, is_whole_load) for each in latest)
        expected = max(expected, min(target, reach))
    if target is not None and evidence[0].at_ease:
        expected = max(expected, _with_load(evidence[0], evidence[0].at_ease, load, is_whole_load))
    return whole_reps(expected)


def whole_reps(expected: float) -> float:
    """Return expected repetitions as a lifter logs them: whole, a half for none."""
    return max(LEAST_REPS, float(round(min(expected, _MOST_REPS))))


def usual_reps(evidence: Sequence[Evidence], load: float | None, is_whole_load: bool) -> float:
    """Return the last result, or at another load the weighted median of results with similar
    loads.
    """
    last = evidence[0]
    step = (load or 0.0) - (last.load or 0.0)
    if abs(step) <= LOAD_TOLERANCE.value:
        return last.reps
    usual = last.reps
    if any(each.reps != usual for each in evidence):
        usual = _weighted_median(evidence, load, is_whole_load)
    if step < 0:
        return max(usual, last.reps)
    return min(usual, last.reps, _most_believed(evidence, load) if is_whole_load else last.reps)


def _weighted_median(
    evidence: Sequence[Evidence], load: float | None, is_whole_load: bool
) -> float:
    """Return the median repetitions, with more weight for similar loads and newer results."""
    pairs = sorted(
        (each.reps, math.exp(-_apart(each.load, load, is_whole_load) - age / _AGE_REACH))
        for age, each in enumerate(evidence)
    )
    reached = accumulate(weight for _, weight in pairs)
    half = sum(weight for _, weight in pairs) / 2 * (1 - 1e-9)  # sums differ by rounding
    return next(reps for (reps, _), sum_ in zip(pairs, reached, strict=True) if sum_ >= half)


def _most_believed(evidence: Sequence[Evidence], load: float | None) -> float:
    """Return the repetitions with a load that would imply a maximum just below a typing error.

    Results are seldom maximal, so no estimate of a maximum is a limit.
    """
    best = max(epley_max(each.load, each.reps) for each in evidence if each.load is not None)
    return _MOST_REPS if load is None else epley_reps(TYPO_HI.value * best, load)


def _apart(one: float | None, other: float | None, is_whole_load: bool) -> float:
    """Return the distance of two loads; if the body is part of them it is unknown, so one reach."""
    if abs((one or 0.0) - (other or 0.0)) <= LOAD_TOLERANCE.value:
        return 0.0
    if not is_whole_load or one is None or other is None:
        return 1.0
    return abs(math.log(one / other)) / _LOAD_REACH


def _in_reach(evidence: Evidence, load: float | None, is_whole_load: bool) -> float:
    """Return the repetitions of the same effort with a load, after Epley."""
    return _with_load(evidence, evidence.in_reach, load, is_whole_load)


def _with_load(evidence: Evidence, reps: float, load: float | None, is_whole_load: bool) -> float:
    if not is_whole_load or load is None or evidence.load is None:
        return reps
    return (reps + 30) * evidence.load / load - 30
