"""Processes that each publish one plan and end: for tests to kill.

`python -m tests.coach.publish_once` forks one for each line `[URL, WAREHOUSE, ROUTINE]` of its
input. It prints the id of that process, then what it prints, then `ended` and its exit code.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow  # noqa: F401 - landing imports it, which takes as long as publishing

from coach_agent.publishing.publisher import Publisher
from coach_agent.publishing.routine_writer import RoutineWriter
from coach_agent.store.schema import create_coach_tables
from hevy_connector.client.client import HevyClient
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.schemas import JsonObject, Routine
from hevy_connector.simulator import SIMULATOR_KEY
from orchestration.runs.recorder import Recorder
from tests.coach.publishing_world import NOW, PLAN_ID, Publishing, plan_with_heavier_sets


def publish(url: str, warehouse: str, known: JsonObject) -> None:
    """Publish every loaded set 2.5 kg heavier than in the routine."""

    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        with duckdb.connect(warehouse) as con:
            create_raw_tables(con)
            create_coach_tables(con)
            yield con

    plan = plan_with_heavier_sets(Routine.model_validate(known))
    with HevyClient(SIMULATOR_KEY, base_url=url) as hevy:
        publisher = Publishing(
            Publisher(RoutineWriter(hevy, "run"), NOW), Recorder(connect, now=lambda: NOW)
        )
        print(publisher.publish(PLAN_ID, plan, "auto", known).state, flush=True)


def main() -> None:
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            publish(*json.loads(line))
            os._exit(0)
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print("ended", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
