"""A backtest that could not fail would prove nothing: cheats shine and are caught, chance loses."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from coach_agent.evaluation.cases import Case, cases_of, questions_of
from coach_agent.evaluation.engine_forecast import ENGINE, engine_of_e1rm, engine_of_reps
from coach_agent.evaluation.exposures import PastExposure, TrainingLog
from coach_agent.evaluation.past_sessions import Session
from coach_agent.evaluation.predictors import (
    REPEAT_LAST,
    Forecast,
    Predictor,
    Question,
    baselines_of_e1rm,
    baselines_of_reps,
)
from coach_agent.evaluation.scores import measures_of, score
from tests.coach.evaluation.logs import bench_log

MAE, MAPE = measures_of("reps")["mae"], measures_of("e1rm")["mape"]


def growing_log() -> TrainingLog:
    """A lifter with a gain of 1 % per session, with noise of 3 %, always from 4 to 10 reps."""
    drawn = random.Random(7)  # noqa: S311 - the same log each time
    tops = []
    for session in range(120):
        reps = drawn.randint(4, 10)
        most_kg = 60 * 1.01**session * drawn.gauss(1, 0.03)
        tops.append((round(most_kg / (1 + reps / 30), 1), reps))
    return bench_log(tops, every=3)


def peeking(log: TrainingLog) -> Predictor:
    """Knows what will be done, as a forecaster would that read the session it is asked about."""
    done = {(each.exercise, each.started_at): each for each in log.exposures}

    def predict(question: Question, errors: Sequence[float]) -> Forecast:
        today = done[question.exercise, question.started_at]
        return Forecast(today.top.reps if question.weight_kg else today.e1rm_kg)

    return Predictor("peeking", predict)


def hindsight(log: TrainingLog) -> Predictor:
    """Knows only the mean over the whole log: the usual leak, which does not look like one."""
    reps = [each.top.reps for each in log.exposures]
    maxima = [each.e1rm_kg for each in log.exposures]

    def predict(question: Question, errors: Sequence[float]) -> Forecast:
        told = reps if question.weight_kg else maxima
        return Forecast(sum(told) / len(told))

    return Predictor("hindsight", predict)


def changed_from(log: TrainingLog, moment: datetime) -> TrainingLog:
    """The log with everything that was not known at the moment done with half as much again."""

    def changed(exposure: PastExposure) -> PastExposure:
        if exposure.known_at < moment:
            return exposure
        sets = tuple(
            replace(each, weight_kg=1.5 * each.weight_kg, reps=min(12, each.reps + 2))
            for each in exposure.sets
        )
        return replace(exposure, sets=sets)

    def other(session: Session) -> Session:
        if session.known_at < moment:
            return session
        done = tuple(
            replace(
                each,
                sets=tuple(
                    one.model_copy(
                        update={
                            "weight_kg": 1.5 * (one.weight_kg or 0),
                            "reps": min(12, (one.reps or 0) + 2),
                        }
                    )
                    for one in each.sets
                ),
            )
            for each in session.done
        )
        return replace(session, done=done)

    return replace(
        log,
        exposures=tuple(changed(each) for each in log.exposures),
        sessions=tuple(other(each) for each in log.sessions),
    )


def sees_the_future(log: TrainingLog, made: Callable[[TrainingLog], Predictor]) -> bool:
    """Return whether any forecast depends on later data; the weight is the same in both."""
    for _, question in list(questions_of(log))[::10]:
        answers = [
            made(told).predict(question, ())
            for told in (log, changed_from(log, question.started_at))
        ]
        if answers[0] != answers[1]:
            return True
    return False


@pytest.mark.parametrize("made", [peeking, hindsight])
def test_a_forecaster_that_sees_the_future_is_caught(
    made: Callable[[TrainingLog], Predictor],
) -> None:
    assert sees_the_future(growing_log(), made)


@pytest.mark.parametrize("quantity", ["reps", "e1rm"])
def test_what_comes_later_changes_no_earlier_case(quantity: str) -> None:
    """Asked through the whole pipeline: questions, errors, intervals and all."""
    log = growing_log()
    moment = log.exposures[80].started_at
    later = changed_from(log, moment)
    if quantity == "reps":
        of = [
            cases_of(each, "reps", (*baselines_of_reps(), engine_of_reps()))
            for each in (log, later)
        ]
    else:
        of = [
            cases_of(each, "e1rm", (*baselines_of_e1rm(), engine_of_e1rm()))
            for each in (log, later)
        ]
    before, changed = ([case for case in cases if case.started_at < moment] for cases in of)
    assert before == changed
    assert len(before) > 50
    # It is a change: the forecasts after it differ.
    assert of[0] != of[1]


def test_a_forecaster_that_sees_the_target_shines_beyond_belief() -> None:
    log = growing_log()
    for quantity, measure, floor in (("reps", MAE, 0.5), ("e1rm", MAPE, 1.0)):
        simple = baselines_of_reps() if quantity == "reps" else baselines_of_e1rm()
        cases = cases_of(log, "reps" if quantity == "reps" else "e1rm", (*simple, peeking(log)))
        assert value(cases, "peeking", measure) == 0
        assert all(value(cases, each.name, measure) > floor for each in simple)


def value(cases: Sequence[Case], name: str, measure: Callable[..., float | None]) -> float:
    found = score(cases, name, measure)
    assert found
    return found.value


def shuffled(log: TrainingLog) -> TrainingLog:
    """Return the same sessions in random order: the day carries no information any more."""
    drawn = random.Random(11)  # noqa: S311 - the same order each time
    done = [each.sets for each in log.exposures]
    drawn.shuffle(done)
    exposures = (replace(each, sets=sets) for each, sets in zip(log.exposures, done, strict=True))
    return replace(log, exposures=tuple(exposures))


def test_shuffled_time_destroys_skill() -> None:
    """In order the last session predicts better than the mean of all before; shuffled it does
    not.
    """
    predictors = (
        *baselines_of_e1rm(),
        engine_of_e1rm(),
        Predictor("mean of all", mean_of_all),
    )
    in_order, by_chance = (
        cases_of(log, "e1rm", predictors) for log in (growing_log(), shuffled(growing_log()))
    )
    for name in (REPEAT_LAST, ENGINE):
        skill, none = (
            value(cases, "mean of all", MAPE) - value(cases, name, MAPE)
            for cases in (in_order, by_chance)
        )
        assert skill > 10
        assert none < 0
        assert value(by_chance, name, MAPE) > 4 * value(in_order, name, MAPE)


def mean_of_all(question: Question, errors: Sequence[float]) -> Forecast:
    return Forecast(sum(each.e1rm_kg for each in question.history) / len(question.history))
