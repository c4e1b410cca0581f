"""Nightly reads of Intervals.icu for athletes with a key, and the command that stores one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from coach_agent.profile.model import load_profile
from health_connector.landing import LandedRecords
from health_connector.simulator import SIMULATED_KEY, SimulatedIntervals, running_service
from orchestration.cli.app import app
from orchestration.config.settings import (
    INTERVALS_KEY,
    Settings,
    SettingsError,
    athlete_variable,
    load_settings,
    store_key,
)
from orchestration.services.ingestion.ingest_health import HealthLoad, ingest_health
from orchestration.storage.warehouse import open_warehouse

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[SimulatedIntervals]:
    days = {date(2026, 3, 9): {"restingHR": 51}, date(2026, 3, 10): {"hrv": 61}}
    with running_service(SimulatedIntervals(wellness=days)) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, service: SimulatedIntervals) -> Settings:
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    for name in ("kim", "max", "ada"):
        (athletes / f"{name}.toml").write_text(f'id = "{name}"\n', encoding="utf-8")
    values = {
        "SPOTTER_HOME": "home",
        "SPOTTER_ATHLETES_DIR": "athletes",
        "INTERVALS_API_URL": service.url,
        "INTERVALS_KEY_KIM": SIMULATED_KEY,
        "INTERVALS_KEY_MAX": "wrong",
    }
    return load_settings(values, tmp_path)


def ingest(settings: Settings) -> HealthLoad:
    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    athletes = [load_profile(path) for path in sorted(settings.athletes_dir.glob("*.toml"))]
    return ingest_health(settings, athletes, connect, "run", NOW)


def test_only_athletes_with_a_key_are_read_and_one_failure_is_alone(settings: Settings) -> None:
    loaded = ingest(settings)
    assert loaded.landed == {("kim", "intervals"): LandedRecords(2, 2, 0, 0, 0)}
    assert list(loaded.failures) == [("max", "intervals")]
    assert "refused the key" in loaded.failures["max", "intervals"]
    with open_warehouse(settings.warehouse) as con:
        rows = con.execute(
            "select athlete_id, record_id, origin from raw.health_days order by all"
        ).fetchall()
    assert rows == [
        ("kim", "intervals/2026-03-09", "api"),
        ("kim", "intervals/2026-03-10", "api"),
    ]
    assert ingest(settings).landed == {("kim", "intervals"): LandedRecords(2, 0, 0, 0, 0)}


def test_without_a_key_nothing_is_opened_or_asked(
    settings: Settings, service: SimulatedIntervals
) -> None:
    without = replace(settings, keys={"INTERVALS_API_URL": service.url})
    assert ingest(without) == HealthLoad()
    assert (service.requests, settings.warehouse_path.exists()) == ([], False)


def test_a_key_belongs_to_one_athlete(tmp_path: Path) -> None:
    assert athlete_variable(INTERVALS_KEY, "ada-lovelace_2") == "INTERVALS_KEY_ADA__LOVELACE_2"
    store_key(load_settings({}, tmp_path), athlete_variable(INTERVALS_KEY, "kim"), "abc123")
    stored = load_settings({}, tmp_path)
    assert "abc123" in (tmp_path / ".env").read_text()
    assert (stored.intervals_key("kim"), stored.intervals_key("max")) == ("abc123", None)


@pytest.mark.parametrize("name", ["a__b", "a_-b", "a___b"])
def test_two_athletes_never_share_a_variable(name: str) -> None:
    assert athlete_variable(INTERVALS_KEY, "a-b") == "INTERVALS_KEY_A__B"
    assert athlete_variable(INTERVALS_KEY, "a-_b") == "INTERVALS_KEY_A___B"
    with pytest.raises(SettingsError, match=f"not of '{name}'"):
        athlete_variable(INTERVALS_KEY, name)


def test_an_ambiguous_id_fails_alone(settings: Settings) -> None:
    (settings.athletes_dir / "a__b.toml").write_text('id = "a__b"\n', encoding="utf-8")
    (settings.athletes_dir / "c__d.toml").write_text('id = "c__d"\n', encoding="utf-8")
    keys = {**settings.keys, "INTERVALS_KEY_A__B": SIMULATED_KEY}
    loaded = ingest(replace(settings, keys=keys))
    assert set(loaded.landed) == {("kim", "intervals")}
    assert set(loaded.failures) == {("a__b", "intervals"), ("max", "intervals")}
    assert "single underscores" in loaded.failures["a__b", "intervals"]


def test_connecting_checks_the_key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings.keys.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SPOTTER_HOME", str(settings.home))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(settings.athletes_dir))
    done = CliRunner().invoke(app, ["connect", "intervals", "--athlete", "kim"])
    assert done.exit_code == 0, done.output
    assert "Connected with the account of Simulated Athlete." in done.output
    assert SIMULATED_KEY not in done.output
    refused = CliRunner().invoke(app, ["connect", "intervals", "--athlete", "max"])
    assert "refused the key" in str(refused.exception)
