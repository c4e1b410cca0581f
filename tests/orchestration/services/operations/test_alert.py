"""A problem is reported once, again after a day, and when it is resolved; never with a secret."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import dagster as dg
import pytest

from coach_agent.profile.model import AthleteProfile
from orchestration.config.settings import load_settings
from orchestration.defs import alerts as module
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.status import RecentRuns, RunStatus
from orchestration.services.operations import alert as library
from orchestration.services.operations.alert import (
    Alert,
    SentAlert,
    athlete_alerts,
    home_alerts,
    next_state,
    parse_state,
    recipients,
    redact_alerts,
    select_update,
    serialize_state,
)
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.sinks import HttpSink, http_sink

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
FAILED = RunStatus(
    run_id="r",
    job="nightly",
    status="FAILURE",
    ended_at=NOW,
    failed_steps={"raw__hevy_users": "key marker-secret was refused"},
)
RUN = Alert("run", "The last run failed")


def told_after(*steps: tuple[float, tuple[Alert, ...]]) -> list[tuple[str, ...]]:
    """Return the alerts of each step: hours since the beginning, and the problems then."""
    told: dict[str, SentAlert] = {}
    sent = []
    for hours, wrong in steps:
        now = NOW + timedelta(hours=hours)
        fresh = select_update(wrong, told, now)
        sent.append(fresh.lines)
        told = parse_state(serialize_state(next_state(wrong, told, fresh, now)))
    return sent


def test_a_cause_is_told_once_then_daily_and_when_it_is_healed() -> None:
    said, healed = ("The last run failed",), ("Resolved: The last run failed",)
    assert told_after(
        (0, ()), (1, (RUN,)), (2, (RUN,)), (24.9, (RUN,)), (25, (RUN,)), (26, ()), (27, ())
    ) == [(), said, (), (), said, healed, ()]


def test_what_comes_again_after_it_was_healed_is_told_again() -> None:
    assert [bool(each) for each in told_after((0, (RUN,)), (1, ()), (2, (RUN,)))] == [True] * 3


def test_other_words_for_the_same_cause_are_no_news() -> None:
    other = Alert("run", "The last run failed otherwise")
    assert told_after((0, (RUN,)), (1, (other,)))[1] == ()


def test_what_has_to_last_is_told_once_it_did_and_never_as_healed_before() -> None:
    held = Alert("held", "The warehouse is held", after=timedelta(hours=1))
    assert told_after((0, (held,)), (0.5, ()), (1.1, (held,)), (2, (held,)), (2.1, (held,))) == [
        (), (), (), (), ("The warehouse is held",),
    ]  # fmt: skip
    assert told_after((0, (held,)), (1, (held,)), (2, (held,)), (3, ())) == [
        (), ("The warehouse is held",), (), ("Resolved: The warehouse is held",),
    ]  # fmt: skip


def test_what_could_not_be_looked_at_is_not_healed() -> None:
    stale = Alert("stale ann", "ann: not read", "ann")
    told = {stale.key: SentAlert(NOW, stale.text, "ann")}
    assert select_update((), told, NOW, frozenset({"stale"})).healed == ()
    assert select_update((), told, NOW, frozenset({"run"})).healed == (stale,)


def test_what_an_earlier_version_told_is_still_known() -> None:
    assert parse_state('{"run": ["2026-03-04T12:00:00+00:00", "It failed", null]}') == {
        "run": SentAlert(NOW, "It failed", None)
    }


@pytest.mark.parametrize(
    ("operator", "athletes", "expected"),
    [
        pytest.param("", {"ann": False}, [], id="nobody wants to hear"),
        pytest.param("", {"ann": True}, [{"ann", None}], id="an athlete alone is the operator"),
        pytest.param("", {"ann": True, "ben": True}, [{"ann"}, {"ben"}], id="two athletes"),
        pytest.param("json://x", {"ann": True}, [{"ann", None}, {"ann"}], id="an operator"),
    ],
)
def test_athletes_hear_what_is_theirs_and_the_operator_everything(
    operator: str, athletes: dict[str, bool], expected: list[set[str | None]]
) -> None:
    profiles = [
        AthleteProfile.model_validate(
            {"id": athlete, "notify": {"urls": ("json://127.0.0.1",)} if has_address else {}}
        )
        for athlete, has_address in athletes.items()
    ]
    settings = load_settings({"SPOTTER_NOTIFY": operator})
    assert [set(whose) for _, whose in recipients(settings, profiles)] == expected


def test_what_is_wrong_with_a_home_is_told_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings({"SPOTTER_HOME": str(tmp_path), "ANN_KEY": "marker-secret"})
    ann, ben = (AthleteProfile.model_validate({"id": name}) for name in ("ann", "ben"))
    with open_warehouse(settings.warehouse_path) as con:
        for athlete, hours in (("ann", 40), ("ben", 30)):
            con.execute(
                "insert into raw.sync_state values ($1, 'hevy_workouts', null, $2, 3)",
                [athlete, (NOW - timedelta(hours=hours)).replace(tzinfo=None)],
            )
        (stale,) = athlete_alerts(con, [ann, ben], NOW)
    assert (stale.key, stale.athlete_id) == ("stale ann", "ann")
    assert "hevy_workouts of the account was last read 40 hours ago" in stale.text
    runs = RecentRuns(last=FAILED, last_releasing=FAILED, unserved={"ann": FAILED})
    (run,) = redact_alerts(home_alerts(settings, runs), settings.keys)
    assert "marker" not in run.text
    assert "key *** was refused" in run.text
    monkeypatch.setattr(library.shutil, "disk_usage", lambda _: SimpleNamespace(free=999_000_000))
    (disk,) = home_alerts(settings, RecentRuns())
    assert disk.text.startswith("Only 999 MB are free")


def test_a_run_that_failed_for_everybody_is_read_once_and_for_one_alone_by_name() -> None:
    left = FAILED.model_copy(update={"status": "SUCCESS", "left": {"ann": "nothing was sent: 503"}})
    with TemporaryDirectory() as home:
        settings = load_settings({"SPOTTER_HOME": home})
        both = home_alerts(settings, RecentRuns(unserved={"ann": FAILED, "ben": FAILED}))
        one = home_alerts(settings, RecentRuns(unserved={"ann": left}))
    assert [(each.key, each.athlete_id) for each in both] == [
        ("run ann", "ann"),
        ("run ben", "ben"),
    ]
    assert len(select_update(both, {}, NOW).lines) == 1
    assert [(each.key, each.text) for each in one] == [("run ann", "ann: nothing was sent: 503")]


@pytest.fixture
def sink() -> Iterator[HttpSink]:
    with http_sink() as sink:
        yield sink


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sink: HttpSink) -> Path:
    """Build a home with an account that was read two days ago, and an operator's address."""
    (tmp_path / "ann.toml").write_text('id = "ann"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    monkeypatch.setenv("SPOTTER_NOTIFY", f"json://127.0.0.1:{sink.port}/hook")
    read(tmp_path, datetime.now(UTC) - timedelta(days=2))
    return tmp_path


def read(home: Path, at: datetime) -> None:
    with open_warehouse(home / "warehouse.duckdb") as con:
        con.execute(
            "insert or replace into raw.sync_state values ('ann', 'hevy_workouts', null, $1, 3)",
            [at.replace(tzinfo=None)],
        )


def look(cursor: str | None) -> str | None:
    with (
        dg.DagsterInstance.ephemeral() as instance,
        dg.build_sensor_context(instance=instance, cursor=cursor) as context,
    ):
        result = module.alerts(context)
    assert isinstance(result, dg.SensorResult)
    return result.cursor


def test_the_sensor_sends_once_and_tells_when_it_is_healed(home: Path, sink: HttpSink) -> None:
    cursor = look(look(None))
    assert len(sink.requests) == 1
    assert "was last read 48 hours ago" in str(sink.requests[0][2])
    read(home, datetime.now(UTC))
    look(look(cursor))
    assert [each[2]["title"] for each in sink.requests] == [
        "Spotter: problem",
        "Spotter: resolved",
    ]


@pytest.mark.usefixtures("home")
def test_what_did_not_arrive_is_sent_again(sink: HttpSink) -> None:
    sink.status = 500
    cursor = look(None)
    sink.status = 200
    look(look(cursor))
    assert len(sink.requests) == 2


def test_a_profile_that_cannot_be_used_is_told_and_heals_nothing(
    home: Path, sink: HttpSink
) -> None:
    """During an invalid profile the sensor did nothing, so the missing night was not reported."""
    cursor = look(None)
    (home / "ann.toml").write_text("nonsense")
    cursor = look(cursor)
    (home / "ann.toml").write_text('id = "ann"\n')
    look(cursor)
    assert [each[2]["title"] for each in sink.requests] == [
        "Spotter: problem", "Spotter: problem", "Spotter: resolved",
    ]  # fmt: skip
    assert "ann is left out until this is fixed" in str(sink.requests[1][2])
    assert "48 hours" not in str(sink.requests[2][2])


def test_one_of_several_profiles_that_cannot_be_used_is_told_and_the_others_looked_at(
    home: Path, sink: HttpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "ben.toml").write_text("nonsense")
    look(None)
    told = str(sink.requests[0][2])
    assert "ben is left out until this is fixed" in told
    assert "ann: hevy_workouts of the account was last read 48 hours ago" in told
    monkeypatch.setenv("SPOTTER_NOTIFY", "")
    one = AthleteProfile.model_validate({"id": "ann", "notify": {"urls": ("json://127.0.0.1",)}})
    assert [set(whose) for _, whose in recipients(load_settings(), [one], 1)] == [{"ann"}]


def test_a_warehouse_that_cannot_be_read_is_told_beside_the_full_disk(
    home: Path, sink: HttpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged warehouse failed each tick before anything was sent."""
    (home / "warehouse.duckdb").write_bytes(b"nothing" * 1000)
    monkeypatch.setattr(library.shutil, "disk_usage", lambda _: SimpleNamespace(free=999_000_000))
    look(None)
    told = str(sink.requests[0][2])
    assert "is damaged" in told
    assert "999 MB" in told


def test_a_warehouse_of_a_newer_version_is_told(home: Path, sink: HttpSink) -> None:
    with open_warehouse(home / "warehouse.duckdb") as con:
        con.execute("update meta.migrations set version = version + 9999")
    look(None)
    assert "newer" in str(sink.requests[0][2])


def test_a_history_that_cannot_be_read_is_told_beside_the_rest(
    home: Path, sink: HttpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    with dagster_instance(load_settings()) as instance:
        for path in home.rglob("runs.db*"):
            path.write_bytes(b"nothing" * 1000)
        with dg.build_sensor_context(instance=instance) as context:
            module.alerts(context)
    told = str(sink.requests[0][2])
    assert "file is not a database" in told
    assert "48 hours" in told


def test_without_an_address_there_is_no_sensor(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each.name for each in module.defs().sensors or []] == ["alerts"]
    monkeypatch.setenv("SPOTTER_NOTIFY", "")
    assert list(module.defs().sensors or []) == []
    (home / "ann.toml").write_text("nonsense")
    assert [each.name for each in module.defs().sensors or []] == ["alerts"]
