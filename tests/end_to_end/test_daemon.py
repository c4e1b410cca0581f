"""Dagster's own daemon with our sensors: one change gives one run, also with other daemons."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg
import pytest

from hevy_connector.simulator import RunningSimulator
from orchestration import definitions
from orchestration.config.settings import SettingsError
from orchestration.runs.tags import ATHLETE_TAG, TRIGGER_TAG
from tests.end_to_end.served_dagster import end
from tests.end_to_end.world import SPOTTER, After, Home, zone_at_noon
from tests.ports import free_port
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def world(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Home, RunningSimulator]]:
    zone = zone_at_noon()
    with after_first_night(tmp_path_factory.mktemp("daemon")) as (home, simulator):
        profile = home.athletes / "demo.toml"
        profile.write_text(profile.read_text().replace("Europe/Berlin", zone))
        yield Home(home.folder, home.hevy_url, {"SPOTTER_TIMEZONE": zone}), simulator


@contextmanager
def served(home: Home, part: str, port: int, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server with a separate log; kill it at the end."""
    with (home.folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [SPOTTER, "serve", part, "--code-port", str(port)],
            env=home.env,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            end(process)


def runs(home: Home) -> list[tuple[str, str, str]]:
    """Return all triggered runs: trigger, athletes and state."""
    with dg.DagsterInstance.from_config(str(home.folder / "home" / "dagster")) as instance:
        found = [
            (run.tags[TRIGGER_TAG], run.tags.get(ATHLETE_TAG, ""), run.status.value)
            for run in instance.get_runs()
        ]
    return [each for each in found if each[0] != "command"]


def ticks(home: Home, sensor: str) -> int:
    """Return the number of finished ticks of the sensor."""
    with dg.DagsterInstance.from_config(str(home.folder / "home" / "dagster")) as instance:
        states = [each for each in instance.all_instigator_state() if each.name == sensor]
        return sum(
            len(instance.get_ticks(each.instigator_origin_id, each.selector_id)) for each in states
        )


def told(home: Home, name: str) -> str:
    return (home.folder / f"{name}.log").read_text()[-2000:]


@pytest.mark.long
def test_of_two_daemons_one_works_and_the_other_takes_over_when_it_is_killed(
    world: tuple[Home, RunningSimulator],
) -> None:
    home, simulator = world
    simulator.account.log_workout(simulator.account.workouts()[0])
    port = free_port()
    with ExitStack() as servers:
        servers.enter_context(served(home, "code", port, "code"))
        first = servers.enter_context(served(home, "daemon", port, "first"))
        wait_until((home.folder / "home" / "daemon.lock").exists, "the first daemon to begin")
        second = servers.enter_context(served(home, "daemon", port, "second"))
        assert second.wait(120) == 2, told(home, "second")
        assert "Another process is at work: spotter serve daemon" in told(home, "second")
        assert first.poll() is None, told(home, "first")
        wait_until(
            lambda: runs(home) == [("change", "demo", "SUCCESS")],
            "the change to be planned for",
        )
        first.send_signal(signal.SIGKILL)
        first.wait()
        looks = ticks(home, "missed_runs")
        third = servers.enter_context(served(home, "daemon", port, "third"))
        wait_until(lambda: ticks(home, "missed_runs") > looks, "the third daemon to look")
        assert third.poll() is None, told(home, "third")
        assert runs(home) == [("change", "demo", "SUCCESS")]


def test_a_bad_setting_keeps_the_code_from_being_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_TIMEZONE", "Nowhere")
    with pytest.raises(SettingsError, match="SPOTTER_TIMEZONE is 'Nowhere', which is no time zone"):
        definitions.defs()


@pytest.mark.long
def test_a_bad_setting_is_told_in_a_sentence_when_the_code_is_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            SPOTTER.with_name("dagster"),
            "definitions",
            "validate",
            "-m",
            "orchestration.definitions",
        ],
        env={**os.environ, "DAGSTER_HOME": str(tmp_path), "SPOTTER_TIMEZONE": "Nowhere"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "SPOTTER_TIMEZONE is 'Nowhere', which is no time zone" in said
    assert said.count("Stack Trace") <= 1
