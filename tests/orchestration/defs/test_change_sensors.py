"""Between two nights each account is polled for changes, and a change gives one run."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import dagster as dg
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.fetching.fetch import fetch_workouts
from hevy_connector.raw.sync import land_fetched
from hevy_connector.raw.sync_state import read_cursor
from hevy_connector.records import Record
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    RunningSimulator,
    demo_state,
    running_simulator,
)
from orchestration.config.settings import load_settings
from orchestration.defs import automation
from orchestration.defs.automation import ASK_EVERY_S, hevy_changes
from orchestration.runs.recorded_runs import read_past_runs
from orchestration.runs.schedule import catch_up_runs
from orchestration.runs.tags import ASKED_TAG, ATHLETE_TAG
from orchestration.services.ingestion import poll_events as changes
from orchestration.services.ingestion.poll_events import poll_events
from orchestration.storage.warehouse import open_warehouse

ATHLETES = ("anna", "bob")


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    account = Account(demo_state(seed=1, now=datetime.now(UTC), workouts=8))
    with running_simulator(account, api_key=SIMULATOR_KEY) as running:
        yield running


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, simulator: RunningSimulator) -> Path:
    """Build a warehouse of two athletes with one account, read once; requests count from here."""
    monkeypatch.setenv("HEVY_API_URL", simulator.url)
    monkeypatch.setenv("HEVY_API_KEY", SIMULATOR_KEY)
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    for athlete in ATHLETES:
        (tmp_path / f"{athlete}.toml").write_text(f'id = "{athlete}"\n')
    path = tmp_path / "home" / "warehouse.duckdb"
    for athlete in ATHLETES:
        sync(path, simulator, athlete)
    return path


def sync(warehouse: Path, simulator: RunningSimulator, athlete: str) -> None:
    """Sync like the night."""
    with (
        HevyClient(SIMULATOR_KEY, base_url=simulator.url) as client,
        open_warehouse(warehouse) as con,
    ):
        fetched = fetch_workouts(client, read_cursor(con, "hevy_workouts", athlete))
        land_fetched(con, athlete, fetched, now=datetime.now(UTC), run_id="night")


def tick(instance: dg.DagsterInstance | None = None) -> dg.SensorResult:
    with (
        dg.DagsterInstance.ephemeral() if instance is None else nullcontext(instance) as history,
        dg.build_sensor_context(instance=history) as context,
    ):
        result = hevy_changes(context)
    assert isinstance(result, dg.SensorResult)
    assert bool(result.run_requests) is (result.skip_reason is None)
    return result


def look(instance: dg.DagsterInstance | None = None) -> dict[str, str]:
    """Tick the sensor; return the requested runs, athlete by key."""
    return {str(each.run_key): each.tags[ATHLETE_TAG] for each in tick(instance).run_requests or []}


def skip_reason() -> str:
    reason = tick().skip_reason
    return reason.skip_message or "" if isinstance(reason, dg.SkipReason) else str(reason)


def test_when_nothing_is_new_each_account_is_asked_once(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    before = len(simulator.requests)
    assert look() == {}
    assert [request.path for request in simulator.requests[before:]] == [
        "/v1/workouts/events"
    ] * len(ATHLETES)


def test_a_new_workout_gives_each_athlete_a_run_until_it_is_landed(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    latest = simulator.account.workouts()[0]
    simulator.account.log_workout(latest)
    runs = look()
    assert sorted(runs.values()) == sorted(ATHLETES)
    assert look() == runs, "the same change has the same key, which Dagster starts once"
    sync(warehouse, simulator, "anna")
    assert set(look().values()) == {"bob"}
    sync(warehouse, simulator, "bob")
    assert look() == {}


def test_the_first_workout_of_an_empty_account_does_not_wait_for_the_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read of an empty account leaves no cursor, and was taken for an account never read."""
    state = demo_state(seed=1, now=datetime.now(UTC))
    empty = replace(state, workouts=[])
    with running_simulator(Account(empty), api_key=SIMULATOR_KEY) as simulator:
        monkeypatch.setenv("HEVY_API_URL", simulator.url)
        monkeypatch.setenv("HEVY_API_KEY", SIMULATOR_KEY)
        monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
        (tmp_path / "anna.toml").write_text('id = "anna"\n')
        sync(tmp_path / "home" / "warehouse.duckdb", simulator, "anna")
        assert look() == {}
        simulator.account.log_workout(state.workouts[-1])
        assert set(look().values()) == {"anna"}


def test_each_edit_and_a_deletion_are_changes_of_their_own(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    keys: list[set[str]] = []
    workout = simulator.account.workouts()[0]
    for title in ("Once", "Twice"):
        simulator.account.edit_workout(workout["id"], {**workout, "title": title})
        keys.append(set(look()))
    simulator.account.delete_workout(workout["id"])
    keys.append(set(look()))
    assert all(len(each) == len(ATHLETES) for each in keys)
    assert len(set().union(*keys)) == 3 * len(ATHLETES)
    for athlete in ATHLETES:
        sync(warehouse, simulator, athlete)
    assert look() == {}


def test_a_workout_that_came_and_went_between_two_looks_is_no_change(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    logged = simulator.account.log_workout(simulator.account.workouts()[0])
    simulator.account.delete_workout(logged["id"])
    assert look() == {}


@pytest.fixture
def history() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def asked(history: dg.DagsterInstance, athlete: str) -> dg.RunRequest | None:
    """Return the sensor's request for the athlete, if any."""
    requests = tick(history).run_requests or []
    return next((each for each in requests if each.tags[ATHLETE_TAG] == athlete), None)


def begin(history: dg.DagsterInstance, request: dg.RunRequest | None) -> dg.DagsterRun:
    """Start a run like the daemon: once per key."""
    assert request is not None
    assert request.run_key is not None
    tags = {**request.tags, "dagster/run_key": request.run_key}
    assert not history.get_runs(filters=dg.RunsFilter(tags={"dagster/run_key": request.run_key}))
    run = dg.DagsterRun("nightly", tags=tags, status=dg.DagsterRunStatus.NOT_STARTED)
    return history.add_run(run)


def test_while_a_run_is_under_way_no_second_one_is_asked_for(
    warehouse: Path, simulator: RunningSimulator, history: dg.DagsterInstance
) -> None:
    """Also not for changes during the run: the next tick checks if they came in, too."""
    simulator.account.log_workout(simulator.account.workouts()[0])
    begun = begin(history, asked(history, "anna"))
    assert asked(history, "anna") is None
    assert asked(history, "bob") is not None
    simulator.account.log_workout(simulator.account.workouts()[0])
    assert asked(history, "anna") is None
    sync(warehouse, simulator, "anna")
    history.report_run_failed(begun)
    assert asked(history, "anna") is None


@pytest.mark.parametrize("end", ["failed", "canceled"])
def test_a_run_that_failed_is_left_to_what_makes_up_for_it(
    warehouse: Path, simulator: RunningSimulator, history: dg.DagsterInstance, end: str
) -> None:
    simulator.account.log_workout(simulator.account.workouts()[0])
    begun = begin(history, asked(history, "anna"))
    if end == "failed":
        history.report_run_failed(begun)
    else:
        history.report_run_canceled(begun)
    assert asked(history, "anna") is None
    runs, now = read_past_runs(history, datetime.now(UTC)), datetime.now(UTC)
    zones = {"UTC": ATHLETES}
    assert [
        each.athletes for each in catch_up_runs(zones, runs, now, now + timedelta(minutes=11))
    ] == [("anna",)]


def test_a_change_that_was_known_and_is_not_any_more_is_asked_for_again(
    warehouse: Path, simulator: RunningSimulator, history: dg.DagsterInstance
) -> None:
    """After a restore of a backup the cursor is old, and its run proves nothing."""
    backup = warehouse.read_bytes()
    simulator.account.log_workout(simulator.account.workouts()[0])
    first = asked(history, "anna")
    begun = begin(history, first)
    sync(warehouse, simulator, "anna")
    succeed(history, begun)
    assert asked(history, "anna") is None
    warehouse.write_bytes(backup)
    assert asked(history, "anna") is None, "what a run did not bring in waits a while"
    age(history, timedelta(minutes=11))
    again = asked(history, "anna")
    begin(history, again)
    assert first is not None
    assert again is not None
    assert again.tags[ASKED_TAG] == first.tags[ASKED_TAG]


def succeed(history: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    event = dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, "nightly")
    history.report_dagster_event(event, run.run_id)


def age(history: dg.DagsterInstance, by: timedelta) -> None:
    """Shift the end of all runs into the past."""
    storage: Any = history.run_storage
    with storage.connect() as connection:
        connection.exec_driver_sql(f"update runs set end_time = end_time - {by.total_seconds()}")


def test_one_account_that_cannot_be_asked_does_not_hide_the_others(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    (warehouse.parents[1] / "bob.toml").write_text(
        'id = "bob"\n[hevy]\napi_key_env = "BOBS_HEVY_KEY"\n'
    )
    simulator.account.log_workout(simulator.account.workouts()[0])
    assert set(look().values()) == {"anna"}
    sync(warehouse, simulator, "anna")
    assert "BOBS_HEVY_KEY is not set" in skip_reason()


def test_a_service_that_is_down_is_told_and_asked_again_the_next_time(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    simulator.account.log_workout(simulator.account.workouts()[0])
    simulator.faults.set(["404"])
    assert "anna" in skip_reason()
    simulator.faults.clear()
    assert sorted(look().values()) == sorted(ATHLETES)


def test_before_the_first_night_there_is_nothing_to_compare_with(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    with open_warehouse(warehouse) as con:
        con.execute("delete from raw.sync_state where athlete_id = 'bob'")
    simulator.account.log_workout(simulator.account.workouts()[0])
    assert set(look().values()) == {"anna"}
    warehouse.unlink()
    assert "spotter run" in skip_reason()


def test_a_warehouse_that_another_process_holds_is_looked_at_the_next_time(
    warehouse: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(automation, "poll_events", partial(poll_events, wait_s=0.0))
    simulator.account.log_workout(simulator.account.workouts()[0])
    code = f"import duckdb; con = duckdb.connect({str(warehouse)!r}); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "1\n"
        assert "another process" in skip_reason()
        stranger.communicate("\n")
    assert sorted(look().values()) == sorted(ATHLETES)


def test_it_asks_about_every_ten_minutes() -> None:
    assert 540 <= ASK_EVERY_S < 660
    assert hevy_changes.minimum_interval_seconds == ASK_EVERY_S
    assert hevy_changes.default_status is dg.DefaultSensorStatus.RUNNING


def test_requests_without_an_answer_end_with_the_poll(
    warehouse: Path, simulator: RunningSimulator
) -> None:
    """Their clients went on in the background, each with a thread of its own."""
    simulator.service.latency_s = 600.0
    before = set(threading.enumerate())
    result = poll_events(load_settings(), for_s=0.5)
    assert set(result.unasked) == {*ATHLETES}
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join()
    assert {thread.name[:12] for thread in left} <= {"hevy-changes"}


def test_accounts_that_do_not_answer_keep_no_others_change_from_being_found(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight of them used the whole time of a tick, and earlier results were lost."""
    slow = [f"slow-{number}" for number in range(8)]
    athletes = ["early", *slow, "zoe"]
    for known in ATHLETES:
        (warehouse.parents[1] / f"{known}.toml").unlink()
    for athlete in athletes:
        (warehouse.parents[1] / f"{athlete}.toml").write_text(f'id = "{athlete}"\n')
    found = Record("workout", "{}", "hash", None)
    is_over = Event()

    slow_since, since = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)

    def fetch(_: HevyClient, cursor_at: datetime) -> tuple[Record, ...]:
        if cursor_at == slow_since:
            is_over.wait()
        return (found,)

    def known_up_to(_: object, athlete: str) -> datetime:
        return slow_since if athlete in slow else since

    monkeypatch.setattr(changes, "_known_up_to", known_up_to)
    monkeypatch.setattr(changes, "fetch_changes", fetch)
    settings = load_settings()
    try:
        look = poll_events(settings, for_s=5.0)
        assert list(look.keys) == ["early"]
        assert look.unasked == ("zoe", *slow)
        with dg.DagsterInstance.ephemeral() as instance:
            told = dg.build_sensor_context(instance=instance, cursor=" ".join(look.unasked))
            monkeypatch.setattr(automation, "poll_events", partial(poll_events, for_s=5.0))
            result = hevy_changes(told)
        assert isinstance(result, dg.SensorResult)
        assert [each.tags[ATHLETE_TAG] for each in result.run_requests or ()] == ["zoe"]
        assert set((result.cursor or "").split()) == {*slow, "early"}
    finally:
        is_over.set()
