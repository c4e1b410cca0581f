"""A process that publishes one plan and ends: for tests to kill.

python -m tests.coach.publish_once URL WAREHOUSE ROUTINE
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from coach_agent.journal import create_coach_tables
from coach_agent.publishing.publisher import Publisher
from hevy_connector.client import HevyClient
from hevy_connector.raw_tables import create_raw_tables
from hevy_connector.schemas import Routine
from hevy_connector.simulator import SIMULATOR_KEY
from hevy_connector.transactions import transaction
from tests.coach.publishing import NOW, PLAN_ID, land_routine, plan_with_heavier_sets


def main(url: str, warehouse: str, routine: str) -> None:
    """Publish every loaded set 2.5 kg heavier than in the routine, given as JSON."""

    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        with duckdb.connect(warehouse) as con:
            create_raw_tables(con)
            create_coach_tables(con)
            with transaction(con):
                yield con

    known = json.loads(routine)
    plan = plan_with_heavier_sets(Routine.model_validate(known))
    with HevyClient(SIMULATOR_KEY, base_url=url) as hevy:
        publisher = Publisher(hevy, connect, land_routine, lambda: NOW, "run")
        print(publisher.publish(PLAN_ID, plan, "auto", known).state)


if __name__ == "__main__":
    main(*sys.argv[1:])
