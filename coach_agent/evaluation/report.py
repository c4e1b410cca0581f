"""A complete backtest: its inputs, the score of every forecaster, and the intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.evaluation.cases import SLICES, Case, Quantity, cases_of
from coach_agent.evaluation.engine_forecast import (
    ENGINE,
    engine_at_weight,
    engine_of_e1rm,
    engine_of_reps,
    engine_of_rpe,
)
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.predictors import (
    REPEAT_LAST,
    Predictor,
    baselines_of_e1rm,
    baselines_of_reps,
    baselines_of_rpe,
)
from coach_agent.evaluation.scores import (
    DRAWS,
    FEWEST_CASES,
    SEED,
    Score,
    difference,
    measures_of,
    score,
)
from coach_agent.evaluation.session_minutes import minutes_cases

BINS = 5
FEWEST_IN_A_BIN = 400
"""Minimum forecasts for a standard error of a share of at most 0.025."""


@dataclass(frozen=True)
class Input:
    """The input of one lifter; `rejected_rows` could not be parsed."""

    lifter: str
    sha256: str
    sessions: int
    exposures: int
    doubted_sets: int
    rejected_rows: int


@dataclass(frozen=True)
class PredictorReport:
    """A forecaster's measures by name, and its main one minus that of repeating the last session.

    Null if no lifter has enough cases.
    """

    name: str
    is_told_weight: bool
    cases: int
    scores: dict[str, Score | None]
    versus_repeat_last: Score | None


@dataclass(frozen=True)
class SliceReport:
    """The main measure on a part of the cases, by forecaster."""

    name: str
    cases: int
    scores: dict[str, Score | None]
    versus_repeat_last: dict[str, Score | None]


@dataclass(frozen=True)
class Bin:
    """The reached share of targets with the engine's chance between two bounds.

    `error` is the difference of the two shares; `is_tested`: there are enough forecasts.
    """

    low: float
    high: float
    count: int
    stated: float | None
    came: float | None
    error: float | None
    is_tested: bool


@dataclass(frozen=True)
class QuantityReport:
    """The report of one quantity; the first of `measures` is the main one."""

    quantity: Quantity
    cases: int
    cases_by_lifter: dict[str, int]
    measures: tuple[str, ...]
    predictors: tuple[PredictorReport, ...]
    slices: tuple[SliceReport, ...]
    calibration: tuple[Bin, ...]

    def of(self, name: str) -> PredictorReport:
        """Return the report of a forecaster in the backtest."""
        return next(each for each in self.predictors if each.name == name)


@dataclass(frozen=True)
class Backtest:
    """A reproducible backtest: same inputs, same rules, same numbers."""

    rule_version: str
    seed: int
    draws: int
    fewest_cases: int
    inputs: tuple[Input, ...]
    quantities: dict[Quantity, QuantityReport]


Cases = dict[Quantity, list[Case]]


def case_count(logs: Sequence[TrainingLog]) -> int:
    """Return an upper bound of the number of cases of these logs."""
    return len(("reps", "e1rm", "rpe")) * sum(len(log.exposures) for log in logs)


def all_cases(
    logs: Sequence[TrainingLog],
    on_case: Callable[[], None] = lambda: None,
    more: Sequence[Predictor] = (),
) -> Cases:
    """Return every case of all logs by quantity; `more` are forecasters of repetitions and
    maxima.
    """
    of_reps = (*baselines_of_reps(), engine_of_reps(), *more)
    of_rpe = (*baselines_of_rpe(), engine_of_rpe())
    of_e1rm = (*baselines_of_e1rm(), engine_of_e1rm(), engine_at_weight(), *more)
    return {
        "reps": [case for log in logs for case in cases_of(log, "reps", of_reps, on_case)],
        "e1rm": [case for log in logs for case in cases_of(log, "e1rm", of_e1rm, on_case)],
        "rpe": [case for log in logs for case in cases_of(log, "rpe", of_rpe, on_case)],
        "minutes": [case for log in logs for case in minutes_cases(log)],
    }


def backtest(logs: Sequence[TrainingLog], cases: Cases) -> Backtest:
    """Score all cases."""
    with_weight = {each.name for each in baselines_of_e1rm() if each.is_told_weight}
    return Backtest(
        rule_version=rule_version(),
        seed=SEED,
        draws=DRAWS,
        fewest_cases=FEWEST_CASES,
        inputs=tuple(
            Input(
                lifter=log.lifter,
                sha256=log.input_sha256,
                sessions=len(log.sessions),
                exposures=len(log.exposures),
                doubted_sets=log.doubted_count,
                rejected_rows=log.rejected_rows,
            )
            for log in logs
        ),
        quantities={
            quantity: _quantity(quantity, found, with_weight if quantity == "e1rm" else set())
            for quantity, found in cases.items()
        },
    )


def _quantity(quantity: Quantity, cases: Sequence[Case], with_weight: set[str]) -> QuantityReport:
    measures = measures_of(quantity)
    main = next(iter(measures.values()))
    names = list(cases[0].forecasts) if cases else []
    lifters = sorted({case.lifter for case in cases})
    slices = []
    for part in SLICES if ENGINE in names else ():
        chosen = [case for case in cases if part in case.slices]
        if chosen:
            slices.append(
                SliceReport(
                    name=part,
                    cases=len(chosen),
                    scores={name: score(chosen, name, main) for name in names},
                    versus_repeat_last={
                        name: difference(chosen, name, REPEAT_LAST, main) for name in names
                    },
                )
            )
    return QuantityReport(
        quantity=quantity,
        cases=len(cases),
        cases_by_lifter={
            lifter: sum(case.lifter == lifter for case in cases) for lifter in lifters
        },
        measures=tuple(measures),
        predictors=tuple(
            PredictorReport(
                name=name,
                is_told_weight=name in with_weight,
                cases=sum(case.forecasts[name] is not None for case in cases),
                scores={key: score(cases, name, measure) for key, measure in measures.items()},
                versus_repeat_last=difference(cases, name, REPEAT_LAST, main),
            )
            for name in names
        ),
        slices=tuple(slices),
        calibration=calibration(cases, ENGINE) if quantity == "reps" and ENGINE in names else (),
    )


def calibration(cases: Sequence[Case], predictor: str) -> tuple[Bin, ...]:
    """Compare a forecaster's chances of the target with the reached share, in fifths.

    All lifters together: a bin of one lifter alone would rarely have enough cases.
    """
    return fifths(
        [
            (forecast.p_target, case.is_hit)
            for case in cases
            if (forecast := case.forecasts[predictor]) is not None and forecast.p_target is not None
        ]
    )


def fifths(chances: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    """Group stated chances and their results in fifths of the chance."""
    stated: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, came in chances:
        stated[min(int(chance * BINS), BINS - 1)].append((chance, came))
    return tuple(_bin(place, pairs) for place, pairs in enumerate(stated))


def _bin(place: int, pairs: Sequence[tuple[float, bool]]) -> Bin:
    count = len(pairs)
    chance = sum(each for each, _ in pairs) / count if pairs else None
    share = sum(is_hit for _, is_hit in pairs) / count if pairs else None
    return Bin(
        low=place / BINS,
        high=(place + 1) / BINS,
        count=count,
        stated=chance,
        came=share,
        error=None if chance is None or share is None else abs(chance - share),
        is_tested=count >= FEWEST_IN_A_BIN,
    )
