"""Forecasts of the duration of a session from its number of sets."""

from collections.abc import Callable, Sequence
from statistics import fmean, median

from coach_agent.domain.constants.session import DURATION_PERSONAL_MIN_N, DURATION_WINDOW
from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.past_sessions import Session
from coach_agent.evaluation.predictors import REPEAT_LAST, Forecast

# Beyond these, the start or end was not that of the training.
_SHORTEST_MIN, _LONGEST_MIN = 10.0, 240.0
_USUAL_MINUTES_A_SET = 3.0

Expected = Callable[[Sequence[tuple[float, int]], int], float]
"""Return minutes, from minutes and sets of earlier sessions, newest last, and today's sets."""

MINUTES_PREDICTORS: dict[str, Expected] = {
    REPEAT_LAST: lambda earlier, sets: earlier[-1][0],
    "mean of 5": lambda earlier, sets: fmean(minutes for minutes, _ in earlier[-5:]),
    "personal median": lambda earlier, sets: median(minutes for minutes, _ in earlier),
    "3 minutes a set": lambda earlier, sets: _USUAL_MINUTES_A_SET * sets,
    # The statement of a plan, from the same number of sessions as required here.
    "engine": lambda earlier, sets: (
        median(minutes / count for minutes, count in earlier[-DURATION_WINDOW.value :]) * sets
    ),
}


def minutes_cases(log: TrainingLog) -> list[Case]:
    """Return every session of plausible length with at least 10 such sessions known before it."""
    timed = [each for each in log.sessions if _is_plausible(each)]
    cases = []
    for session in timed:
        earlier = [
            (each.minutes or 0.0, each.set_count)
            for each in timed
            if each.known_at < session.started_at
        ]
        if len(earlier) < DURATION_PERSONAL_MIN_N.value:
            continue
        cases.append(
            Case(
                lifter=log.lifter,
                exercise="",
                session_id=session.workout_id,
                started_at=session.started_at,
                actual=session.minutes or 0.0,
                is_hit=False,
                is_near_maximal=False,
                slices=frozenset(),
                forecasts={
                    name: Forecast(expected(earlier, session.set_count))
                    for name, expected in MINUTES_PREDICTORS.items()
                },
            )
        )
    return cases


def _is_plausible(session: Session) -> bool:
    if session.minutes is None or not session.set_count:
        return False
    return _SHORTEST_MIN <= session.minutes <= _LONGEST_MIN
