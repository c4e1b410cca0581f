"""Logins at Oura: tokens in `.env`, the answer on loopback, and the nightly read with them."""

import multiprocessing
import os
import re
import signal
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Literal
from urllib.error import HTTPError

import duckdb
import pytest
from typer.testing import CliRunner

from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.profile.model import load_profile
from health_connector.errors import HealthAuthError
from health_connector.oura_login import Tokens, current_tokens
from health_connector.simulator import (
    OURA_CLIENT_ID,
    OURA_CLIENT_SECRET,
    SimulatedOura,
    running_service,
)
from orchestration.cli.app import app
from orchestration.config.env_file import read_env_file, set_in_env_file
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.ingestion.ingest_health import HealthLoad, ingest_health
from orchestration.services.ingestion.oura_login import AthleteTokens, LoginServer
from orchestration.storage.warehouse import open_warehouse
from tests.ports import free_port

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[SimulatedOura]:
    night = {
        "id": "n",
        "day": "2026-03-09",
        "type": "long_sleep",
        "bedtime_end": "2026-03-09T07:00:00+01:00",
        "total_sleep_duration": 25_200,
        "average_hrv": 61,
    }
    documents = {"sleep": {"n": night}, "daily_readiness": {}}
    with running_service(SimulatedOura(documents=documents)) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, service: SimulatedOura, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "athletes").mkdir()
    for name in ("kim", "max"):
        (tmp_path / "athletes" / f"{name}.toml").write_text(f'id = "{name}"\n')
    values = {
        "SPOTTER_HOME": str(tmp_path / "home"),
        "SPOTTER_ATHLETES_DIR": str(tmp_path / "athletes"),
        "OURA_CLIENT_ID": OURA_CLIENT_ID,
        "OURA_CLIENT_SECRET": OURA_CLIENT_SECRET,
        "OURA_API_URL": service.url,
        "OURA_AUTHORIZE_URL": f"{service.url}/oauth/authorize",
        "OURA_TOKEN_URL": f"{service.url}/oauth/token",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return load_settings(values, tmp_path)


def log_in(service: SimulatedOura, settings: Settings, *, now: datetime = NOW) -> AthleteTokens:
    granted = service.grant()
    store = AthleteTokens(settings, "kim")
    store.save(Tokens(granted["access_token"], granted["refresh_token"], now + timedelta(hours=24)))
    return store


def ingest(settings: Settings) -> HealthLoad:
    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    current = load_settings({**settings.keys}, settings.home.parent)
    athletes = [load_profile(path) for path in sorted(settings.athletes_dir.glob("*.toml"))]
    return ingest_health(current, athletes, connect, "run", NOW)


def test_a_login_is_stored_and_read_by_the_next_night(
    settings: Settings, service: SimulatedOura, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser follows the redirect of Oura to the waiting command."""

    def browse(page: str) -> bool:
        Thread(target=lambda: urllib.request.urlopen(page).read(), daemon=True).start()  # noqa: S310
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    port = str(free_port())
    done = CliRunner().invoke(app, ["connect", "oura", "--athlete", "kim", "--port", port])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Connected with Oura" in done.output
    assert service.refresh_token not in done.output
    loaded = ingest(settings)
    assert loaded.failures == {}
    assert {each: landed.added for each, landed in loaded.landed.items()} == {
        ("kim", "oura_api"): 1
    }
    with open_warehouse(settings.warehouse) as con:
        rows = con.execute("select athlete_id, record_id from raw.health_days").fetchall()
    assert rows == [("kim", "oura_api/2026-03-09")]
    assert ingest(settings).landed["kim", "oura_api"].added == 0
    assert service.burnt == 0


def test_an_answer_with_a_foreign_state_is_refused(settings: Settings) -> None:
    with LoginServer(0, "ours") as server, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.wait, 20.0)
        for query in ("code=x", "code=x&state=theirs"):
            with pytest.raises(HTTPError):
                urllib.request.urlopen(f"{server.redirect_url}?{query}")  # noqa: S310
        urllib.request.urlopen(f"{server.redirect_url}?code=c&state=ours").read()  # noqa: S310
        assert waiting.result() == "c"
    with LoginServer(0, "ours") as server, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.wait, 20.0)
        denied = f"{server.redirect_url}?error=access_denied&state=ours"
        urllib.request.urlopen(denied).read()  # noqa: S310
        with pytest.raises(HealthAuthError, match="access_denied"):
            waiting.result()
    with LoginServer(0, "ours") as server, pytest.raises(HealthAuthError, match="timed out"):
        server.wait(0.0)


def test_processes_that_refresh_together_use_a_token_once(
    settings: Settings, service: SimulatedOura
) -> None:
    store = log_in(service, settings, now=NOW - timedelta(days=3))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: current_tokens(settings.oura_app, store, NOW), range(4)))
    assert len(set(found)) == 1
    assert (found[0], service.burnt) == (store.load(), 0)


def test_a_revoked_token_is_refreshed_once(settings: Settings, service: SimulatedOura) -> None:
    log_in(service, settings, now=datetime.now(UTC))
    service.access_tokens.clear()
    assert ingest(settings).landed["kim", "oura_api"].added == 1
    service.grant()
    service.access_tokens.clear()
    failures = ingest(settings).failures
    assert "Log in again: spotter connect oura" in failures["kim", "oura_api"]
    assert ingest(settings).landed == {}


def test_a_refresh_token_that_has_no_place_is_not_used_up(
    settings: Settings, service: SimulatedOura
) -> None:
    """The tokens are in the environment, and `.env` could not be written after the refresh."""
    granted = service.grant()
    tokens = Tokens(granted["access_token"], granted["refresh_token"], NOW)
    given = replace(settings, keys={**settings.keys, "OURA_TOKENS_KIM": tokens.text})
    store = AthleteTokens(given, "kim")
    settings.env_file.mkdir(parents=True)
    with pytest.raises(SettingsError, match="cannot be"):
        current_tokens(settings.oura_app, store, NOW)
    settings.env_file.rmdir()
    assert current_tokens(settings.oura_app, store, NOW) == store.load() != tokens
    assert service.burnt == 0


def test_tokens_are_private_and_redacted(settings: Settings, service: SimulatedOura) -> None:
    store = log_in(service, settings)
    (found,) = re.findall(r"^OURA_TOKENS_KIM=(.+)$", settings.env_file.read_text(), flags=re.M)
    assert settings.env_file.stat().st_mode & 0o077 == 0
    tokens = store.load()
    assert tokens is not None
    scrub = secrets_scrubber({"OURA_TOKENS_KIM": found})
    shown = scrub(f"{tokens.access_token} {tokens.refresh_token}")
    assert tokens.access_token not in shown
    assert tokens.refresh_token not in shown


def test_without_an_application_the_login_says_what_is_missing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OURA_CLIENT_ID")
    done = CliRunner().invoke(app, ["connect", "oura", "--athlete", "kim"])
    assert isinstance(done.exception, SettingsError)
    assert "OURA_CLIENT_ID is not set" in str(done.exception)


def test_settings_that_are_stored_together_are_all_kept(tmp_path: Path) -> None:
    """Each writer read the file, and replaced it without the line of the other one."""
    path = tmp_path / ".env"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: set_in_env_file(path, f"NAME_{at}", f"{at}"), range(24)))
    assert read_env_file(path) == {f"NAME_{at}": f"{at}" for at in range(24)}


Moment = Literal["before saving", "after saving"]


@dataclass(frozen=True)
class KillingTokens(AthleteTokens):
    """Tokens of a process that is killed when it stores those of a refresh."""

    moment: Moment

    def save(self, tokens: Tokens) -> None:
        is_renewed = tokens != self.load()
        if is_renewed and self.moment == "before saving":
            os.kill(os.getpid(), signal.SIGKILL)
        super().save(tokens)
        if is_renewed:
            os.kill(os.getpid(), signal.SIGKILL)


def refresh_and_be_killed(settings: Settings, moment: Moment) -> None:
    current_tokens(settings.oura_app, KillingTokens(settings, "kim", moment), datetime.now(UTC))


def stored_days(settings: Settings) -> list[str]:
    with open_warehouse(settings.warehouse) as con:
        rows = con.execute("select distinct record_id from raw.health_days order by 1").fetchall()
    return [record_id for (record_id,) in rows]


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before saving", "after saving"])
def test_a_process_that_is_killed_during_a_refresh_loses_no_day(
    settings: Settings, service: SimulatedOura, moment: Moment
) -> None:
    """Before the write the token is used up, so a login is needed; after it nothing is."""
    store = log_in(service, settings, now=datetime.now(UTC))
    ingest(settings)
    night = service.documents["sleep"]["n"]
    service.documents["sleep"]["m"] = {**night, "id": "m", "day": "2026-03-10"}
    known = store.load()
    assert known is not None
    store.save(replace(known, expires_at=NOW))
    killed = multiprocessing.get_context("spawn").Process(
        target=refresh_and_be_killed, args=(settings, moment)
    )
    killed.start()
    killed.join(60)
    assert killed.exitcode == -signal.SIGKILL
    assert stored_days(settings) == ["oura_api/2026-03-09"]
    loaded = ingest(settings)
    if moment == "before saving":
        assert "Log in again: spotter connect oura" in loaded.failures["kim", "oura_api"]
        assert stored_days(settings) == ["oura_api/2026-03-09"]
        log_in(service, settings, now=datetime.now(UTC))
        assert not ingest(settings).failures
    else:
        assert (loaded.failures, service.burnt) == ({}, 0)
    assert stored_days(settings) == ["oura_api/2026-03-09", "oura_api/2026-03-10"]
