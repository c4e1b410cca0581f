"""The engine's own forecasts, as one more predictor beside the simple ones."""

from collections.abc import Sequence
from statistics import fmean

from coach_agent.context import Exposure, ExposureSet, Slot
from coach_agent.evaluation.exposures import PastExposure
from coach_agent.evaluation.predictors import Forecast, Predictor, Question
from coach_agent.progression.constants import PREDICT_DECAY, PREDICT_EXPOSURES
from coach_agent.progression.prediction import predict, series_of

ENGINE = "engine"

_WEIGHTS = tuple(PREDICT_DECAY.value**age for age in range(PREDICT_EXPOSURES.value))


def engine_of_reps() -> Predictor:
    """What a plan would state for the top set: expectation, interval and chance."""
    return Predictor(ENGINE, _reps)


def engine_of_e1rm() -> Predictor:
    """The e1RM that the engine's weights give the latest exposures."""
    return Predictor(ENGINE, _e1rm)


def _reps(question: Question, errors: Sequence[float]) -> Forecast | None:
    slot = Slot(
        exercise_index=0,
        occurrence=1,
        exercise_template_id=question.exercise,
        exercise_title=question.facts.title,
        exercise_type=question.facts.exercise_type,
        equipment=question.facts.equipment,
        exposures=tuple(
            _top_set(each) for each in reversed(question.history[-PREDICT_EXPOSURES.value :])
        ),
    )
    past = series_of(slot, slot.exposures, (0,))
    # No target: it would draw the expectation towards a plan that nobody has made.
    found = predict(past, 0, question.weight_kg, None, ())
    if found is None:
        return None
    stated = predict(past, 0, question.weight_kg, question.target_reps, tuple(errors))
    return Forecast(found.reps, p_target=None if stated is None else stated.p_success)


def _e1rm(question: Question, errors: Sequence[float]) -> Forecast:
    newest_first = [each.e1rm_kg for each in reversed(question.history[-len(_WEIGHTS) :])]
    weighted = [weight * kg for weight, kg in zip(_WEIGHTS, newest_first, strict=False)]
    return Forecast(fmean(weighted) * len(weighted) / sum(_WEIGHTS[: len(weighted)]))


def _top_set(exposure: PastExposure) -> Exposure:
    top = exposure.top
    done = ExposureSet(
        set_index=0, set_type="normal", weight_kg=top.weight_kg, reps=top.reps, rpe=top.rpe
    )
    return Exposure(
        workout_id=exposure.session_id,
        started_at=exposure.started_at,
        is_plan_known=False,
        sets=(done,),
    )
