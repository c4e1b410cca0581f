"""The engine's own forecasts as a predictor, for comparison with the baselines."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from coach_agent.domain.constants.forecast import INTERVAL_WINDOW
from coach_agent.domain.context import Slot
from coach_agent.domain.e1rm import epley_max
from coach_agent.engine.forecast.accuracy import Accuracy
from coach_agent.engine.forecast.own_forecasts import own_accuracy
from coach_agent.engine.forecast.reps import (
    SetSeries,
    after_break,
    expected_reps,
    predict,
    series_of,
)
from coach_agent.engine.forecast.session import Rated, expected_max, expected_rpe
from coach_agent.engine.history.breaks import layoff_before
from coach_agent.engine.history.elsewhere import other_work
from coach_agent.evaluation.exposures import PastExposure
from coach_agent.evaluation.past_days import EXPOSURES, KEPT_DAYS, latest_work
from coach_agent.evaluation.predictors import Forecast, Predictor, Question

ENGINE, AT_WEIGHT = "engine", "engine at this weight"
OWN = frozenset({ENGINE, AT_WEIGHT})
"""The project's own forecasts, which are not compared with each other."""
# Learning needs some earlier exposures, so the window is a bit longer.
_RECENT = INTERVAL_WINDOW.value + 200
_TOP_SET = (0,)


def engine_of_reps() -> Predictor:
    """Build the predictor of a plan's statement for the top set: expectation, interval and chance.

    Uses only a plan's input: the latest exposures of exercises trained in the last 90 days.
    """
    known: dict[str, tuple[object, Accuracy]] = {}

    def accuracy(question: Question) -> Accuracy:
        """Return the accuracy, cached for all exercises of a session."""
        day, found = known.get(question.lifter, (None, Accuracy()))
        if day != question.started_at:
            found = own_accuracy(_slots(question))
            known[question.lifter] = question.started_at, found
        return found

    def predicted(question: Question, errors: Sequence[float]) -> Forecast | None:
        past = _past(question)
        # Without a target, which would bias the expectation towards a plan that does not exist.
        found = predict(past, 0, question.weight_kg, None, accuracy(question))
        if found is None or found.reps is None:
            return None
        stated = predict(past, 0, question.weight_kg, question.target_reps, accuracy(question))
        chance = None if stated is None else stated.p_success
        return Forecast(found.reps, found.low, found.high, chance)

    return Predictor(ENGINE, predicted)


def engine_of_e1rm() -> Predictor:
    """Build the predictor of the engine's expected e1RM before a session."""
    return Predictor(ENGINE, _e1rm)


def engine_at_weight() -> Predictor:
    """Build the predictor of the e1RM in a plan's statement for the top set with a known load."""
    return Predictor(AT_WEIGHT, _e1rm_at_weight, is_told_weight=True)


def engine_of_rpe() -> Predictor:
    """Build the predictor of the RPE of a top set with its load and repetitions."""
    return Predictor(ENGINE, _rpe)


def _rpe(question: Question, errors: Sequence[float]) -> Forecast | None:
    if question.weight_kg is None or question.reps is None:
        return None
    tops = [each.top for each in question.history]
    rated = [Rated(each.weight_kg, each.reps, each.rpe) for each in tops if each.rpe is not None]
    expected = expected_rpe(rated, question.weight_kg, question.reps)
    return None if expected is None else Forecast(expected)


def _e1rm(question: Question, errors: Sequence[float]) -> Forecast:
    recent = [each.best for each in question.everything[-_RECENT:]]
    return Forecast(expected_max([each.best for each in question.history], recent))


def _e1rm_at_weight(question: Question, errors: Sequence[float]) -> Forecast | None:
    if question.weight_kg is None:
        return None
    reps = expected_reps(_past(question), 0, question.weight_kg)
    return None if reps is None else Forecast(epley_max(question.weight_kg, reps))


def _past(question: Question) -> SetSeries:
    """Return the evidence that a plan of today's routine has: its own place first."""
    slot = _slot(question.history[-EXPOSURES:])
    days = [each.started_at.date() for each in slot.exposures]
    layoff = layoff_before(question.started_at.date(), days)
    anywhere = [each.top_alone for each in reversed(question.history)]
    own = [
        each.top_alone for each in reversed(question.history) if each.routine == question.routine
    ]
    exposures = latest_work(own[:EXPOSURES], anywhere[:EXPOSURES])
    past = series_of(slot, exposures, _TOP_SET, elsewhere=other_work(exposures, anywhere))
    return after_break(past, layoff)


def _slots(question: Question) -> list[Slot]:
    """Return all recently trained exercises, each with only its top set."""
    oldest = question.started_at - timedelta(days=KEPT_DAYS)
    latest: dict[str, list[PastExposure]] = defaultdict(list)
    for each in reversed(question.everything):
        if each.started_at < oldest:
            break
        if len(latest[each.exercise]) < EXPOSURES:
            latest[each.exercise].append(each)
    return [_slot(found[::-1]) for found in latest.values()]


def _slot(oldest_first: Sequence[PastExposure]) -> Slot:
    newest = oldest_first[-1]
    return Slot(
        exercise_index=0,
        occurrence=1,
        exercise_template_id=newest.exercise,
        exercise_title=newest.facts.title,
        exercise_type=newest.facts.exercise_type,
        equipment=newest.facts.equipment,
        exposures=tuple(each.top_alone for each in reversed(oldest_first)),
    )
