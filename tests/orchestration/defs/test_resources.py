"""Athletes of a run."""

from functools import partial
from pathlib import Path

import dagster as dg
import pytest

from coach_agent.profile.model import ProfileError
from hevy_connector.simulator import demo_account
from orchestration.config.athletes import UnknownAthleteError
from orchestration.defs.resources import AthletesResource
from orchestration.runs.tags import ATHLETE_TAG
from orchestration.services.ingestion.ingest import WORKOUTS, ingest_all
from orchestration.storage.warehouse import open_warehouse
from tests.end_to_end.crowd import key, running_accounts


@pytest.fixture
def athletes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, more in {"ann": "", "ben": 'timezone = "Mars"\n', "zoe": ""}.items():
        (tmp_path / f"{name}.toml").write_text(f'id = "{name}"\n{more}')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    return tmp_path


def profiles_of(tag: str | None, *, job: str = "looks", **more: str) -> list[str]:
    """Return the athletes of a run of a job with these tags."""
    found: list[str] = []

    @dg.op
    def told(athletes: AthletesResource) -> None:
        found.extend(profile.id for profile in athletes.profiles())

    @dg.job(name=job, resource_defs={"athletes": AthletesResource()})
    def looks() -> None:
        told()

    tags = {ATHLETE_TAG: tag, **more}
    looks.execute_in_process(tags={name: value for name, value in tags.items() if value})
    return found


@pytest.mark.parametrize(
    ("tag", "expected"),
    [(None, ["ann", "zoe"]), ("ann", ["ann"]), ("zoe,ann", ["ann", "zoe"]), ("ann,ben", ["ann"])],
)
def test_a_run_goes_on_for_those_whose_profile_can_be_used(
    athletes: Path, tag: str | None, expected: list[str]
) -> None:
    assert profiles_of(tag) == expected


@pytest.mark.parametrize(
    ("tag", "error"),
    [("ben", ProfileError), ("eve", UnknownAthleteError), ("ann,eve", UnknownAthleteError)],
)
def test_a_run_for_nobody_or_a_stranger_says_so(
    athletes: Path, tag: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        profiles_of(tag)


def test_the_accounts_of_a_step_are_read_over_few_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 30 accounts opened at least one."""
    numbers, account = range(30), demo_account(seed=1, weeks=1)
    for number in numbers:
        text = f'id = "a{number}"\nhevy.api_key_env = "HEVY_KEY_{number}"\n'
        (tmp_path / f"a{number}.toml").write_text(text)
        monkeypatch.setenv(f"HEVY_KEY_{number}", key(number))
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    monkeypatch.setenv("HEVY_PER_SECOND", "0")
    monkeypatch.setenv("HEVY_IN_FLIGHT", "1")
    with running_accounts({key(number): account for number in numbers}) as service:
        monkeypatch.setenv("HEVY_API_URL", service.url)
        resource = AthletesResource()
        connect = partial(open_warehouse, tmp_path / "warehouse.duckdb")
        with resource.clients() as make_client:
            loaded = ingest_all(
                WORKOUTS, resource.profiles(), make_client, connect, "run", concurrency=2
            )
    assert loaded.failures == {}
    assert loaded.landed.keys() == {f"a{number}" for number in numbers}
    assert all(one.log.entries() for one in service.services.values())
    # Two are in flight. A slow machine may leave one idle for too long.
    assert len(service.connections) < 10
