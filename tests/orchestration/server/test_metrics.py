"""Metrics of a night: values from Dagster's history, their exposition, and the dashboard."""

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import duckdb
import httpx
import pytest
from dagster._core.test_utils import create_run_for_test
from typer.testing import CliRunner

from hevy_connector.raw.transactions import retry_on_conflict
from orchestration.cli.app import app
from orchestration.config.locations import CODE_ROOT
from orchestration.config.settings import SettingsError, load_settings
from orchestration.defs.automation import _nightly_requests
from orchestration.defs.resources import AthletesResource
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.part_metrics import PartMetrics, count_new_rows, read_part_metrics
from orchestration.runs.schedule import NightRun
from orchestration.runs.tags import ATHLETE_TAG, NIGHT_TAG, TRIGGER_TAG, Trigger, exclusion_tags

EXTRA = "the extra `metrics` is not installed: make install"


def add_run(
    instance: dg.DagsterInstance,
    job: str,
    tags: dict[str, str],
    *,
    conflicts: int = 0,
    fails: str = "",
) -> None:
    """Run a job that reports seven new rows."""
    left = [conflicts]

    def commit() -> None:
        if left[0]:
            left[0] -= 1
            raise duckdb.TransactionException("Transaction conflict: another writer was first")

    @dg.op(out=dg.Out(dg.Nothing))
    def land(athletes: AthletesResource) -> Iterator[dg.AssetMaterialization | dg.Output[None]]:
        retry_on_conflict(commit)
        yield dg.AssetMaterialization("raw", metadata={"new_versions": 5, "deleted": 2, "rows": 90})
        if fails:
            raise OSError(fails)
        yield dg.Output(None)

    @dg.job(name=job, resource_defs={"athletes": AthletesResource()})
    def part() -> None:
        land()

    part.execute_in_process(instance=instance, tags=tags, raise_on_error=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ann", "ben", "zoe"):
        (tmp_path / f"{name}.toml").write_text(f'id = "{name}"\n')
    variables = {
        "SPOTTER_HOME": str(tmp_path),
        "SPOTTER_ATHLETES_DIR": str(tmp_path),
        "SPOTTER_TARGET": "lake",
        "SPOTTER_LAKE_CATALOG": "postgresql://spotter@127.0.0.1:1/lake",
        "SPOTTER_LAKE_DATA": str(tmp_path / "lake"),
        "SPOTTER_PARTITIONS": "4",
        "DAGSTER_HOME": "",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def play_night(instance: dg.DagsterInstance) -> None:
    """Run a part whose third partition conflicts twice and whose fourth fails, and the next one."""
    for partition, conflicts, fails in (("3-of-4", 2, ""), ("4-of-4", 0, "no key")):
        tags = {NIGHT_TAG: "one", "dagster/partition": partition, ATHLETE_TAG: "ann"}
        add_run(instance, "sync", tags, conflicts=conflicts, fails=fails)
    left = exclusion_tags("sync", {"zoe": "the partition 4-of-4 failed in sync"})
    add_run(instance, "models", {NIGHT_TAG: "one", **left})


def measured(partitions: int) -> list[PartMetrics]:
    with dagster_instance(load_settings()) as instance:
        now = datetime.now(UTC) + timedelta(minutes=10)
        return read_part_metrics(
            instance, partitions, now, lambda run: count_new_rows(instance, run)
        )


def test_each_part_and_partition_is_measured(home: Path) -> None:
    with dagster_instance(load_settings()) as instance:
        play_night(instance)
        # A sync of an operator is no part of a night, and 1-of-2 is of other settings.
        add_run(instance, "sync", {"dagster/partition": "3-of-4"}, fails="not counted")
        add_run(instance, "sync", {NIGHT_TAG: "old", "dagster/partition": "1-of-2"})
    found = {(each.part, each.partition): each for each in measured(4)}
    assert set(found) == {("sync", "3-of-4"), ("sync", "4-of-4"), ("models", "all")}
    third, fourth = found["sync", "3-of-4"], found["sync", "4-of-4"]
    models = found["models", "all"]
    assert (third.state, third.rows, third.conflicts, third.left_out) == ("finished", 7, 2, 0)
    assert (fourth.state, fourth.rows, fourth.conflicts) == ("failed", 7, 0)
    assert (models.state, models.left_out) == ("finished", 1)
    assert third.seconds is not None
    assert 0 < third.seconds < 60
    assert 600 <= third.lag_s < 660
    # Without a success it counts from the first run.
    assert 600 <= fourth.lag_s < 660


def test_without_partitions_the_nightly_run_is_the_only_part(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_PARTITIONS", "1")
    with dagster_instance(load_settings()) as instance:
        add_run(instance, "nightly", {})
        add_run(instance, "nightly", {ATHLETE_TAG: "ann"}, fails="one athlete only")
    [found] = measured(1)
    assert (found.part, found.partition, found.state) == ("nightly", "all", "finished")


@pytest.mark.long
@pytest.mark.parametrize(("is_full", "trigger"), [(False, "nightly"), (True, "weekly")])
def test_scheduled_nights_name_their_athletes_and_are_measured(
    home: Path, monkeypatch: pytest.MonkeyPatch, is_full: bool, trigger: Trigger
) -> None:
    """The tag with the athletes of a time zone excluded every scheduled run; webhooks hid it."""
    monkeypatch.setenv("SPOTTER_PARTITIONS", "1")
    night = NightRun("key", ("ann", "ben"), is_full=is_full)
    [request] = _nightly_requests(load_settings(), night, trigger)
    with dagster_instance(load_settings()) as instance:
        add_run(instance, "nightly", dict(request.tags))
        webhook = {TRIGGER_TAG: "webhook", ATHLETE_TAG: "ann"}
        for _ in range(201):
            create_run_for_test(instance, job_name="nightly", tags=webhook)
    [found] = measured(1)
    assert (found.part, found.partition, found.state) == ("nightly", "all", "finished")


def test_a_success_of_another_zone_or_a_retry_hides_no_failure(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One zone's success reset the lag of a zone that failed; a retry replaced the night."""
    monkeypatch.setenv("SPOTTER_PARTITIONS", "1")

    def tags(athletes: tuple[str, ...], trigger: Trigger) -> dict[str, str]:
        night = NightRun("key", athletes, is_full=False)
        return dict(_nightly_requests(load_settings(), night, trigger)[0].tags)

    with dagster_instance(load_settings()) as instance:
        add_run(instance, "nightly", tags(("zoe",), "nightly"), fails="no key")
        zones_failed = datetime.now(UTC)
        add_run(instance, "nightly", tags(("ann", "ben"), "nightly"), conflicts=2)
        add_run(instance, "nightly", tags(("ben",), "catch-up"))
        [found] = measured(1)
        assert (found.state, found.conflicts) == ("finished", 2)
        lower = (datetime.now(UTC) + timedelta(minutes=10) - zones_failed).total_seconds()
        assert found.lag_s > lower
        add_run(instance, "nightly", tags(("zoe",), "catch-up"))
        succeeded = datetime.now(UTC)
        [found] = measured(1)
        upper = (succeeded + timedelta(minutes=10) - zones_failed).total_seconds()
        assert found.conflicts == 2
        assert found.lag_s < upper


def test_only_counts_of_runs_just_read_are_kept(home: Path) -> None:
    """The exporter kept the id of every run that it had ever read."""
    pytest.importorskip("prometheus_client", reason=EXTRA)
    from orchestration.server.metrics import PartCollector

    collector = PartCollector(load_settings())
    tags = {NIGHT_TAG: "one", "dagster/partition": "3-of-4", ATHLETE_TAG: "ann"}
    for _ in range(2):
        with dagster_instance(load_settings()) as instance:
            add_run(instance, "sync", tags)
        list(collector.collect())
        assert len(collector._rows) == 1


def test_a_scrape_keeps_the_configuration_of_the_servers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exporter without the variables of the daemon replaced the daemon's launcher."""
    pytest.importorskip("prometheus_client", reason=EXTRA)
    from orchestration.server.metrics import PartCollector

    own = home / "own.yaml"
    own.write_text("telemetry:\n  enabled: false\nrun_monitoring:\n  start_timeout_seconds: 77\n")
    monkeypatch.setenv("SPOTTER_DAGSTER_CONFIG", str(own))
    with dagster_instance(load_settings()):
        pass
    configuration = load_settings().dagster_home / "dagster.yaml"
    before = configuration.read_text()
    assert "77" in before
    monkeypatch.delenv("SPOTTER_DAGSTER_CONFIG")
    list(PartCollector(load_settings()).collect())
    assert configuration.read_text() == before


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/metrics", {"Host": "attacker.example"}, 421),
        ("GET", "/metrics", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", "/", {}, 404),
        ("POST", "/metrics", {}, 405),
        ("GET", "/metrics", {"Host": "exporter:8713"}, 200),
        ("GET", "/metrics", {}, 200),
    ],
)
def test_only_own_hosts_and_one_path_are_served(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    path: str,
    headers: dict[str, str],
    status: int,
) -> None:
    """A page of a rebound name could read the metrics, and any path opened the history."""
    pytest.importorskip("prometheus_client", reason=EXTRA)
    from orchestration.server.metrics import running_metrics

    monkeypatch.setenv("SPOTTER_ALLOWED_HOSTS", "exporter")
    with running_metrics(load_settings(), host="127.0.0.1", port=0) as (url, _):
        found = httpx.request(method, httpx.URL(url).copy_with(path=path), headers=headers)
    assert found.status_code == status
    assert ("spotter_part_state" in found.text) == (status == 200)


@pytest.mark.long
def test_prometheus_reads_them_and_the_dashboard_shows_nothing_else(home: Path) -> None:
    pytest.importorskip("prometheus_client", reason=EXTRA)
    from orchestration.server.metrics import running_metrics

    with dagster_instance(load_settings()) as instance:
        play_night(instance)
    with running_metrics(load_settings(), host="127.0.0.1", port=0) as (url, _):
        texts = [httpx.get(url).raise_for_status().text for _ in range(2)]
    for text in texts:
        assert 'spotter_part_conflicts{part="sync",partition="3-of-4"} 2.0' in text
        assert 'spotter_part_state{part="sync",partition="4-of-4",state="failed"} 1.0' in text
        assert 'spotter_part_athletes_left_out{part="models",partition="all"} 1.0' in text
    served = set(re.findall(r"^# TYPE (\w+) gauge$", texts[0], re.MULTILINE))
    dashboard = json.loads((CODE_ROOT / "docs" / "grafana" / "nights.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert {name for query in queries for name in re.findall(r"spotter_\w+", query)} == served


def test_an_address_in_use_is_a_setting_to_fix(home: Path) -> None:
    pytest.importorskip("prometheus_client", reason=EXTRA)
    from orchestration.server.metrics import running_metrics

    with running_metrics(load_settings(), host="127.0.0.1", port=0) as (url, _):
        port = httpx.URL(url).port
        assert port is not None
        other = running_metrics(load_settings(), host="127.0.0.1", port=port)
        with pytest.raises(SettingsError, match=f"127.0.0.1:{port}"), other:
            pass


def test_without_the_extra_the_command_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "orchestration.server.metrics", raising=False)
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    refused = CliRunner().invoke(app, ["exporter"])
    assert isinstance(refused.exception, SettingsError)
    assert "pip install 'spotter[metrics]'" in str(refused.exception)
