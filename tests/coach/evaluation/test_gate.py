"""Each limit is kept just within, broken just beyond, and not tested without data."""

from dataclasses import replace

import pytest

from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.engine_forecast import ENGINE
from coach_agent.evaluation.gate import (
    bias_verdict,
    calibration_verdicts,
    coverage_verdict,
    reps_verdict,
    violation_verdicts,
)
from coach_agent.evaluation.predictors import Forecast
from coach_agent.evaluation.report import Bin
from coach_agent.evaluation.safety import ROUNDING, Safety
from coach_agent.evaluation.scores import Score
from tests.coach.evaluation.test_scores import case


def cases(engine_errors: dict[str, float], **simple_errors: float) -> list[Case]:
    """Twenty cases of each lifter, with how far the engine was off there and others everywhere."""
    found = []
    for lifter, error in engine_errors.items():
        forecasts = {name: Forecast(10 + by) for name, by in simple_errors.items()}
        forecasts[ENGINE] = Forecast(10 + error)
        found += [replace(case(10, lifter=lifter), forecasts=forecasts)] * 20
    return found


@pytest.mark.parametrize(
    ("errors", "status"),
    [
        ({"a": 1.0, "b": 1.0}, "kept"),
        ({"a": 1.04, "b": 1.04}, "kept"),
        ({"a": 1.06, "b": 1.06}, "broken"),
        # Better on average, but not significantly: drawn twice, the worse lifter decides.
        ({"a": 0.5, "b": 1.06}, "broken"),
        ({"a": 0.5}, "not tested"),
    ],
    ids=["equal", "a little worse", "worse", "better but unsure", "one lifter"],
)
def test_repetitions(errors: dict[str, float], status: str) -> None:
    assert reps_verdict(cases(errors, last=1.0, best=3.0)).status == status


def test_repetitions_are_compared_with_the_best_of_the_simple_forecasts() -> None:
    found = reps_verdict(cases({"a": 2.0, "b": 2.0}, last=3.0, best=1.0))
    assert (found.status, found.measured) == ("broken", "+1.000 [+1.000, +1.000] against best")
    assert reps_verdict([]).status == "not tested"


@pytest.mark.parametrize(
    ("coverage", "status"),
    [(74.9, "broken"), (75.0, "kept"), (85.0, "kept"), (85.1, "broken")],
)
def test_coverage(coverage: float, status: str) -> None:
    """A single lifter below is no breach: 60 and 90 are 75 on the whole."""
    found = coverage_verdict("interval", Score(coverage, None, None, {"a": 60, "b": 90}))
    assert found.status == status
    assert found.measured == f"{coverage:.1f} % (60 to 90 by lifter)"
    assert coverage_verdict("interval", None).status == "not tested"


@pytest.mark.parametrize(
    ("bias", "status"), [(0.99, "kept"), (-0.99, "kept"), (1.0, "broken"), (-1.0, "broken")]
)
def test_bias(bias: float, status: str) -> None:
    assert bias_verdict(Score(bias, None, None, {"a": bias})).status == status
    assert bias_verdict(None).status == "not tested"


@pytest.mark.parametrize(
    ("error", "count", "status"),
    [(0.049, 400, "kept"), (0.05, 400, "broken"), (0.5, 399, "not tested"), (None, 0, None)],
)
def test_calibration(error: float | None, count: int, status: str | None) -> None:
    chance = None if error is None else 0.5
    came = None if error is None else 0.5 + error
    told = Bin(0.4, 0.6, count, chance, came, error, is_tested=count >= 400)
    [found] = calibration_verdicts([told])
    assert found.status == (status or "not tested")


def test_a_hard_limit_may_not_be_broken_once() -> None:
    clean, dirty = Safety("a", set_count=100), Safety("b", set_count=50)
    dirty.violations[ROUNDING] += 1
    found = {each.name: each for each in violation_verdicts([clean, dirty])}
    assert {each.status for each in found.values()} == {"kept", "broken"}
    assert (found[ROUNDING].status, found[ROUNDING].measured) == ("broken", "1 times in 150 sets")
    assert {each.status for each in violation_verdicts([Safety("c")])} == {"not tested"}
    assert violation_verdicts([]) == ()
