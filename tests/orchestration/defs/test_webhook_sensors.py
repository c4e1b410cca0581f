"""From Hevy's webhook events to the runs of single athletes."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from orchestration.config.athletes import UnknownAthleteError
from orchestration.defs import alerts, automation, resources
from orchestration.defs.automation import hevy_webhook
from orchestration.defs.ingestion.assets import athlete_profiles, hevy_users
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.tags import ATHLETE_TAG
from orchestration.services.ingestion.webhook_events import WEBHOOK_EVENTS, record_delivery

pytestmark = [
    # Dagster's own code uses pydantic's old access to the fields of a resource.
    pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated"),
]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def look(instance: dg.DagsterInstance, cursor: str | None) -> tuple[dict[str, str], str | None]:
    """Tick the sensor once: the requested runs, as athlete by key, and its cursor."""
    with dg.build_sensor_context(instance=instance, cursor=cursor) as context:
        result = hevy_webhook(context)
    assert isinstance(result, dg.SensorResult)
    runs = {
        str(request.run_key): str(request.tags[ATHLETE_TAG])
        for request in result.run_requests or []
    }
    assert bool(runs) is (result.skip_reason is None)
    return runs, result.cursor


def test_without_a_delivery_there_is_no_run(instance: dg.DagsterInstance) -> None:
    assert look(instance, None) == ({}, None)


def test_of_a_delivery_nothing_is_kept_but_athlete_and_workout(
    instance: dg.DagsterInstance,
) -> None:
    record_delivery(instance, "anna", "w1")
    [record] = instance.fetch_observations(WEBHOOK_EVENTS, limit=10).records
    observation = record.asset_observation
    assert observation is not None
    assert (observation.partition, dict(observation.metadata)) == (
        "w1",
        {"athlete": dg.MetadataValue.text("anna")},
    )


def test_each_athlete_gets_one_run_however_much_came_in(instance: dg.DagsterInstance) -> None:
    for athlete_id, workout_id in [("anna", "w1"), ("bob", "w2"), ("anna", "w3"), ("anna", "w1")]:
        record_delivery(instance, athlete_id, workout_id)
    runs, cursor = look(instance, None)
    assert runs == {"anna/w3": "anna", "bob/w2": "bob"}
    assert look(instance, cursor) == ({}, cursor)


def test_a_repeated_delivery_gives_no_second_run_and_hides_no_new_one(
    instance: dg.DagsterInstance,
) -> None:
    record_delivery(instance, "anna", "w1")
    runs, cursor = look(instance, None)
    assert runs == {"anna/w1": "anna"}
    record_delivery(instance, "anna", "w1")
    runs, cursor = look(instance, cursor)
    assert runs == {}
    record_delivery(instance, "anna", "w2")
    record_delivery(instance, "anna", "w1")
    runs, cursor = look(instance, cursor)
    assert runs == {"anna/w2": "anna"}


def test_a_workout_that_two_athletes_share_is_news_for_both(instance: dg.DagsterInstance) -> None:
    record_delivery(instance, "anna", "w1")
    _, cursor = look(instance, None)
    record_delivery(instance, "bob", "w1")
    assert look(instance, cursor)[0] == {"bob/w1": "bob"}


def test_after_a_restart_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as before:
        record_delivery(before, "anna", "w1")
        _, cursor = look(before, None)
        record_delivery(before, "anna", "w2")
    with dg.DagsterInstance.local_temp(str(tmp_path)) as after:
        assert look(after, cursor)[0] == {"anna/w2": "anna"}


def test_a_look_that_was_lost_asks_for_the_same_run_again(instance: dg.DagsterInstance) -> None:
    """Dagster starts a run key once, so a repeated request is no second run."""
    record_delivery(instance, "anna", "w1")
    assert look(instance, None) == look(instance, None)


def test_after_a_long_rest_it_catches_up_in_several_looks(instance: dg.DagsterInstance) -> None:
    for number in range(101):
        record_delivery(instance, "anna", f"w{number}")
    runs, cursor = look(instance, None)
    assert runs == {"anna/w99": "anna"}
    assert look(instance, cursor)[0] == {"anna/w100": "anna"}


@pytest.fixture
def two_athletes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Build the warehouse of a home with two athletes of a simulated account."""
    for athlete_id in ("anna", "bob"):
        (tmp_path / f"{athlete_id}.toml").write_text(
            f'id = "{athlete_id}"\n[hevy]\naccount = "simulator"'
        )
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        monkeypatch.setenv("HEVY_API_URL", simulator.url)
        monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
        yield tmp_path / "home" / "warehouse.duckdb"


def materialize(warehouse: Path, **tags: str) -> dg.ExecuteInProcessResult:
    warehouse.parent.mkdir(exist_ok=True)
    return dg.materialize(
        [athlete_profiles, hevy_users],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(warehouse)),
        },
        tags=tags,
    )


def loaded(warehouse: Path, table: str) -> list[str]:
    with duckdb.connect(warehouse, read_only=True) as con:
        rows = con.execute(f"select athlete_id from raw.{table} order by athlete_id").fetchall()
    return [athlete_id for (athlete_id,) in rows]


def test_a_run_for_one_athlete_touches_nobody_else(two_athletes: Path) -> None:
    materialize(two_athletes, **{ATHLETE_TAG: "bob"})
    assert loaded(two_athletes, "hevy_users") == ["bob"]
    assert loaded(two_athletes, "athlete_profiles") == ["bob"]


def test_a_run_without_the_tag_is_for_all(two_athletes: Path) -> None:
    materialize(two_athletes, **{ATHLETE_TAG: "bob"})
    materialize(two_athletes)
    assert loaded(two_athletes, "hevy_users") == ["anna", "bob"]
    assert loaded(two_athletes, "athlete_profiles") == ["anna", "bob"]


def test_a_run_for_an_unknown_athlete_fails_rather_than_doing_nothing(two_athletes: Path) -> None:
    with pytest.raises(UnknownAthleteError, match="no athlete 'carl'"):
        materialize(two_athletes, **{ATHLETE_TAG: "carl"})


def test_assets_know_of_athletes_only_from_their_run() -> None:
    """Load, plan and publish steps all use the resource; the trigger of a run sets its tag.

    Alerts are no part of a run: they check the home.
    """
    front = Path(resources.__file__)
    for source in front.parent.rglob("*.py"):
        if source not in {front, Path(automation.__file__), Path(alerts.__file__)}:
            text = source.read_text()
            assert "configured_athletes" not in text, source
            assert "load_profiles" not in text, source
