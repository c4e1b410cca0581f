"""Failures during the read of one athlete's account, and the affected athletes."""

import errno
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Lock
from typing import Any

import duckdb
import pytest

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.fetching.fetch import fetch_routines
from hevy_connector.http.limits import RateLimit
from hevy_connector.raw.landing import LandResult, land
from hevy_connector.raw.sync import land_all_fetched, land_fetched
from hevy_connector.raw.sync_state import read_record_counts
from hevy_connector.records import FetchResult, Record
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from orchestration.config.lake import lake_of
from orchestration.services.ingestion import ingest as ingestion
from orchestration.services.ingestion.ingest import (
    ROUTINES,
    WORKOUTS,
    EntityLoad,
    full_load,
    ingest_all,
)
from orchestration.services.publishing.athlete_publisher import land_published
from orchestration.storage.warehouse import Warehouse, open_warehouse
from tests.call_stacks import detours, recorded_stacks, returns_to_rooms
from tests.lakes import Lakes

UNLIMITED = RateLimit(per_second=None)
PUSH_UPS = {"exercise_template_id": "392887AA", "sets": [{"reps": 10}]}


def athletes(*names: str) -> list[AthleteProfile]:
    return [
        AthleteProfile.model_validate({"id": name, "hevy": {"account": "simulator"}})
        for name in names
    ]


def load_with(tmp_path: Path, error: Exception) -> EntityLoad:
    """Read the routines of two athletes; the first one's read raises the error."""
    asked: list[HevyClient] = []

    def fetch(client: HevyClient) -> FetchResult:
        asked.append(client)
        if len(asked) == 1:
            raise error
        return fetch_routines(client)

    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        return ingest_all(
            full_load("hevy_routines", fetch),
            athletes("ann", "ben"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
            lambda: open_warehouse(tmp_path / "warehouse.duckdb"),
            "run",
            concurrency=1,
        )


def test_a_workout_is_traced_without_a_return_to_a_room(tmp_path: Path) -> None:
    """The trace of `docs/architecture.md`, as the calls of a running ingestion."""
    with (
        running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator,
        recorded_stacks() as stacks,
    ):
        ingest_all(
            WORKOUTS,
            athletes("ann"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED),
            lambda: open_warehouse(tmp_path / "warehouse.duckdb"),
            "run",
        )
    assert returns_to_rooms(stacks) == set()
    for end in ("fetching/validation", "client/client", "http/transport", "raw/landing"):
        assert detours(stacks, f"hevy_connector/{end}") == set()


@pytest.mark.parametrize("kind", [OverflowError, duckdb.ConversionException])
def test_what_nobody_foresaw_in_one_account_leaves_the_others_alone(
    tmp_path: Path, kind: type[Exception]
) -> None:
    fault = kind("a load of 1e300 kg")
    loaded = load_with(tmp_path, fault)
    assert loaded.failures == {"ann": f"{kind.__name__}: a load of 1e300 kg"}
    assert loaded.faults == {"ann": fault}
    assert loaded.landed["ben"].added > 0
    assert not loaded.is_unusable


def test_an_account_that_cannot_be_landed_leaves_the_others_alone(tmp_path: Path) -> None:
    """All reads are landed together first, and that transaction is rolled back."""
    asked: list[HevyClient] = []

    def fetch(client: HevyClient) -> FetchResult:
        asked.append(client)
        fetched = fetch_routines(client)
        if len(asked) == 2:
            return replace(fetched, records=(Record("1", "no JSON"), *fetched.records))
        return fetched

    path = tmp_path / "warehouse.duckdb"
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        loaded = ingest_all(
            full_load("hevy_routines", fetch),
            athletes("ann", "ben", "cem"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
            lambda: open_warehouse(path),
            "run",
            concurrency=1,
        )
    assert list(loaded.failures) == ["ben"]
    assert "JSON" in loaded.failures["ben"]
    assert {athlete: landed.added for athlete, landed in loaded.landed.items()} == {
        "ann": 4,
        "cem": 4,
    }
    with open_warehouse(path, read_only=True) as con:
        for table in ("raw.hevy_routines", "raw.sync_state"):
            who = con.execute(f"select distinct athlete_id from {table} order by all").fetchall()
            assert who == [("ann",), ("cem",)]


@pytest.mark.parametrize(
    ("limit", "value", "openings"), [("_BATCH_ATHLETES", 2, 3), ("_BATCH_RECORDS", 1, 5)]
)
def test_a_batch_is_landed_when_it_has_enough_athletes_or_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, openings: int
) -> None:
    """Until then it waits in memory. Of five athletes two are a batch, or one with a record."""
    monkeypatch.setattr(ingestion, limit, value)
    opened: list[Warehouse] = []

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        opened.append(tmp_path / "warehouse.duckdb")
        return open_warehouse(opened[-1])

    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        loaded = ingest_all(
            ROUTINES,
            athletes("ann", "ben", "cem", "dan", "eve"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED),
            connect,
            "run",
        )
    assert len(loaded.landed) == 5
    assert len(opened) == 1 + openings  # the first one reads the state


@pytest.mark.parametrize("at_once", [1, 3])
def test_so_many_accounts_are_asked_at_a_time(tmp_path: Path, at_once: int) -> None:
    lock, inside, most = Lock(), 0, 0
    # A request waits for the other concurrent ones.
    together = Barrier(at_once, timeout=30)

    def fetch(client: HevyClient) -> FetchResult:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        together.wait()
        fetched = fetch_routines(client)
        together.wait()
        with lock:
            inside -= 1
        return fetched

    names = [f"lifter-{number}" for number in range(6)]
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        loaded = ingest_all(
            full_load("hevy_routines", fetch),
            athletes(*names),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
            lambda: open_warehouse(tmp_path / "warehouse.duckdb"),
            "run",
            concurrency=at_once,
        )
    assert (loaded.failures, most) == ({}, at_once)
    assert list(loaded.landed) == names
    assert all(landed.added == 4 for landed in loaded.landed.values())


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), duckdb.IOException("No space left")],
    ids=["system", "DuckDB"],
)
def test_a_full_disk_is_nobodys_alone(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error), match="No space left"):
        load_with(tmp_path, error)


def test_routines_that_files_told_of_are_over_once_the_account_is_read(tmp_path: Path) -> None:
    path, now = tmp_path / "warehouse.duckdb", datetime(2026, 3, 4, tzinfo=UTC)
    told = [Record("csv-1", '{"id": "csv-1", "title": "Push", "exercises": []}')]
    with open_warehouse(path) as con:
        for athlete in ("ann", "ben"):
            land(con, "hevy_routines", athlete, told, now=now, run_id="import", origin="csv")
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        for _ in range(2):
            loaded = ingest_all(
                ROUTINES,
                athletes("ann"),
                lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
                lambda: open_warehouse(path),
                "run",
            )
            assert not loaded.failures
    with open_warehouse(path, read_only=True) as con:
        rows = con.execute(
            "select athlete_id, is_deleted from raw.hevy_routines where origin = 'csv' order by all"
        ).fetchall()
        [(kept,)] = con.execute(
            "select count(distinct record_id) from raw.hevy_routines where origin = 'api'"
        ).fetchall()
    assert rows == [("ann", False), ("ann", True), ("ben", False)]
    assert kept == 4


def test_who_has_a_file_that_cannot_be_matched_has_failed_and_nothing_else(tmp_path: Path) -> None:
    path, now = tmp_path / "warehouse.duckdb", datetime(2026, 3, 4, tzinfo=UTC)
    with open_warehouse(path) as con:
        told = [Record("csv-1", '{"id": "csv-1"}')]
        land(con, "hevy_workouts", "ann", told, now=now, run_id="import", origin="csv")
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        loaded = ingest_all(
            WORKOUTS,
            athletes("ann", "ben"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED),
            lambda: open_warehouse(path),
            "run",
        )
    assert (list(loaded.landed), list(loaded.failures)) == (["ben"], ["ann"])
    with open_warehouse(path, read_only=True) as con:
        assert read_record_counts(con, "hevy_workouts", ["ann", "ben"]) == dict.fromkeys(
            ("ann", "ben"), loaded.landed["ben"].added
        )


def test_what_cannot_be_counted_is_not_landed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_count(*_: object) -> dict[str, int]:
        raise RuntimeError("no count")

    monkeypatch.setattr("hevy_connector.raw.sync.count_all_quarantined", no_count)
    path = tmp_path / "warehouse.duckdb"
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        loaded = ingest_all(
            WORKOUTS,
            athletes("ann", "ben"),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED),
            lambda: open_warehouse(path),
            "run",
        )
    with open_warehouse(path, read_only=True) as con:
        landings = con.execute("select athlete_id from raw.sync_log order by all").fetchall()
    assert landings == []
    assert loaded.landed == {}
    assert loaded.failures == dict.fromkeys(("ann", "ben"), "RuntimeError: no count")


@pytest.mark.parametrize("place", ["land_unless_outdated", "record_matches"])
@pytest.mark.parametrize("names", [("ann",), ("ann", "ben")], ids=["alone", "together"])
def test_a_catalog_lost_while_it_is_used_is_nobodys_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, names: tuple[str, ...]
) -> None:
    def lost(*_: object, **_named: object) -> None:
        raise duckdb.Error("server closed the connection unexpectedly")

    path, now = tmp_path / "warehouse.duckdb", datetime(2026, 3, 4, tzinfo=UTC)
    with open_warehouse(path) as con:
        told = [Record("csv-1", '{"id": "csv-1"}')]
        land(con, "hevy_workouts", "ann", told, now=now, run_id="import", origin="csv")
    monkeypatch.setattr(ingestion, place, lost)
    with (
        running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator,
        pytest.raises(duckdb.Error, match="server closed"),
    ):
        ingest_all(
            WORKOUTS,
            athletes(*names),
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED),
            lambda: open_warehouse(path),
            "run",
        )


class Meanwhile:
    """One account shared by two athletes, and actions between a read and its landing."""

    def __init__(self, warehouse: Warehouse, simulator: RunningSimulator) -> None:
        self.warehouse, self.simulator = warehouse, simulator
        self.readings: list[str] = []
        self.acts: dict[int, Callable[[], None]] = {}

    def client(self) -> HevyClient:
        return HevyClient(SIMULATOR_KEY, base_url=self.simulator.url, limit=UNLIMITED)

    def load(self) -> EntityLoad:
        """Read and land both; each of `acts` runs once, after so many reads."""

        def make_client(athlete: AthleteProfile) -> HevyClient:
            if act := self.acts.pop(len(self.readings), None):
                act()
            self.readings.append(athlete.id)
            return self.client()

        self.readings.clear()
        return ingest_all(
            ROUTINES,
            athletes("ann", "ben"),
            make_client,
            lambda: open_warehouse(self.warehouse),
            "night",
            concurrency=1,
        )

    def write(self, title: str, routine_id: str | None = None) -> str:
        """Create or change a routine of ann's, and return its id."""
        account, body = self.simulator.account, {"title": title, "exercises": [PUSH_UPS]}
        if routine_id is None:
            return str(account.make_routine(body)["id"])
        return str(account.edit_routine(routine_id, body)["id"])

    def publish(self, routine_id: str) -> None:
        """Land ann's routine from the account, like a publication."""
        with open_warehouse(self.warehouse) as con:
            self.land_published(con, routine_id)

    def land_published(self, con: duckdb.DuckDBPyConnection, routine_id: str) -> None:
        """Do that in the connection's transaction."""
        with self.client() as client:
            payload = client.routine(routine_id).payload
            land_published(con, "ann", payload, now=datetime.now(UTC), run_id="approval")

    def read_by_another(self, _: str) -> None:
        """Let another run land ann's account."""
        with self.client() as client, open_warehouse(self.warehouse) as con:
            land_fetched(
                con, "ann", fetch_routines(client), now=datetime.now(UTC), run_id="another"
            )

    def versions(self, routine_id: str) -> list[tuple[str, str, bool]]:
        """Return the versions of ann's routine: run, title and deletion flag, oldest first."""
        with open_warehouse(self.warehouse, read_only=True) as con:
            return con.execute(
                """
                select run_id, payload ->> 'title', is_deleted
                from raw.hevy_routines where athlete_id = 'ann' and record_id = $1
                order by loaded_at
                """,
                [routine_id],
            ).fetchall()


@pytest.fixture(params=["file", pytest.param("lake", marks=pytest.mark.long)])
def meanwhile(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Meanwhile]:
    warehouse: Warehouse = tmp_path / "warehouse.duckdb"
    if request.param == "lake":
        lakes: Lakes = request.getfixturevalue("lakes")
        warehouse = lake_of(lakes.new(tmp_path))
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        yield Meanwhile(warehouse, simulator)


@pytest.mark.parametrize("how", [Meanwhile.publish, Meanwhile.read_by_another])
def test_a_routine_landed_after_the_reading_is_not_landed_over(
    meanwhile: Meanwhile, how: Callable[[Meanwhile, str], None]
) -> None:
    made: list[str] = []

    def act() -> None:
        made.append(meanwhile.write("New"))
        how(meanwhile, made[0])

    meanwhile.acts[1] = act
    loaded = meanwhile.load()
    assert meanwhile.readings == ["ann", "ben", "ann"]
    [(_, title, is_deleted)] = meanwhile.versions(made[0])
    assert (title, is_deleted) == ("New", False)
    assert (loaded.landed["ann"].seen, loaded.landed["ben"].seen) == (5, 5)
    assert loaded.failures == {}


def test_an_older_version_is_not_landed_over_a_published_one(meanwhile: Meanwhile) -> None:
    routine = meanwhile.write("As planned for")
    meanwhile.load()
    meanwhile.write("Edited", routine)

    def act() -> None:
        meanwhile.write("Published", routine)
        meanwhile.publish(routine)

    meanwhile.acts[1] = act
    meanwhile.load()
    assert meanwhile.versions(routine) == [
        ("night", "As planned for", False),
        ("approval", "Published", False),
    ]
    meanwhile.load()
    assert meanwhile.readings == ["ann", "ben"]


def test_who_cannot_be_read_again_has_failed_and_keeps_what_was_published(
    meanwhile: Meanwhile,
) -> None:
    made: list[str] = []

    def act() -> None:
        made.append(meanwhile.write("New"))
        meanwhile.publish(made[0])

    def gone() -> None:
        raise HevyUnavailableError("Hevy is down.")

    meanwhile.acts = {1: act, 2: gone}
    loaded = meanwhile.load()
    assert (list(loaded.landed), loaded.failures) == (["ben"], {"ann": "Hevy is down."})
    assert meanwhile.versions(made[0]) == [("approval", "New", False)]


def test_whom_others_land_each_time_is_left_to_the_next_run(meanwhile: Meanwhile) -> None:
    readings = []

    def fetch(client: HevyClient, _: datetime | None) -> FetchResult:
        readings.append(fetch_routines(client))
        meanwhile.read_by_another("")
        return readings[-1]

    loaded = ingest_all(
        replace(ROUTINES, fetch=fetch),
        athletes("ann"),
        lambda _: meanwhile.client(),
        lambda: open_warehouse(meanwhile.warehouse),
        "night",
    )
    assert loaded.landed == {}
    assert "The next run reads it again" in loaded.failures["ann"]
    assert len(readings) == 4


def test_what_a_lake_commits_while_an_older_reading_is_landed_is_known_in_the_end(
    meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two append-only transactions do not conflict, and neither sees the other's rows."""
    routine = meanwhile.write("As planned for")
    meanwhile.load()
    meanwhile.write("Edited", routine)
    with open_warehouse(meanwhile.warehouse) as approval:

        def publish() -> None:
            meanwhile.write("Published", routine)
            approval.begin()
            meanwhile.land_published(approval, routine)

        def landed_beside(*args: Any, **named: Any) -> dict[str, LandResult]:
            monkeypatch.undo()
            landed = land_all_fetched(*args, **named)
            approval.commit()
            return landed

        monkeypatch.setattr("hevy_connector.raw.sync.land_all_fetched", landed_beside)
        meanwhile.acts[1] = publish
        meanwhile.load()
    assert meanwhile.readings == ["ann", "ben", "ann"]
    assert meanwhile.versions(routine) == [
        ("night", "As planned for", False),
        ("approval", "Published", False),
        ("night", "Edited", False),
        ("night", "Published", False),
    ]
