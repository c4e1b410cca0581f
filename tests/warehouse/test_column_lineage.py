"""Column lineage of the real project: every model is parsed, down to the raw tables."""

import json
from pathlib import Path

import pytest

from orchestration.dbt.column_lineage import Lineage, project_lineage, root_columns
from orchestration.dbt.runner import ensure_manifest
from tests.warehouse.scratch import ScratchWarehouse

CONTEXT = ("marts", "coach_context")


@pytest.fixture(scope="module")
def lineage(warehouse: ScratchWarehouse, compiled_sql: Path) -> Lineage:
    manifest = json.loads(ensure_manifest().read_text())
    with warehouse.connection() as con:
        return project_lineage(manifest, compiled_sql, con)


def test_every_model_is_understood(lineage: Lineage) -> None:
    nodes = json.loads(ensure_manifest().read_text())["nodes"].values()
    assert set(lineage) == {
        (node["schema"], node["alias"])
        for node in nodes
        if node["resource_type"] in {"model", "snapshot"}
    }


@pytest.mark.parametrize(
    ("column", "begins_in"),
    [
        ("routine_id", (("raw", "hevy_routines"), "record_id")),
        ("exercise_title", (("raw", "hevy_routines"), "payload")),
        ("routine_last_trained_at", (("raw", "hevy_workouts"), "payload")),
        ("equipment", (("raw", "hevy_exercise_templates"), "payload")),
    ],
)
def test_what_the_coach_reads_begins_in_a_raw_table(
    lineage: Lineage, column: str, begins_in: tuple[tuple[str, str], str]
) -> None:
    assert begins_in in root_columns(lineage, (CONTEXT, column))


def test_the_way_always_begins_outside_of_the_models(lineage: Lineage) -> None:
    first = {
        table for name in lineage[CONTEXT] for table, _ in root_columns(lineage, (CONTEXT, name))
    }
    assert {schema for schema, _ in first} <= {"raw", "coach", "seeds"}
    assert {("raw", "hevy_workouts"), ("raw", "hevy_routines")} <= first
