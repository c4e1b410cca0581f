"""The command's numbers against a second, small computation from the raw file."""

from pathlib import Path

import pytest

from coach_agent.evaluation.cases import cases_of
from coach_agent.evaluation.predictors import baselines_of_e1rm, baselines_of_reps
from coach_agent.evaluation.report import Cases, backtest
from hevy_connector.csv_imports.dialects import Unit
from orchestration.services.evaluation.training_logs import read_log
from tests.coach.evaluation.logs import invented_export
from tests.coach.evaluation.oracle import SIMPLE_FORECASTS, errors

LOGS = Path(__file__).parents[3] / ".." / "shared" / "data"

# Without the two whose rows need more care than a small computation takes: one stands twice in its
# file, one has too few sessions of any exercise.
REAL = (
    ("hevy-ferreira-mit/hevy_workouts_raw.csv", None),
    ("strong-breinsp/strong.csv", "kg"),
    ("strong-ysmath/strong_workouts.csv", "kg"),
)


def agree(path: Path, unit: Unit | None) -> None:
    log = read_log(path, weight_unit=unit, distance_unit=unit and "km")
    cases: Cases = {
        "reps": cases_of(log, "reps", baselines_of_reps()),
        "e1rm": cases_of(log, "e1rm", baselines_of_e1rm()),
    }
    found = backtest([log], cases).quantities
    told = {
        f"{quantity} {each.name}": score.value
        for quantity, main in (("reps", "mae"), ("e1rm", "mape"))
        for each in found[quantity].predictors  # type: ignore[index]
        if each.name in SIMPLE_FORECASTS and (score := each.scores[main])
    }
    assert len(told) == 2 * len(SIMPLE_FORECASTS)
    assert told == pytest.approx(errors(path), rel=1e-9)


def test_an_invented_log_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "workout_data.csv"
    path.write_text(invented_export())
    agree(path, None)


@pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")
@pytest.mark.parametrize(
    ("file", "unit"),
    # The first one is the longest.
    [pytest.param(*REAL[0], marks=pytest.mark.long), *REAL[1:]],
    ids=[file.split("/")[0] for file, _ in REAL],
)
def test_a_real_log_is_read_alike(file: str, unit: Unit | None) -> None:
    agree(LOGS / file, unit)
