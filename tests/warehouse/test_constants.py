from pathlib import Path

import pytest
import yaml

from coach_agent.domain.constants.catalogue import constants
from orchestration.dbt.runner import DBT_PROJECT_DIR, DbtError
from tests.warehouse.scratch import ScratchWarehouse


def test_the_warehouse_computes_with_the_numbers_of_the_coach() -> None:
    project = yaml.safe_load((DBT_PROJECT_DIR / "dbt_project.yml").read_text())
    of_the_coach = {constant.key: constant.value for constant in constants()}
    shared = {key: value for key, value in project["vars"].items() if key in of_the_coach}
    assert shared.keys() >= {
        "align.load_tolerance",
        "e1rm.hard_max_reps_eff",
        "e1rm.tested_single_rpe_min",
    }
    assert shared == {key: of_the_coach[key] for key in shared}


@pytest.mark.parametrize(
    "constants", ["stall.max_exposures: 17", "stall.min_exposures: 7", "stall.confidence: 0.9"]
)
def test_what_the_rules_have_no_numbers_for_is_refused(tmp_path: Path, constants: str) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    with pytest.raises(DbtError, match="from 8 to 16 exposures"):
        warehouse.build("--select", "fct_exercise_trend", "--vars", f"{{{constants}}}")
