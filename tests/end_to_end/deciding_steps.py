"""The plan and publish steps of a night, on marts of an earlier night; on request its briefing."""

import json
import sys

import dagster as dg

from orchestration.config.settings import load_settings
from orchestration.defs.coaching.assets import PUBLICATION, next_workout, publication
from orchestration.defs.coaching.briefing import coach_briefing
from orchestration.defs.ingestion.assets import athlete_profiles
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.failures import failed_checks


def main() -> None:
    """Run them in this process and print the reported results as JSON."""
    done = dg.materialize(
        [
            *(athlete_profiles, next_workout, publication),
            *([coach_briefing] if "briefing" in sys.argv[1:] else []),
        ],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(load_settings().warehouse_path)),
        },
    )
    [published] = done.asset_materializations_for_node(PUBLICATION.to_python_identifier())
    report = {
        "warnings": [check.text for check in failed_checks(done.all_events)],
        "sent_to_hevy": published.metadata["sent"].value,
    }
    print(json.dumps(report))
