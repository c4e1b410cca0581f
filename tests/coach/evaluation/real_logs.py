"""The real training logs, where they are at hand."""

from functools import cache

from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.report import Backtest, Cases, all_cases, backtest
from orchestration.services.evaluation.training_logs import read_log
from tests.coach.past_sessions import LOG_FILES, LOGS


@cache
def real_logs() -> tuple[TrainingLog, ...]:
    return tuple(
        read_log(LOGS / log.file, weight_unit=log.unit, distance_unit=log.unit and "km")
        for log in LOG_FILES
    )


@cache
def real_cases() -> Cases:
    return all_cases(real_logs())


@cache
def real_backtest() -> Backtest:
    return backtest(real_logs(), real_cases())
