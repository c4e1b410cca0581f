import yaml

from coach_agent.progression.constants import constants
from orchestration.lib.dbt import DBT_PROJECT_DIR


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
