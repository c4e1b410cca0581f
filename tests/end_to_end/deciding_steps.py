"""The steps of a night that decide and publish, on marts that an earlier night built."""

import json

import dagster as dg

from orchestration.config.settings import load_settings
from orchestration.defs.coaching.assets import PUBLICATION, next_workout, publication
from orchestration.defs.ingestion.assets import athlete_profiles
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.failures import failed_checks


def main() -> None:
    """Run them in this process and print what a run reports of them, as JSON."""
    done = dg.materialize(
        [athlete_profiles, next_workout, publication],
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
