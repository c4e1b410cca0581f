"""Workers share a night on a lake, and are killed, and its catalog is: no data is lost."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.end_to_end.crowd import (
    Killer,
    ManyAccounts,
    accounts,
    home_of_many,
    result,
    running_accounts,
)
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.test_migrate import told_commands
from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.lakes import Lakes
from tests.soak.servers import processes_of, until

pytestmark = names_its_target

ATHLETES = 4


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the result of a night on the file, by one process."""
    folder = tmp_path_factory.mktemp("one-process")
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_of_many(folder, service.url, ATHLETES, {})
        ran = home.spotter("run")
        assert ran.returncode == 0, ran.stderr
        return result(home, service)


@pytest.mark.parametrize("command", ["run --workers 2", "part sync --shard 1/2"])
def test_a_file_is_for_one_process(tmp_path: Path, command: str) -> None:
    home = home_of_many(tmp_path, "http://127.0.0.1:9", 1, {})
    done = home.spotter(*command.split())
    assert done.returncode == 2
    assert "Set SPOTTER_TARGET=lake" in done.stderr
    assert not home.warehouse.exists()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("part sync --shard 5/4", "written 2/4"),
        ("part models --shard 1/4", "runs once for all athletes"),
        ("run --workers 2 --athlete lifter-0", "Workers share all athletes"),
    ],
)
def test_what_is_no_shard_is_refused(tmp_path: Path, command: str, told: str) -> None:
    done = home_of_many(tmp_path, "http://127.0.0.1:9", 1, {}).spotter(*command.split())
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())


@pytest.mark.long
def test_workers_leave_what_one_process_does(
    lakes: Lakes, expected: dict[str, Any], tmp_path: Path
) -> None:
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_of_many(tmp_path, service.url, ATHLETES, lakes.new(tmp_path))
        whole, *parts = (command.split() for command in told_commands("Several workers"))
        told = home.spotter_json(*whole)
        assert told["failed"] == {}
        assert told["begun_again"] == {}
        assert told["new_plans"] == told["sent_to_hevy"] == ATHLETES
        assert result(home, service) == expected
        for part in parts:
            again = home.spotter_json(*part)
            assert (again["new_plans"], again["sent_to_hevy"]) == (0, 0)
        assert result(home, service) == expected


@pytest.mark.long
def test_killed_workers_and_a_catalog_that_crashes_lose_nothing(
    lakes: Lakes, expected: dict[str, Any], tmp_path: Path
) -> None:
    variables = {
        **lakes.new(tmp_path),
        # It crashes with the catalog.
        "SPOTTER_DAGSTER_DATABASE": lakes.postgres.new_database(f"dagster_{uuid4().hex}"),
    }
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_of_many(tmp_path, service.url, ATHLETES, variables)
        command = [SPOTTER, "run", "--workers", "4", "--json"]
        with subprocess.Popen(
            command, env=home.env, cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as night:
            killer = Killer(night.pid, lambda: lakes.crash(variables), seed=1, kills=5)
            killer.start()
            out, _ = night.communicate(timeout=1500)
            killer.end()
        told = json.loads(out)
        assert (killer.killed > 0, killer.crashes) == (True, 1)
        assert sum(told["begun_again"].values()) > 0
        if night.returncode:
            # An athlete of a worker that was killed too often is left for the next night.
            assert told["failed"]
            home.spotter_json("run", "--workers", "4")
        assert result(home, service) == expected


@pytest.mark.long
def test_workers_end_with_their_nights_and_the_next_one_does_the_rest(
    lakes: Lakes, expected: dict[str, Any], tmp_path: Path
) -> None:
    with running_accounts(accounts(ATHLETES)) as service:
        home = home_of_many(tmp_path, service.url, ATHLETES, lakes.new(tmp_path))
        for asked in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            end_a_night(home, service, asked)
        assert home.spotter_json("run", "--workers", "2")["failed"] == {}
        assert result(home, service) == expected


def end_a_night(home: Home, service: ManyAccounts, asked: signal.Signals) -> None:
    """Stop a night as soon as one of its workers runs: all of them exit, too."""
    folder, earlier = home.folder / "home", request_count(service)
    with subprocess.Popen(
        [SPOTTER, "run", "--workers", "2", "--json"],
        env=home.env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as night:
        until(
            lambda: request_count(service) > earlier or night.poll() is not None,
            "a worker at work",
            120,
        )
        assert len(processes_of(folder)) > 1
        night.send_signal(asked)
        out, err = night.communicate(timeout=120)
    if asked == signal.SIGKILL:
        assert (night.returncode, out) == (-asked, "")
        until(lambda: processes_of(folder) == [], "all workers gone", 60)
    else:
        assert (night.returncode, out) == (128 + asked, "")
        assert [line for line in err.splitlines() if line] == [
            f"Error: Asked to end ({asked.name}): the workers have ended. What they did is "
            "kept, and the next run does the rest."
        ]
        assert processes_of(folder) == []


def request_count(service: ManyAccounts) -> int:
    return sum(len(one.log.entries()) for one in service.services.values())
