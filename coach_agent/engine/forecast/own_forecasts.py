"""Backtest of a lifter's own sets: the outcome of a forecast of each on its day."""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from coach_agent.domain.constants.forecast import INTERVAL_WINDOW, PREDICT_EXPOSURES
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import Exposure, ExposureSet, Slot
from coach_agent.engine.forecast.accuracy import LEAST_REPS, Accuracy, Outcome, accuracy_of, excess
from coach_agent.engine.forecast.reps import (
    FIELDS,
    MEASURES,
    Evidence,
    evidence_of,
    expected_from,
    is_whole_load_of,
    relevant_evidence,
    scale_to_place,
    whole_reps,
)
from coach_agent.engine.history.attempts import WORKING_TYPES, Measure, done_sets
from coach_agent.engine.loads.ladder import load_of


def own_accuracy(slots: Iterable[Slot]) -> Accuracy:
    """Return the accuracy of forecasts of the lifter's own sets, each from data of its day.

    An exercise that several slots have from the same workouts counts once. Sets are identified by
    their order only, independent of the present routines.
    """
    days: dict[tuple[str, int, str], _Day] = {}
    for slot in slots:
        measure = MEASURES.get(slot.exercise_type, "reps")
        done = [_credible(each, slot.exercise_type, measure) for each in slot.exposures]
        is_whole_load = is_whole_load_of(slot)
        for at, exposure in enumerate(slot.exposures):
            key = slot.exercise_template_id, slot.occurrence, exposure.workout_id
            if done[at] and key not in days:
                before = done[at + 1 :]
                days[key] = _Day(exposure.started_at, done[at], before, is_whole_load, measure)
    outcomes: list[Outcome] = []  # newest first
    for day in sorted(days.values(), key=lambda day: day.at, reverse=True):
        if len(outcomes) >= INTERVAL_WINDOW.value:
            break
        outcomes += reversed(_outcomes(day))
    return accuracy_of(outcomes[::-1])


class _Done(NamedTuple):
    """A done set in its measure, and its evidence for its place."""

    amount: int
    target: int | None
    evidence: Evidence


class _Day(NamedTuple):
    """The sets of a workout, and those of the exposures before, newest first."""

    at: datetime
    done: Sequence[_Done]
    before: Sequence[Sequence[_Done]]
    is_whole_load: bool
    measure: Measure


def _outcomes(day: _Day) -> list[Outcome]:
    """Return the outcome of each set of a day: with a plan by its target, otherwise by the time
    before.
    """
    known = [each for each in day.before if each][: PREDICT_EXPOSURES.value]
    if not known:
        return []
    outcomes = []
    for place, (done, planned, (load, *_)) in enumerate(day.done):
        # Mostly the set repeats the last one, and then nothing older counts.
        again = _same_again(known[0], place, load, planned)
        if again is not None:
            expected = aimed = whole_reps(again.reps)
            target = planned or round(again.reps)
        else:
            evidence = relevant_evidence(
                [_at(each, place) for each in known], load, day.is_whole_load
            )
            if not evidence:
                continue
            expected = expected_from(evidence, load, planned, day.is_whole_load)
            target = planned or round(evidence[0].reps)
            aimed = (
                expected if planned else expected_from(evidence, load, target, day.is_whole_load)
            )
        error = math.log(max(done, LEAST_REPS) / expected)
        above = excess(aimed, target, is_counted=day.measure == "reps") if target else None
        outcomes.append(Outcome(error, above, done >= target))
    return outcomes


def _same_again(
    before: Sequence[_Done], place: int, load: float | None, planned: int | None
) -> Evidence | None:
    """Return the set of the last time if load and target are those it had, without a reserve."""
    if place >= len(before):
        return None
    evidence = before[place].evidence
    if evidence.load is None or load is None or abs(evidence.load - load) > LOAD_TOLERANCE.value:
        return None
    return None if evidence.at_ease or evidence.reps < (planned or 0) else evidence


def _at(done: Sequence[_Done], place: int) -> Evidence:
    if place < len(done):
        return done[place].evidence
    return scale_to_place(done[-1].evidence, len(done) - 1, place)


@lru_cache(maxsize=4096)
def _credible(exposure: Exposure, exercise_type: str | None, measure: Measure) -> tuple[_Done, ...]:
    """Return the working sets in order, without those doubted by the marts or the athlete.

    A doubt that only arises in a decision is ignored here: one set of hundreds.
    """
    if exposure.is_easy:
        return ()
    return tuple(
        _Done(
            amount,
            _planned_target(done, measure),
            evidence_of(load_of(exercise_type, done.weight_kg), amount, _rpe(done, measure)),
        )
        for done in done_sets(exposure, WORKING_TYPES)
        if (amount := getattr(done, FIELDS[measure])) is not None
        and (done.is_confirmed or not (done.is_typo_suspect or done.is_confirmed is False))
    )


def _planned_target(done: ExposureSet, measure: Measure) -> int | None:
    """Return the target of its day; None for a distance, which is not stored."""
    if measure == "reps":
        return done.planned_reps_low
    return done.planned_duration_s if measure == "duration" else None


def _rpe(done: ExposureSet, measure: Measure) -> float | None:
    """Return the stated effort, which only implies a reserve of repetitions, not of seconds or
    metres.
    """
    return done.rpe if measure == "reps" else None
