"""Questions to predictors and their forecasts, and the simple baselines.

A predictor is a pure function of a question and of its own earlier errors. It has no access to the
result: a question holds only data known before the session began.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median
from typing import NamedTuple

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.e1rm import HIGHEST_RPE, effective_reps, epley_max, epley_reps
from coach_agent.engine.loads.increments import learned_increment_kg
from coach_agent.evaluation.exposures import PastExposure
from coach_agent.evaluation.plan_inputs import PlanInput
from coach_agent.planning.between_sets import ExerciseFacts


@dataclass(frozen=True)
class Question:
    """An exercise of a session that is about to begin at `started_at` (aware UTC).

    `history` are the earlier exposures of the exercise, `everything` those of all exercises of the
    lifter, both newest last and only with data known before. `weight_kg` is the load of today's top
    set, given for a forecast of its repetitions, None for one of a maximum, `places` those of the
    working sets with that load, from 0. `target_reps` are those
    of the last top set: exports hold no plans, so repeating them is the assumed target. `reps` are
    today's, given only for a forecast of their stated RPE. `find_plan` returns the input of a
    plan of that day for the exercise; None if it had no history that a plan uses.
    """

    lifter: str
    exercise: str
    facts: ExerciseFacts
    started_at: datetime
    history: tuple[PastExposure, ...]
    everything: tuple[PastExposure, ...]
    weight_kg: float | None
    target_reps: int
    reps: int | None = None
    find_plan: Callable[[], PlanInput | None] = lambda: None
    places: tuple[int, ...] = (0,)


class Forecast(NamedTuple):
    """An expected value with its 80 % interval and the chance of at least the target.

    None values are derived from the predictor's earlier errors, in the same way for all.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p_target: float | None = None


Predict = Callable[[Question, Sequence[float]], Forecast | None]
"""Return a forecast or None, from a question and the predictor's latest errors of this lifter.

Errors are log(done / expected) of earlier questions of the same kind about any exercise, newest
last, only of sessions that were known; at most `interval.window`.
"""


class Predictor(NamedTuple):
    """A named forecaster.

    `is_told_weight`: it gets today's load also for a maximum, which is not available to a forecast
    before the session.
    """

    name: str
    predict: Predict
    is_told_weight: bool = False


REPEAT_LAST = "repeat last"
_USUAL_STEP_KG = 2.5  # default increment if the lifter's own is unknown: a pair of small plates
# Lifters cannot distinguish more than five repetitions in reserve.
_LOWEST_FORECAST_RPE = 5.0

_Series = Callable[[Sequence[float]], float]
"""Return the next value, from those of earlier exposures, newest last and never empty."""


def baselines_of_reps() -> tuple[Predictor, ...]:
    """Return the simple forecasts of the top set's repetitions with a known load.

    All but the last two ignore the load, like lifters that choose a range of repetitions and adapt
    the load to it.
    """
    return (
        *(Predictor(name, _of_reps(series)) for name, series in _SERIES),
        Predictor("last + increment", _last_reps_and_one),
        Predictor("last at this weight", _last_reps_at_this_weight),
        Predictor("e1RM of the last", _reps_of_last_e1rm),
    )


def baselines_of_e1rm() -> tuple[Predictor, ...]:
    """Return the simple forecasts of a session's best e1RM, before its load is known, in kg."""
    return (
        *(Predictor(name, _of_e1rm(series)) for name, series in _SERIES),
        Predictor("last + increment", _last_e1rm_and_a_step),
        Predictor("last at this weight", _last_e1rm_at_this_weight, is_told_weight=True),
    )


def baselines_of_rpe() -> tuple[Predictor, ...]:
    """Return the simple forecasts of the stated RPE of a top set, from earlier ones."""
    return (
        Predictor(REPEAT_LAST, _of_rpe(_last)),
        Predictor("mean of 5", _of_rpe(_mean_of_5)),
        Predictor("e1RM of the last", _rpe_of_last_e1rm),
    )


def _last(values: Sequence[float]) -> float:
    return values[-1]


def _mean_of_3(values: Sequence[float]) -> float:
    return fmean(values[-3:])


def _mean_of_5(values: Sequence[float]) -> float:
    return fmean(values[-5:])


def _ewma(values: Sequence[float]) -> float:
    """Return the moving average with weight 0.5 for each new value."""
    level = values[0]
    for value in values[1:]:
        level += 0.5 * (value - level)
    return level


def _median_of_5(values: Sequence[float]) -> float:
    return median(values[-5:])


_SERIES: tuple[tuple[str, _Series], ...] = (
    (REPEAT_LAST, _last),
    ("mean of 3", _mean_of_3),
    ("mean of 5", _mean_of_5),
    ("EWMA 0.5", _ewma),
    ("median of 5", _median_of_5),
    ("all-time best", max),
)


def _of_reps(series: _Series) -> Predict:
    def predict(question: Question, errors: Sequence[float]) -> Forecast:
        return Forecast(series([each.top.reps for each in question.history]))

    return predict


def _of_e1rm(series: _Series) -> Predict:
    def predict(question: Question, errors: Sequence[float]) -> Forecast:
        return Forecast(series([each.e1rm_kg for each in question.history]))

    return predict


def _of_rpe(series: _Series) -> Predict:
    def predict(question: Question, errors: Sequence[float]) -> Forecast | None:
        stated = [each.top.rpe for each in question.history if each.top.rpe is not None]
        return Forecast(series(stated)) if stated else None

    return predict


def _rpe_of_last_e1rm(question: Question, errors: Sequence[float]) -> Forecast | None:
    """Return 10 minus the reserve that the last rated top set implies for today; from 5 to 10."""
    rated = [each.top for each in question.history if each.top.rpe is not None]
    if not rated or question.weight_kg is None or question.reps is None:
        return None
    most_kg = epley_max(rated[-1].weight_kg, effective_reps(rated[-1].reps, rated[-1].rpe))
    in_reserve = epley_reps(most_kg, question.weight_kg) - question.reps
    return Forecast(min(HIGHEST_RPE, max(_LOWEST_FORECAST_RPE, HIGHEST_RPE - in_reserve)))


def _last_reps_and_one(question: Question, errors: Sequence[float]) -> Forecast:
    return Forecast(question.history[-1].top.reps + 1)


def _last_e1rm_and_a_step(question: Question, errors: Sequence[float]) -> Forecast:
    """Forecast the last top set with one more step: the lifter's own one, by default 2.5 kg."""
    last = question.history[-1].top
    step = learned_increment_kg([each.top.weight_kg for each in question.history])
    return Forecast(epley_max(last.weight_kg + (step or _USUAL_STEP_KG), last.reps))


def _last_reps_at_this_weight(question: Question, errors: Sequence[float]) -> Forecast | None:
    same = _last_at_this_weight(question)
    return _reps_of_last_e1rm(question, errors) if same is None else Forecast(same.top.reps)


def _last_e1rm_at_this_weight(question: Question, errors: Sequence[float]) -> Forecast:
    same = _last_at_this_weight(question)
    return Forecast((same or question.history[-1]).e1rm_kg)


def _reps_of_last_e1rm(question: Question, errors: Sequence[float]) -> Forecast | None:
    """Forecast repetitions from the last session's best e1RM and today's load, at least one."""
    if question.weight_kg is None:
        return None
    return Forecast(max(1.0, epley_reps(question.history[-1].e1rm_kg, question.weight_kg)))


def _last_at_this_weight(question: Question) -> PastExposure | None:
    """Return the latest exposure with today's load in its top set."""
    for each in reversed(question.history):
        if (
            question.weight_kg is not None
            and abs(each.top.weight_kg - question.weight_kg) <= LOAD_TOLERANCE.value
        ):
            return each
    return None
