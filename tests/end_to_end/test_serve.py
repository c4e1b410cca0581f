"""Dagster's servers as in containers and systemd: separate, read-only, ended by a signal."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance.clients import environment
from tests.end_to_end.served_dagster import SERVICES, Servers, read_only_but, serving
from tests.end_to_end.world import ROOT, SPOTTER, put_count, simulated_world
from tests.waiting import wait_until


@pytest.mark.long
def test_a_run_of_the_ui_and_two_of_the_command_line_publish_once(tmp_path: Path) -> None:
    with (
        simulated_world(tmp_path) as (home, simulator),
        serving(home, read_only_but(home.folder)) as servers,
    ):
        others = [
            subprocess.Popen([SPOTTER, "run"], env=home.env, stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        run_id = servers.launch_a_night()
        told = [other.communicate(timeout=500)[0] for other in others]
        assert [other.returncode for other in others] == [0, 0], told
        assert servers.wait_for(run_id) == "SUCCESS"
        assert any("A run is in progress" in each for each in told)
        assert put_count(simulator) == 1
        assert home.query("select state from coach.publications") == [("published",)]


def test_schedule_and_sensors_are_watched_over(servers: Servers) -> None:
    wait_until(servers.is_watched, "all daemons to report")


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_can_do_nothing_but_what_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["volumes"] == ["spotter:/data"]
    assert service["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
    assert "privileged" not in service
    assert ("env_file" in service) is (name == "code"), "keys are where jobs run, and nowhere else"
    for port in service.get("ports", ()):
        assert port.startswith("127.0.0.1:"), "the UI has no password"
    assert service["healthcheck"]["test"][0] == "CMD"


def test_the_image_runs_as_nobody_in_particular() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text.split("FROM ")[-1]
    assert "\nUSER 10001:10001\n" in last
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    assert not any("athletes" in line or ".env" in line for line in ignored if line.startswith("!"))


def test_the_image_has_nothing_that_a_linter_finds() -> None:
    linter = environment("hadolint") / "hadolint"
    found = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


@pytest.mark.long
def test_an_installed_project_is_parsed(tmp_path: Path) -> None:
    """The unit's servers may not write into the project."""
    # A make within `make test` would print the folders that it enters and leaves.
    asked = ["make", "--no-print-directory", "--always-make", "--dry-run", "install"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    parse = shlex.split(told[-1])
    project = tmp_path / "spotter"
    ignored = shutil.ignore_patterns(".venv*", ".git", ".spotter", "target", "tests")
    shutil.copytree(ROOT, project, ignore=ignored)
    (project / ".venv").symlink_to(ROOT / ".venv")
    done = subprocess.run(
        parse, cwd=project, env={**os.environ, "PYTHONPATH": "."}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (project / "dbt_project" / "target" / "manifest.json").is_file()


def test_systemd_takes_the_unit_of_the_docs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    [unit] = re.findall(r"^```ini\n(.*?)^```", text, flags=re.M | re.S)
    command = re.search(r"^ExecStart=\S+/spotter serve %i$", unit, flags=re.M)
    assert command is not None
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    path = tmp_path / "spotter@.service"
    path.write_text(unit.replace(command[0], "ExecStart=/bin/true"))
    found = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert not found.stderr
