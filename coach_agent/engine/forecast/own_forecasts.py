"""Backtest of a lifter's own sets: the outcome of a forecast of each on its day."""

import math
from collections.abc import Iterable, Sequence
from operator import itemgetter

from coach_agent.domain.constants.forecast import INTERVAL_WINDOW, PREDICT_EXPOSURES
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import Exposure, ExposureSet, Slot
from coach_agent.engine.forecast.accuracy import LEAST_REPS, Accuracy, Outcome, accuracy_of, excess
from coach_agent.engine.forecast.reps import (
    FIELDS,
    MEASURES,
    Evidence,
    aimed_reps,
    evidence_of,
    is_whole_load_of,
    relevant_evidence,
    scale_to_place,
    usual_reps,
    whole_reps,
)
from coach_agent.engine.history.attempts import WORKING_TYPES, Measure, done_sets
from coach_agent.engine.loads.ladder import load_of


def own_accuracy(slots: Iterable[Slot]) -> Accuracy:
    """Return the accuracy of forecasts of the lifter's own sets, each from data of its day.

    An exercise that several slots have from the same workouts counts once. Sets are identified by
    their order only, independent of the present routines.
    """
    workouts = [
        (each.started_at, slot, at) for slot in slots for at, each in enumerate(slot.exposures)
    ]
    workouts.sort(key=itemgetter(0), reverse=True)
    sets: dict[int, list[tuple[_Done, ...]]] = {}
    counted: set[tuple[str, int, str]] = set()
    outcomes: list[Outcome] = []  # newest first
    for _, slot, at in workouts:
        if len(outcomes) >= INTERVAL_WINDOW.value:
            break
        key = slot.exercise_template_id, slot.occurrence, slot.exposures[at].workout_id
        if key in counted:
            continue
        measure = MEASURES.get(slot.exercise_type, "reps")
        if id(slot) not in sets:
            sets[id(slot)] = [
                _credible(each, slot.exercise_type, measure) for each in slot.exposures
            ]
        done, *before = sets[id(slot)][at:]
        if done:
            counted.add(key)
            outcomes += reversed(_outcomes(done, before, is_whole_load_of(slot), measure))
    return accuracy_of(outcomes[::-1])


_Done = tuple[int | None, Evidence]
"""The target of a done set on its day, and its evidence for its place."""


def _outcomes(
    done: Sequence[_Done],
    before: Sequence[Sequence[_Done]],
    is_whole_load: bool,
    measure: Measure,
) -> list[Outcome]:
    """Return the outcome of each set of a workout: with a plan by its target, otherwise by the time
    before.

    `before` are the sets of the workouts before, newest first.
    """
    known = [each for each in before if each][: PREDICT_EXPOSURES.value]
    if not known:
        return []
    outcomes = []
    for place, (planned, own) in enumerate(done):
        # Mostly the set repeats the last one, and then nothing older counts.
        again = _same_again(known[0], place, own.load, planned)
        if again is not None:
            expected = aimed = whole_reps(again.reps)
            target = planned or round(again.reps)
        else:
            latest = [_at(each, place) for each in known]
            evidence = relevant_evidence(latest, own.load, is_whole_load)
            if not evidence:
                continue
            usual = usual_reps(evidence, own.load, is_whole_load)
            target = planned or round(evidence[0].reps)
            aimed = aimed_reps(usual, evidence, own.load, target, is_whole_load)
            expected = (
                aimed
                if target == planned
                else aimed_reps(usual, evidence, own.load, planned, is_whole_load)
            )
        error = math.log(max(own.reps, LEAST_REPS) / expected)
        above = excess(aimed, target, is_counted=measure == "reps") if target else None
        outcomes.append(Outcome(error, above, own.reps >= target))
    return outcomes


def _same_again(
    before: Sequence[_Done], place: int, load: float | None, planned: int | None
) -> Evidence | None:
    """Return the set of the last time if load and target are those it had, without a reserve."""
    if place >= len(before):
        return None
    _, evidence = before[place]
    if evidence.load is None or load is None or abs(evidence.load - load) > LOAD_TOLERANCE.value:
        return None
    return None if evidence.at_ease or evidence.reps < (planned or 0) else evidence


def _at(done: Sequence[_Done], place: int) -> Evidence:
    if place < len(done):
        return done[place][1]
    return scale_to_place(done[-1][1], len(done) - 1, place)


def _credible(exposure: Exposure, exercise_type: str | None, measure: Measure) -> tuple[_Done, ...]:
    """Return the working sets in order, without those doubted by the marts or the athlete.

    A doubt that only arises in a decision is ignored here: one set of hundreds.
    """
    if exposure.is_easy:
        return ()
    field, is_counted = FIELDS[measure], measure == "reps"
    return tuple(
        (
            _planned_target(done, measure),
            # Effort only implies a reserve of repetitions, not of seconds or metres.
            evidence_of(
                load_of(exercise_type, done.weight_kg), amount, done.rpe if is_counted else None
            ),
        )
        for done in done_sets(exposure, WORKING_TYPES)
        if (amount := getattr(done, field)) is not None
        and (done.is_confirmed or not (done.is_typo_suspect or done.is_confirmed is False))
    )


def _planned_target(done: ExposureSet, measure: Measure) -> int | None:
    """Return the target of its day; None for a distance, which is not stored."""
    if measure == "reps":
        return done.planned_reps_low
    return done.planned_duration_s if measure == "duration" else None
