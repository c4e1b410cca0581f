"""Dagster's history in PostgreSQL, for servers and workers without a shared disk."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hevy_connector.simulator import RunningSimulator
from tests.end_to_end.served_dagster import serving
from tests.end_to_end.world import Home, holders, put_count, simulated_world
from tests.lakes import Lakes
from tests.ports import free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Night:
    """A home with its history in PostgreSQL, after its first night."""

    home: Home
    simulator: RunningSimulator

    @property
    def runs(self) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = self.home.spotter_json("status")["last_runs"]
        return runs


def looked_at(home: Home) -> dict[str, Any]:
    """Return the results of the doctor by check."""
    return {each["name"]: each for each in json.loads(home.spotter("doctor", "--json").stdout)}


@pytest.fixture(scope="module")
def night(lakes: Lakes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    variables = {
        "SPOTTER_DAGSTER_DATABASE": lakes.postgres.new_database("dagster"),
        "PGPASSWORD": lakes.postgres.password,
    }
    with simulated_world(tmp_path_factory.mktemp("shared"), **variables) as (home, simulator):
        assert looked_at(home)["history"]["state"] == "warn"
        ran = home.spotter("run")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        yield Night(home, simulator)


def test_the_history_is_there_and_nowhere_else(night: Night, lakes: Lakes) -> None:
    assert put_count(night.simulator) == 1
    history = looked_at(night.home)["history"]
    assert history["state"] == "ok"
    assert "postgresql://" in history["text"]
    assert night.home.spotter("status").returncode == 0
    assert not list((night.home.folder / "home").rglob("*.db"))
    assert holders(night.home, lakes.postgres.password) == []


def test_servers_and_commands_have_one_history(night: Night) -> None:
    with serving(night.home) as servers:
        wait_until(servers.is_watched, "all daemons to report")
        run_id = servers.launch_a_night()
        assert servers.wait_for(run_id) == "SUCCESS"
        told = servers.ask("{ runsOrError { ... on Runs { results { status } } } }")
        assert len(told["runsOrError"]["results"]) >= 2
    assert run_id in {run["run_id"] for run in night.runs}
    assert put_count(night.simulator) == 1
    assert not list((night.home.folder / "home").rglob("*.db"))


def test_without_it_nothing_begins(night: Night) -> None:
    gone = f"postgresql://spotter@127.0.0.1:{free_port()}/dagster"
    nowhere = replace(night.home, extra={**night.home.extra, "SPOTTER_DAGSTER_DATABASE": gone})
    refused = nowhere.spotter("run")
    assert refused.returncode == 75, refused.stdout + refused.stderr
    assert f"Dagster's history in {gone} cannot be used" in " ".join(refused.stderr.split())
    assert looked_at(nowhere)["history"]["state"] == "fail"


def test_a_wrong_password_is_told(night: Night) -> None:
    stranger = replace(night.home, extra={**night.home.extra, "PGPASSWORD": "not this one"})
    refused = stranger.spotter("run")
    assert refused.returncode == 75
    assert "password authentication failed" in refused.stderr
    assert "not this one" not in refused.stdout + refused.stderr
