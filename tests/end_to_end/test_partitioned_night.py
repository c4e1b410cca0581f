"""A partitioned night on a lake by Dagster's queue, with a lost run and a lost PostgreSQL."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest

from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.tags import exclusions_of
from tests.end_to_end.crowd import accounts, done, key, result, running_accounts
from tests.end_to_end.partitioned import (
    await_night,
    home_in,
    latest_night,
    owed_night,
    runs_of_nights,
)
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import Home, zone_at_noon
from tests.lakes import Lakes
from tests.soak.servers import until

pytestmark = names_its_target

ATHLETES = 4
PARTITIONS = 3
FAILING, LEFT = "1-of-3", "lifter-1"
"""Partition of one athlete; lifter-0 has the second, the others have the third."""

KEPT = (
    *("sync 2-of-3", "sync 3-of-3", "models", "coach 2-of-3", "coach 3-of-3"),
    *("release", "brief 2-of-3", "brief 3-of-3"),
)


def name_of(run: dg.DagsterRun) -> str:
    return " ".join([run.job_name, *filter(None, [run.tags.get("dagster/partition")])])


@pytest.mark.long
def test_a_night_that_the_schedule_owes_leaves_what_one_process_does(
    lakes: Lakes, tmp_path: Path
) -> None:
    zone = zone_at_noon()
    with running_accounts(accounts(ATHLETES)) as service:
        one = home_in(zone, tmp_path / "file", service.url, ATHLETES, {})
        assert one.spotter("run").returncode == 0
        expected = result(one, service)
    variables = {
        **lakes.new(tmp_path),
        "SPOTTER_PARTITIONS": str(PARTITIONS),
        # It crashes with the catalog.
        "SPOTTER_DAGSTER_DATABASE": lakes.postgres.new_database(f"dagster_{uuid4().hex}"),
    }
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_in(zone, tmp_path / "lake", service.url, ATHLETES, variables)
        wrong = Home(home.folder, home.hevy_url, {**home.extra, "HEVY_KEY_1": key(99)})
        play_night(wrong, lambda: lakes.crash(variables))
        runs = [record.dagster_run for record in runs_of_nights(home)]
        lost = [name_of(run) for run in runs if "dagster/retry_number" in run.tags]
        states = {name_of(run): run.status.value for run in runs}
        assert lost
        expected_states = {f"sync {FAILING}": "FAILURE", **dict.fromkeys(KEPT, "SUCCESS")}
        assert states == expected_states, failures(home)
        [models] = [run for run in runs if run.job_name == "models"]
        assert exclusions_of(models.tags) == {LEFT: f"the partition {FAILING} failed in sync"}
        assert set(done(home, service)["puts"].values()) == {0, 1}
        told = home.spotter_json("run")
        assert (told["sent_to_hevy"], told["warnings"]) == (1, [])
        assert result(home, service) == expected
        again = home.spotter_json("run", "--athlete", "lifter-0")
        assert (again["sent_to_hevy"], again["warnings"]) == (0, [])
        assert result(home, service) == expected


def play_night(home: Home, crash: Callable[[], bool]) -> None:
    """Run the owed night by Dagster's servers, kill a run of it, and crash its PostgreSQL."""
    with owed_night(home) as servers:
        until(servers.kill_run, "a run in progress", 300)
        until(lambda: has_begun(home, "models"), "the models", 600)
        until(crash, "a connection to the catalog", 300)
        await_night(home, servers, 900)


def failures(home: Home) -> str:
    """Return the errors of the failed runs, and the tags that decide about their retries."""
    with dagster_instance(load_settings(home.env)) as instance:
        runs = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))
        return "\n".join(
            f"{name_of(run)} {run.tags}: {entry.user_message} {event.event_specific_data}"
            for run in runs
            for entry in instance.all_logs(run.run_id)
            if (event := entry.dagster_event) and event.is_failure
        )


def has_begun(home: Home, job: str) -> bool:
    night = latest_night(home)
    return night is not None and any(
        run.job == job and run.state == "running" for run in night.runs
    )
