"""The published schema of a plan is that of the model."""

import json
from pathlib import Path

from coach_agent.journal.current_plans import PlanReport

SCHEMA = Path(__file__).parents[3] / "docs" / "plan.schema.json"


def test_the_published_schema_is_that_of_the_model() -> None:
    """After a change: `.venv/bin/spotter plan schema > docs/plan.schema.json`."""
    assert SCHEMA.read_text(encoding="utf-8") == (
        json.dumps(PlanReport.model_json_schema(), indent=2) + "\n"
    )
