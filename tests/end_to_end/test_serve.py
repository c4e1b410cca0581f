"""Dagster's servers as in containers and systemd: separate, read-only, ended by a signal."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conformance.clients import environment
from tests.end_to_end.served_dagster import (
    COMPOSE,
    SERVICES,
    Servers,
    on_loopback,
    read_only_but,
    serving,
)
from tests.end_to_end.world import ROOT, SPOTTER, Home, put_count, simulated_world
from tests.ports import free_port
from tests.waiting import wait_until

UNITS = sorted((ROOT / "docs" / "systemd").glob("*.service"))
# Each needs one variable; its healthcheck names its port.
OTHERS = {
    "dashboard": ("8501", "SPOTTER_DASHBOARD_PASSWORD"),
    "webhook": ("8712", "HEVY_WEBHOOK_TOKEN"),
}


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
        in_progress = [each for each in told if "A run is in progress" in each]
        assert len(in_progress) >= 1
        assert "nothing was started" in in_progress[0]
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
    volumes = {"postgres": ["postgres:/var/lib/postgresql/data"], "metabase": []}
    assert service.get("volumes", []) == volumes.get(name, ["spotter:/data"])
    assert service["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
    assert "privileged" not in service
    assert ("env_file" in service) is (name == "code"), "keys are where jobs run, and nowhere else"
    for port in service.get("ports", ()):
        assert port.startswith("127.0.0.1:"), "the UI has no password, the webhook no TLS"
    assert service["healthcheck"]["test"][0] == "CMD"


def test_the_image_runs_as_nobody_in_particular() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text.split("FROM ")[-1]
    assert "\nUSER 10001:10001\n" in last
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    assert not any("athletes" in line or ".env" in line for line in ignored if line.startswith("!"))


def test_files_that_the_documentation_names_are_in_the_image() -> None:
    """The configuration of deployments was excluded, so that servers could not start."""
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    included = [line.removeprefix("!") for line in allowed if line.startswith("!")]
    pages = sorted((ROOT / "docs").rglob("*.md"))
    named = {
        path.rstrip(".")
        for page in pages
        for path in re.findall(r"/opt/spotter/([\w./-]+)", page.read_text(encoding="utf-8"))
        if not path.startswith(".")
    }
    assert "docs/deployments/docker/dagster.yaml" in named
    for path in named:
        assert (ROOT / path).exists(), path
        assert any(path == each or path.startswith(f"{each}/") for each in included), path


@pytest.mark.long
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


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_accepts_the_units(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    command = re.search(r"^ExecStart=/opt/spotter/\.venv/bin/spotter (.+)$", text, flags=re.M)
    assert command is not None
    assert command[1] in {"serve %i", "dashboard", "webhook"}
    others = {
        re.sub(r"^(?:Description|ExecStart)=.*", "", each.read_text(encoding="utf-8"), flags=re.M)
        for each in UNITS
    }
    assert len(others) == 1, "they differ in nothing else"
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    path = tmp_path / unit.name
    path.write_text(text.replace(command[0], "ExecStart=/bin/true"))
    found = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert not found.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["dashboard", pytest.param("webhook", marks=pytest.mark.long)])
def test_a_service_of_a_profile_is_healthy_with_its_variables_alone(
    name: str, tmp_path: Path
) -> None:
    service = SERVICES[name]
    assert service["profiles"] == [name]
    port, variable = OTHERS[name]
    assert service["environment"][variable] == f"${{{variable}:-}}"
    free = str(free_port())
    command, *check = service["healthcheck"]["test"][1:]
    assert (command, port in check[1]) == ("python", True)
    with simulated_world(tmp_path) as (home, _):
        env = {key: value for key, value in home.env.items() if "TOKEN" not in key}
        assert not _is_healthy(check, port, free)
        with _started(home, [*service["command"], "--port", free], env) as process:
            assert process.wait(60) == 2, f"without {variable} it would serve everybody"
        set_here = {**env, variable: "a-long-random-value"}
        here = [*on_loopback(service["command"]), "--port", free]
        with _started(home, here, set_here) as process:
            wait_until(lambda: _is_healthy(check, port, free), f"{name} to be healthy")
            assert process.poll() is None


def test_compose_names_what_its_services_use() -> None:
    volumes = {
        each.split(":")[0] for service in SERVICES.values() for each in service.get("volumes", ())
    }
    assert volumes == set(COMPOSE["volumes"])
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    profiles = {each for service in SERVICES.values() for each in service.get("profiles", ())}
    table = text.split("| profile | service | variables |")[1].split("\n\n")[0]
    assert profiles == set(re.findall(r"^\| `(\w+)`", table, flags=re.M))


def test_metabase_is_pinned_and_described_as_it_is() -> None:
    """It never sees the owner's tables through the owner: the documents name the reader."""
    service, postgres = SERVICES["metabase"], SERVICES["postgres"]
    assert re.fullmatch(r"metabase/metabase:v0\.\d+\.\d+", service["image"])
    environment = service["environment"]
    assert environment["MB_DB_USER"] == postgres["environment"]["POSTGRES_USER"]
    assert environment["MB_DB_PASS"] == postgres["environment"]["POSTGRES_PASSWORD"]
    assert environment["MB_DB_HOST"] in SERVICES
    text = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    guide = text.split("### Metabase\n")[1].split("\n## ")[0]
    port = service["ports"][0].split(":")[1]
    assert f"http://127.0.0.1:{port}" in guide
    assert f"createdb --username spotter {environment['MB_DB_DBNAME']}" in guide
    for profile in (*service["profiles"], *postgres["profiles"]):
        assert f"--profile {profile}" in guide
    reader = re.findall(r"create role (\w+) login", text)
    assert set(reader) == {"bi_reader"}
    assert f"user `{reader[0]}`" in guide
    assert f"SPOTTER_RELEASE_POSTGRES_READER={reader[0]}" in text


def _is_healthy(check: list[str], port: str, free: str) -> bool:
    """Return the result of a container's health check, on another port."""
    told = [sys.executable, *(each.replace(port, free) for each in check)]
    return subprocess.run(told, capture_output=True).returncode == 0


@contextmanager
def _started(
    home: Home, command: list[str], env: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command with only the home writable; end it at the end."""
    process = subprocess.Popen([*read_only_but(home.folder), SPOTTER, *command], env=env)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
