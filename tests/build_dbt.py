"""`dbt build` with data tests and unit tests, on a warehouse with the demo athlete's data.

Part of `make check`: prints the failures and exits with 1, or prints the number of built nodes.
"""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hevy_connector.client.client import HevyClient
from hevy_connector.fetching.fetch import fetch_exercise_templates, fetch_routines, fetch_workouts
from hevy_connector.raw.sync import land_fetched
from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from orchestration.dbt.checks import failures
from orchestration.dbt.runner import build, ensure_manifest
from orchestration.storage.warehouse import open_warehouse

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)


def main() -> int:
    """Build everything once; return the exit code."""
    ensure_manifest()
    with tempfile.TemporaryDirectory() as folder:
        warehouse = Path(folder) / "warehouse.duckdb"
        land_demo_athlete(warehouse)
        outcomes = build(warehouse, Path(folder) / "dbt", with_unit_tests=True)
    for failure in failures(outcomes):
        print(failure)
    built = sum(outcome.is_ok for outcome in outcomes)
    print(f"dbt build: {built} of {len(outcomes)} nodes and tests passed")
    return 0 if built == len(outcomes) else 1


def land_demo_athlete(warehouse: Path) -> None:
    """Land the simulated account's workouts, routines and exercises like the nightly run."""
    account = demo_account(seed=1, now=NOW)
    with (
        running_simulator(account, api_key=SIMULATOR_KEY) as simulator,
        HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy,
        open_warehouse(warehouse) as con,
    ):
        for fetched in (
            fetch_workouts(hevy, None),
            fetch_routines(hevy),
            fetch_exercise_templates(hevy),
        ):
            land_fetched(con, "demo", fetched, now=NOW, run_id="check")


if __name__ == "__main__":
    sys.exit(main())
