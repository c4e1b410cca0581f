"""The engine's own forecasts as a predictor, for comparison with the baselines."""

from collections.abc import Sequence

from coach_agent.domain.constants.forecast import INTERVAL_WINDOW
from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.e1rm import epley_max
from coach_agent.domain.plan import Prediction
from coach_agent.engine.forecast.session import Rated, expected_max, expected_rpe
from coach_agent.evaluation.plan_inputs import PlanInput
from coach_agent.evaluation.predictors import Forecast, Predictor, Question

ENGINE, AT_WEIGHT = "engine", "engine at this weight"
OWN = frozenset({ENGINE, AT_WEIGHT})
"""The project's own forecasts, which are not compared with each other."""
# Learning needs some earlier exposures, so the window is a bit longer.
_RECENT = INTERVAL_WINDOW.value + 200


def engine_of_reps() -> Predictor:
    """Build the predictor of a plan's statement for the top set: expectation, interval and chance.

    The input is that of a plan of that morning.
    """
    return Predictor(ENGINE, _reps)


def engine_of_e1rm() -> Predictor:
    """Build the predictor of the engine's expected e1RM before a session."""
    return Predictor(ENGINE, _e1rm)


def engine_at_weight() -> Predictor:
    """Build the predictor of the e1RM in a plan's statement for the top set with a known load."""
    return Predictor(AT_WEIGHT, _e1rm_at_weight, is_told_weight=True)


def engine_of_rpe() -> Predictor:
    """Build the predictor of the RPE of a top set with its load and repetitions."""
    return Predictor(ENGINE, _rpe)


def _reps(question: Question, errors: Sequence[float]) -> Forecast | None:
    plan, load = question.find_plan(), question.weight_kg
    # Without a target, which would bias the expectation towards a plan that does not exist.
    found = _top_set(question, plan)
    if found is None or plan is None or load is None:
        return None
    place, expected = found
    stated = plan.forecast(place, load, question.target_reps)
    chance = None if stated is None else stated.p_success
    return Forecast(expected.reps or 0.0, expected.low, expected.high, chance)


def _top_set(question: Question, plan: PlanInput | None) -> tuple[int, Prediction] | None:
    """Return the place and the forecast of the best of the plan's sets with the load.

    Top sets have 1 to 12 repetitions, so the best is one of these; otherwise the one nearest to it.
    """
    if plan is None or question.weight_kg is None:
        return None
    forecasts = ((place, plan.forecast(place, question.weight_kg)) for place in question.places)
    known = [(place, each) for place, each in forecasts if each is not None and each.reps]
    counted = [each for each in known if (each[1].reps or 0) <= E1RM_HARD_MAX_REPS.value]
    if counted:
        return max(counted, key=lambda each: each[1].reps or 0)
    return min(known, key=lambda each: each[1].reps or 0, default=None)


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
    found = _top_set(question, question.find_plan())
    if found is None or question.weight_kg is None:
        return None
    return Forecast(epley_max(question.weight_kg, found[1].reps or 0))
