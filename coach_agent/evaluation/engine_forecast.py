"""The engine's own forecasts, as one more predictor beside the simple ones."""

from collections.abc import Sequence

from coach_agent.context import Exposure, ExposureSet, Slot
from coach_agent.evaluation.exposures import PastExposure
from coach_agent.evaluation.predictors import Forecast, Predictor, Question
from coach_agent.progression.constants import INTERVAL_WINDOW, PREDICT_EXPOSURES
from coach_agent.progression.forecasting import Shown, expected_max, expected_reps
from coach_agent.progression.prediction import predict, series_of

ENGINE, BLENDED, AT_WEIGHT = "engine", "blended", "engine at this weight"
OWN = frozenset({ENGINE, BLENDED, AT_WEIGHT})
"""The project's own forecasts: no rivals of each other."""
# Lessons need some exposures before them, so a few more are looked at than are learned from.
_RECENT = INTERVAL_WINDOW.value + 200


def engine_of_reps() -> Predictor:
    """What a plan would state for the top set: expectation, interval and chance."""
    return Predictor(ENGINE, _reps)


def blended_reps() -> Predictor:
    """What the forecaster of maxima says of repetitions; no plan states it yet."""
    return Predictor(BLENDED, _blended_reps)


def engine_of_e1rm() -> Predictor:
    """The e1RM that the engine expects before a session."""
    return Predictor(ENGINE, _e1rm)


def engine_told_weight() -> Predictor:
    """The e1RM that it expects once the load is known."""
    return Predictor(AT_WEIGHT, _e1rm_at_weight, is_told_weight=True)


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


def _blended_reps(question: Question, errors: Sequence[float]) -> Forecast | None:
    if question.weight_kg is None:
        return None
    return Forecast(expected_reps(*_known(question), question.weight_kg))


def _e1rm(question: Question, errors: Sequence[float]) -> Forecast:
    return Forecast(expected_max(*_known(question)))


def _e1rm_at_weight(question: Question, errors: Sequence[float]) -> Forecast:
    return Forecast(expected_max(*_known(question), load_kg=question.weight_kg))


def _known(question: Question) -> tuple[list[Shown], list[Shown]]:
    """What was shown of the exercise, and lately of all, oldest first."""
    recent = question.everything[-_RECENT:]
    return [each.shown for each in question.history], [each.shown for each in recent]


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
