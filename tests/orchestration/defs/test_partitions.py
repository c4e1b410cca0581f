"""Partitions of the athletes in Dagster: one is none, and several are a night of parts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from orchestration.assets.retries import retry_lost_catalog
from orchestration.config.settings import SettingsError, load_settings
from orchestration.defs.parts import requests_of_parts
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.history import recent_runs_of
from orchestration.runs.nights import part_runs
from orchestration.runs.part_run import RETRY_TAGS
from orchestration.runs.partitions import PartitionError
from orchestration.runs.tags import ATHLETE_TAG, NIGHT_TAG
from tests.orchestration.defs.test_resources import profiles_of

PARTITIONED = frozenset({"nightly", "import_files", "marts", "sync", "coach", "brief"})
WHOLE = frozenset({"models", "release"})
RANGE = {
    "dagster/asset_partition_range_start": "1-of-4",
    "dagster/asset_partition_range_end": "4-of-4",
}


@pytest.fixture
def four(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home of four partitions: ann and ben are in the third, zoe in the fourth."""
    for name in ("ann", "ben", "zoe"):
        (tmp_path / f"{name}.toml").write_text(f'id = "{name}"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    monkeypatch.setenv("SPOTTER_TARGET", "lake")
    monkeypatch.setenv("SPOTTER_LAKE_CATALOG", "postgresql://spotter@127.0.0.1:1/lake")
    monkeypatch.setenv("SPOTTER_LAKE_DATA", str(tmp_path / "lake"))
    monkeypatch.setenv("SPOTTER_PARTITIONS", "4")
    return tmp_path


@pytest.fixture
def history(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


def partitioned_jobs() -> frozenset[str]:
    from orchestration.definitions import defs

    found = defs()
    return frozenset(
        name for name in PARTITIONED | WHOLE if found.resolve_job_def(name).partitions_def
    )


def test_one_partition_is_not_visible(
    four: Path, history: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_PARTITIONS", "1")
    from orchestration.definitions import defs

    assert partitioned_jobs() == frozenset()
    repository = defs().get_repository_def()
    assert not repository.has_sensor_def("parts")
    assert repository.get_schedule_def("nightly_UTC").job_name == "nightly"
    [request] = begin_night(repository, history)
    assert (request.partition_key, request.tags[ATHLETE_TAG]) == (None, "ann,ben,zoe")
    assert NIGHT_TAG not in request.tags


def test_a_file_has_one_writer(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOTTER_TARGET", "embedded")
    with pytest.raises(SettingsError, match=r"SPOTTER_PARTITIONS is 4, .* Set SPOTTER_TARGET=lake"):
        load_settings()


def begin_night(
    repository: dg.RepositoryDefinition, history: dg.DagsterInstance
) -> list[dg.RunRequest]:
    due = datetime.now(UTC)
    tick = repository.get_schedule_def("nightly_UTC").evaluate_tick(
        dg.build_schedule_context(
            instance=history, repository_def=repository, scheduled_execution_time=due
        )
    )
    return list(tick.run_requests or ())


def test_the_schedule_begins_the_first_part_and_the_sensor_the_next_ones(
    four: Path, history: dg.DagsterInstance
) -> None:
    from orchestration.definitions import defs

    repository = defs().get_repository_def()
    assert partitioned_jobs() == PARTITIONED
    schedule, parts = repository.get_schedule_def("nightly_UTC"), repository.get_sensor_def("parts")
    requests = begin_night(repository, history)
    assert schedule.job_name == "sync"
    assert [(each.partition_key, each.tags[ATHLETE_TAG]) for each in requests] == [
        ("3-of-4", "ann,ben"),
        ("4-of-4", "zoe"),
    ]
    told: list[str] = []
    job = schedule.job_name
    while requests:
        for each in requests:
            job = each.job_name or job
            told.append(" ".join([job, *filter(None, [each.partition_key])]))
            ran = dg.DagsterRun(job, tags=each.tags, status=dg.DagsterRunStatus.SUCCESS)
            history.add_run(ran)
        with dg.build_sensor_context(instance=history, repository_def=repository) as context:
            requests = list(parts.evaluate_tick(context).run_requests or ())
    assert told == [
        *("sync 3-of-4", "sync 4-of-4", "models", "coach 3-of-4", "coach 4-of-4"),
        *("release", "brief 3-of-4", "brief 4-of-4"),
    ]
    assert requests_of_parts(history, datetime.now(UTC) + timedelta(days=2)) == []
    night = recent_runs_of(history, ()).night
    assert night is not None
    assert [" ".join(filter(None, (each.job, each.partition))) for each in night.parts] == told
    assert {each.state for each in night.parts} == {"finished"}


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"dagster/partition": "3-of-4"}, ["ann", "ben"]),
        ({"dagster/partition": "4-of-4", ATHLETE_TAG: "zoe"}, ["zoe"]),
        ({"dagster/partition": "1-of-4"}, []),
        (RANGE, ["ann", "ben", "zoe"]),
    ],
)
def test_a_run_has_the_athletes_of_its_partition(
    four: Path, tags: dict[str, str], expected: list[str]
) -> None:
    assert profiles_of(tags.get(ATHLETE_TAG), job="sync", **tags) == expected


@pytest.mark.parametrize(
    ("job", "tags", "error", "told"),
    [
        ("nightly", {}, SettingsError, "in 4 partitions, and this run of nightly has none"),
        ("coach", {}, SettingsError, "run: spotter run"),
        ("sync", {"dagster/partition": "1-of-2"}, PartitionError, "SPOTTER_PARTITIONS is 4"),
        ("sync", {"dagster/partition": "second"}, PartitionError, "the second of four is 2-of-4"),
    ],
)
def test_a_partitioned_job_without_a_partition_of_now_refuses(
    four: Path, job: str, tags: dict[str, str], error: type[Exception], told: str
) -> None:
    with pytest.raises(dg.DagsterError) as refused:
        profiles_of(None, job=job, **tags)
    assert isinstance(refused.value.__cause__, error)
    assert told in str(refused.value.__cause__)


@pytest.mark.long
@pytest.mark.parametrize(
    ("error", "is_retried"),
    [
        (OSError("Nothing is published"), False),
        (dg.Failure("Nothing is published: server closed the connection unexpectedly"), True),
        (dg.Failure("Nothing is published: the disk is full"), False),
    ],
)
def test_a_run_of_a_night_is_retried_if_it_lost_the_catalog_and_for_no_other_step(
    four: Path, error: Exception, is_retried: bool
) -> None:
    @dg.op
    def fail() -> None:
        raise error

    @dg.job(hooks={retry_lost_catalog})
    def part() -> None:
        fail()

    with dagster_instance(load_settings()) as instance:
        ran = part.execute_in_process(instance=instance, raise_on_error=False, tags=RETRY_TAGS)
        run = instance.get_run_by_id(ran.run_id)
        assert run is not None
        assert run.is_complete_and_waiting_to_retry == is_retried
        other = part.execute_in_process(instance=instance, raise_on_error=False)
        run = instance.get_run_by_id(other.run_id)
        assert run is not None
        assert not run.is_complete_and_waiting_to_retry


@pytest.mark.parametrize(
    ("tags", "state"),
    [
        (RETRY_TAGS, "waiting"),
        ({**RETRY_TAGS, "dagster/will_retry": "true"}, "waiting"),
        ({**RETRY_TAGS, "dagster/will_retry": "false"}, "failed"),
        ({}, "failed"),
    ],
)
def test_a_failed_run_has_not_ended_before_dagster_decided_about_its_retry(
    four: Path, tags: dict[str, str], state: str
) -> None:
    """Dagster stores the decision after the failure; in between the night seemed to have ended."""
    run = dg.DagsterRun(
        "models", status=dg.DagsterRunStatus.FAILURE, tags={NIGHT_TAG: "tonight", **tags}
    )
    with dagster_instance(load_settings()) as instance:
        instance.add_run(run)
        [read] = part_runs(instance.get_run_records())
    assert read.state == state
