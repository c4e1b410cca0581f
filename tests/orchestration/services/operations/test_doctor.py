"""The doctor finds faults of a home or a machine, and suggests fixes."""

import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import InstigatorType, TickData, TickStatus

from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from orchestration.config.durable_files import close_to_others
from orchestration.config.release_postgres import ReleasePostgres
from orchestration.config.settings import Settings, load_settings
from orchestration.runs import history_health
from orchestration.runs.check_result import CheckResult
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.provenance import Provenance
from orchestration.services.operations import doctor
from orchestration.services.operations.doctor import examine
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.release_postgres import publish_to_postgres
from orchestration.storage.local_postgres import LocalPostgres
from orchestration.storage.warehouse import open_warehouse
from tests.coach.llm.fakes import KEY

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)


@pytest.fixture(scope="module")
def hevy() -> Iterator[str]:
    with running_simulator(demo_account(seed=7, now=NOW), api_key=SIMULATOR_KEY) as simulator:
        yield simulator.url


@pytest.fixture
def settings(tmp_path: Path, hevy: str, fit_home: Path) -> Settings:
    """Copy a home with a released mart, and an athlete with the simulator's key."""
    shutil.copytree(fit_home, tmp_path, symlinks=True, dirs_exist_ok=True)
    return load_settings({"HEVY_API_URL": hevy, "HEVY_API_KEY": SIMULATOR_KEY}, tmp_path)


@pytest.fixture(scope="module")
def fit_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fit")
    found = load_settings({}, folder)
    found.athletes_dir.mkdir()
    (found.athletes_dir / "kim.toml").write_text('id = "kim"\n')
    with open_warehouse(found.warehouse_path) as con:
        con.execute("""
            create schema marts;
            create table marts.fct_workout as
            select
                'workout ' || range as workout_id,
                timestamp '2026-03-02' as started_at,
                'kim' as athlete_id
            from range(20000);
        """)
        con.execute("checkpoint")
    close_to_others(found.home, [found.warehouse_path])
    release_marts(found.warehouse_path, found.release_folder, Provenance("r", None, "0.1.0"), NOW)
    runs = found.dagster_home / "history"
    runs.mkdir(parents=True)
    with closing(sqlite3.connect(runs / "runs.db")) as con:
        con.execute("create table runs (text)")
        con.executemany("insert into runs values (?)", [(f"run {at}",) for at in range(20_000)])
        con.commit()
    return folder


def found_of(settings: Settings) -> dict[str, CheckResult]:
    return {each.name: each for each in examine(settings, lambda step: None)}


@contextmanager
def serving(status: int, headers: dict[str, str], seen: list[str]) -> Iterator[str]:
    """Start a server with a fixed response; its requests go to `seen`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_home_that_is_fit_needs_nothing(settings: Settings) -> None:
    found = found_of(settings)
    assert {name for name, each in found.items() if each.state != "ok"} <= {"port"}
    assert list(found) == [
        "versions", "home", "disk", "clock", "profiles", "Hevy (kim)",
        "warehouse", "history", "release", "port",
    ]  # fmt: skip


def test_a_copy_in_postgresql_is_compared_with_the_release(
    settings: Settings, postgres: LocalPostgres
) -> None:
    target = ReleasePostgres(postgres.new_database(f"bi_{uuid4().hex}"), postgres.password)
    settings = replace(settings, release_postgres=target)
    assert found_of(settings)["copy"].text.startswith("no release in the schema spotter of")
    publish_to_postgres(settings.release_path, target)
    found = found_of(settings)["copy"]
    assert (found.state, found.text) == ("ok", f"release 1 in {target}")
    provenance = Provenance("r", None, "0.1.0")
    release_marts(settings.warehouse_path, settings.release_folder, provenance, NOW)
    found = found_of(settings)["copy"]
    assert (found.state, found.text) == (
        "warn",
        f"release 1 in {target}, which is not the current one",
    )
    wrong = replace(target, password="not this one")  # noqa: S106 - it is refused
    found = found_of(replace(settings, release_postgres=wrong))["copy"]
    assert found.state == "fail"
    assert "password authentication failed" in found.text
    assert "not this one" not in found.text


def test_nothing_is_written(settings: Settings) -> None:
    def state() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in settings.home.rglob("*")}

    before = state()
    found_of(settings)
    assert state() == before


def test_a_warehouse_with_a_damaged_block_is_seen(settings: Settings) -> None:
    content = bytearray(settings.warehouse_path.read_bytes())
    for at in range(20_000, len(content), 50_000):
        content[at] ^= 0xFF
    settings.warehouse_path.write_bytes(content)
    found = found_of(settings)["warehouse"]
    assert found.state == "fail"
    assert "spotter restore" in (found.fix or "")


def test_a_damaged_history_is_seen(settings: Settings) -> None:
    path = settings.dagster_home / "history" / "runs.db"
    content = bytearray(path.read_bytes())
    content[8192:40960] = bytes(32768)
    path.write_bytes(content)
    found = found_of(settings)["history"]
    assert found.state == "fail"
    assert "history/runs.db" in found.text
    assert "spotter restore" in (found.fix or "")
    # A single file has its write-ahead log next to the one that replaces it.
    assert f"the whole folder {settings.dagster_home} away" in (found.fix or "")


def ticked(settings: Settings, at: datetime) -> None:
    """Record a sensor tick at this time, like the daemon."""
    with dagster_instance(settings) as instance:
        instance.create_tick(
            TickData(
                instigator_origin_id="origin",
                instigator_name="missed_runs",
                instigator_type=InstigatorType.SENSOR,
                status=TickStatus.SKIPPED,
                timestamp=at.timestamp(),
                selector_id="selector",
            )
        )


def test_a_tick_from_the_future_is_told_and_moving_the_ticks_away_mends_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a wrong clock no sensor ticked again, and every check passed."""
    monkeypatch.setenv("DAGSTER_HOME", "")
    shutil.rmtree(settings.dagster_home)
    now = datetime.now(UTC)
    ticked(settings, now)
    assert list(history_health.times(settings, now)) == []
    ticked(settings, now + timedelta(days=365))
    (found,) = history_health.times(settings, now)
    assert found.state == "fail"
    schedules = settings.dagster_home / "schedules"
    assert str(schedules) in (found.fix or "")
    schedules.rename(settings.home / "schedules")
    assert list(history_health.times(settings, now)) == []
    ticked(settings, now)
    assert found_of(settings)["history"].state == "ok"


def test_a_run_from_the_future_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    shutil.rmtree(settings.dagster_home)
    with dagster_instance(settings) as instance:
        instance.add_run(dg.DagsterRun(job_name="nightly"))
    now = datetime.now(UTC)
    assert list(history_health.times(settings, now)) == []
    (found,) = history_health.times(settings, now - timedelta(days=1))
    assert (found.name, found.state) == ("times", "warn")


def test_half_a_manifest_is_told(settings: Settings) -> None:
    path = (settings.release_folder / "manifest.json").resolve()
    path.chmod(0o644)
    path.write_text('{"release_number": 1, "run')
    found = found_of(settings)["release"]
    assert found.state == "fail"
    assert "damaged" in found.text


def test_a_release_that_cannot_be_opened_is_seen(settings: Settings) -> None:
    real = settings.release_path.resolve()
    real.chmod(0o644)
    real.write_bytes(b"nothing" * 1000)
    found = found_of(settings)["release"]
    assert found.state == "fail"
    assert "spotter run" in (found.fix or "")


def test_a_home_before_its_first_run_is_fit(tmp_path: Path, hevy: str) -> None:
    settings = load_settings({"HEVY_API_URL": hevy}, tmp_path)
    found = found_of(settings)
    assert {found[name].state for name in ("warehouse", "release")} == {"warn"}
    assert {found[name].state for name in ("home", "disk", "history")} == {"ok"}


def test_a_key_that_is_refused_or_missing_is_told_without_it(
    settings: Settings, hevy: str, tmp_path: Path
) -> None:
    wrong = load_settings({"HEVY_API_URL": hevy, "HEVY_API_KEY": "wrong-key-123"}, tmp_path)
    found = found_of(wrong)["Hevy (kim)"]
    assert found.state == "fail"
    assert "wrong-key-123" not in found.model_dump_json()
    none = found_of(load_settings({"HEVY_API_URL": hevy}, tmp_path))["Hevy (kim)"]
    assert none.state == "fail"
    assert "HEVY_API_KEY is not set" in none.text


def test_a_unit_that_is_not_the_apps_is_told(settings: Settings) -> None:
    (settings.athletes_dir / "kim.toml").write_text('id = "kim"\n[equipment]\nunit = "lb"\n')
    found = found_of(settings)["Hevy (kim)"]
    assert found.state == "warn"
    assert 'equipment.unit = "kg"' in (found.fix or "")


def test_a_mistake_in_the_operators_sessions_is_told(settings: Settings) -> None:
    assert "sessions" not in found_of(settings)
    [path, _] = settings.session_files
    path.write_text("id,title,kind,minutes,intensity\nyoga,Yoga,mobility,20,easy\n")
    assert found_of(settings)["sessions"].text == "1 of your own can be used"
    path.write_text("id,title,kind,minutes,intensity\nyoga,Yoga,stretch,20,easy\n")
    found = found_of(settings)["sessions"]
    assert found.state == "fail"
    assert "sessions.csv, line 2: kind 'stretch'" in found.text


def test_a_language_without_texts_is_told(settings: Settings) -> None:
    profile = settings.athletes_dir / "kim.toml"
    profile.write_text('id = "kim"\n[preferences]\nlanguage = "xx"\n')
    found = found_of(settings)["language (kim)"]
    assert found.state == "warn"
    assert 'one of "de", "en", "es"' in (found.fix or "")
    profile.write_text('id = "kim"\n[preferences]\nlanguage = "de"\n')
    assert "language (kim)" not in found_of(settings)


def test_a_profile_that_cannot_be_read_is_told(settings: Settings) -> None:
    (settings.athletes_dir / "kim.toml").write_text('id = "kim"\nunknown = 1\n')
    found = found_of(settings)["profiles"]
    assert found.state == "fail"
    assert "unknown" in found.text


def test_one_of_several_profiles_that_cannot_be_read_is_told(settings: Settings) -> None:
    (settings.athletes_dir / "ben.toml").write_text("nonsense")
    found = found_of(settings)
    assert found["profile (ben)"].state == "fail"
    assert found["Hevy (kim)"].state == "ok"


@pytest.mark.parametrize(("status", "state"), [(200, "ok"), (401, "warn"), (503, "warn")])
@pytest.mark.parametrize("kind", ["google", "anthropic", "openai"])
def test_a_models_key_is_tried_without_a_question(
    kind: str, status: int, state: str, settings: Settings, hevy: str, tmp_path: Path
) -> None:
    seen: list[str] = []
    with serving(status, {}, seen) as url:
        (settings.athletes_dir / "kim.toml").write_text(
            f'id = "kim"\n[[llm.providers]]\nkind = "{kind}"\nbase_url = "{url}"\n'
            'api_key_env = "LLM_KEY_LOCAL"\n'
        )
        keys = {"HEVY_API_URL": hevy, "HEVY_API_KEY": SIMULATOR_KEY, "LLM_KEY_LOCAL": KEY}
        found = found_of(load_settings(keys, tmp_path))[f"{kind} (kim)"]
    assert found.state == state
    assert KEY not in found.model_dump_json()
    assert len(seen) == 1
    assert "models" in seen[0]
    assert KEY not in seen[0]


def test_a_clock_that_is_off_is_told(settings: Settings, tmp_path: Path) -> None:
    with serving(200, {"date": "Wed, 04 Mar 2020 03:17:00 GMT"}, []) as url:
        found = doctor.clock(load_settings({"HEVY_API_URL": url}, tmp_path))
    assert found.state == "fail"
    assert "NTP" in (found.fix or "")


def test_a_service_that_does_not_answer_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
    found = doctor.clock(load_settings({"HEVY_API_URL": f"http://127.0.0.1:{number}"}, tmp_path))
    assert found.state == "warn"


def test_without_an_account_hevy_is_not_contacted(settings: Settings, tmp_path: Path) -> None:
    """The clock was compared with that of Hevy although all training came from files."""
    (settings.athletes_dir / "kim.toml").write_text('id = "kim"\n[hevy]\naccount = "none"\n')
    seen: list[str] = []
    with serving(200, {}, seen) as url:
        found = found_of(load_settings({"HEVY_API_URL": url}, tmp_path))
    assert seen == []
    assert found["clock"].state == "ok"
    assert found["clock"].text.startswith("not compared")


def test_a_port_that_another_program_uses_is_told() -> None:
    with serving(404, {}, []) as url:
        found = doctor.port(int(url.rpartition(":")[2]))
    assert found.state == "warn"
    assert "--port" in (found.fix or "")


def test_a_full_disk_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(settings.home)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=10_000_000))
    found = found_of(settings)["disk"]
    assert found.state == "fail"
    assert "SPOTTER_HOME" in (found.fix or "")


def test_a_version_that_is_not_the_wanted_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor.version
    monkeypatch.setattr(doctor, "version", lambda name: "9.9" if name == "duckdb" else real(name))
    found = doctor.versions()
    assert found.state == "fail"
    assert "duckdb is 9.9" in found.text
