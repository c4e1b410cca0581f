"""A partitioned night on a lake by Dagster's queue, with a killed run and a failing partition."""

import subprocess
from functools import partial
from pathlib import Path

import dagster as dg
import pytest

from orchestration.runs.tags import NIGHT_TAG, exclusions_of
from tests.end_to_end.crowd import accounts, done, home_of_many, key, result, running_accounts
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, SPOTTER, Home, zone_at_noon
from tests.lakes import Lakes
from tests.soak.servers import Servers, until

pytestmark = names_its_target

ATHLETES = 4
PARTITIONS = 3
FAILING, LEFT = "1-of-3", "lifter-1"
"""Partition of one athlete; lifter-0 has the second, the others have the third."""

PARTS = ("sync", "models", "coach", "release", "brief")
KEPT = (
    *("sync 2-of-3", "sync 3-of-3", "models", "coach 2-of-3", "coach 3-of-3"),
    *("release", "brief 2-of-3", "brief 3-of-3"),
)


def home_in(zone: str, folder: Path, url: str, variables: dict[str, str]) -> Home:
    home = home_of_many(folder, url, ATHLETES, {**variables, "SPOTTER_TIMEZONE": zone})
    for profile in home.athletes.glob("*.toml"):
        profile.write_text(profile.read_text().replace("Europe/Berlin", zone))
    return home


def runs_of_night(home: Home) -> list[dg.DagsterRun]:
    """Return the runs of all nights, oldest first."""
    with dg.DagsterInstance.from_config(str(home.folder / "home" / "dagster")) as instance:
        runs = [run for run in instance.get_runs() if NIGHT_TAG in run.tags]
    return runs[::-1]


def name_of(run: dg.DagsterRun) -> str:
    return " ".join([run.job_name, *filter(None, [run.tags.get("dagster/partition")])])


def owe_a_night(home: Home) -> None:
    """Set the start of the sensor's watch to the past, as in a home that missed its night."""
    folder = home.folder / "home" / "dagster"
    for words in ("cursor missed_runs --set 2026-01-01T00:00:00+00:00", "start missed_runs"):
        subprocess.run(
            [
                *(SPOTTER.with_name("dagster"), "sensor", *words.split()),
                *("-w", folder / "workspace.code.yaml"),
            ],
            env={**home.env, "DAGSTER_HOME": str(folder)},
            cwd=ROOT,
            check=True,
            capture_output=True,
        )


@pytest.mark.long
def test_a_night_that_the_schedule_owes_leaves_what_one_process_does(
    lakes: Lakes, tmp_path: Path
) -> None:
    zone = zone_at_noon()
    with running_accounts(accounts(ATHLETES)) as service:
        one = home_in(zone, tmp_path / "file", service.url, {})
        assert one.spotter("run").returncode == 0
        expected = result(one, service)
    variables = {**lakes.new(tmp_path), "SPOTTER_PARTITIONS": str(PARTITIONS)}
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_in(zone, tmp_path / "lake", service.url, variables)
        wrong = Home(home.folder, home.hevy_url, {**home.extra, "HEVY_KEY_1": key(99)})
        play_night(wrong)
        runs = runs_of_night(home)
        lost = [name_of(run) for run in runs if "dagster/retry_number" in run.tags]
        states = {name_of(run): run.status.value for run in runs}
        assert lost
        assert states == {f"sync {FAILING}": "FAILURE", **dict.fromkeys(KEPT, "SUCCESS")}
        [models] = [run for run in runs if run.job_name == "models"]
        assert exclusions_of(models.tags) == {LEFT: f"the partition {FAILING} failed in sync"}
        assert set(done(home, service)["puts"].values()) == {0, 1}
        told = home.spotter_json("run")
        assert (told["sent_to_hevy"], told["warnings"]) == (1, [])
        assert result(home, service) == expected
        again = home.spotter_json("run", "--athlete", "lifter-0")
        assert (again["sent_to_hevy"], again["warnings"]) == (0, [])
        assert result(home, service) == expected


def play_night(home: Home) -> None:
    """Run the owed night by Dagster's servers, and kill a process of it."""
    home.folder.joinpath("home").mkdir(exist_ok=True)
    servers = Servers(home.folder, home.env)
    try:
        servers.start("code")
        owe_a_night(home)
        servers.start("daemon")
        until(servers.kill_run, "a run in progress", 90)

        def has_ended(part: str) -> bool:
            servers.require_alive()
            runs = [run for run in runs_of_night(home) if run.job_name == part]
            return bool(runs) and all(run.is_finished for run in runs)

        for part in PARTS:
            until(partial(has_ended, part), f"the end of {part}", 300)
    finally:
        servers.stop()
