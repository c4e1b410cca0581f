"""The real training logs, if available: every row is accounted for, twice over."""

from pathlib import Path

import pytest

from hevy_connector.csv_imports.dialects import Unit
from orchestration.config.settings import load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from orchestration.services.ingestion.import_outcome import RowCounts

LOGS = Path(__file__).parents[4] / ".." / "shared" / "data"

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")


@pytest.mark.parametrize(
    ("log", "unit", "row_count", "workout_count", "repeated_count"),
    [
        pytest.param(
            "hevy-ferreira-mit/hevy_workouts_raw.csv", None, 9542, 501, 0, marks=pytest.mark.long
        ),
        ("hevy-mouadja02/workout_data.csv", None, 330, 17, 0),
        ("strong-breinsp/strong.csv", "kg", 2078, 129, 0),
        ("strong-dericmei-zh/strong.csv", "lb", 6778, 384, 433),
        ("strong-ysmath/strong_workouts.csv", "kg", 666, 37, 0),
    ],
    ids=lambda value: Path(value).parent.name if isinstance(value, str) else None,
)
def test_every_row_is_accounted_for_and_a_second_import_adds_nothing(
    tmp_path: Path,
    log: str,
    unit: Unit | None,
    row_count: int,
    workout_count: int,
    repeated_count: int,
) -> None:
    settings = load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, tmp_path)
    options = ImportOptions(weight_unit=unit)
    first, again = (
        import_csv(settings, LOGS / log, "me", options, lambda step: None) for _ in range(2)
    )
    loaded = row_count - repeated_count
    assert first.rows == RowCounts(row_count, loaded, 0, 0, repeated_count, 0, 0)
    assert again.rows == RowCounts(row_count, 0, loaded, 0, repeated_count, 0, 0)
    assert (first.workouts.new, again.workouts.unchanged) == (workout_count, workout_count)
