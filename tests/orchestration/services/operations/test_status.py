"""Output of `spotter status` for monitoring."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.profile.model import AthleteProfile
from coach_agent.store.schema import create_coach_tables
from orchestration.cli import app as cli
from orchestration.cli.views.status import show_status
from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.status import (
    CheckOutcome,
    NightStatus,
    PartState,
    PartStatus,
    RecentRuns,
    RunStatus,
)
from orchestration.services.operations.freshness import (
    LEAST_FREE_BYTES,
    Disk,
    disk,
    layer,
    pending_publications,
    problems,
    spend,
)
from orchestration.services.operations.status import AthleteStatus, read_status, unsent

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
ROOMY = Disk(
    free=LEAST_FREE_BYTES, warehouse=0, release=0, history=0, logs=0, put_aside=0, left_over=0
)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create_coach_tables(connection)
    return connection


@pytest.mark.parametrize(
    ("age", "state"),
    [
        (timedelta(0), "fresh"),
        (timedelta(hours=26), "fresh"),
        (timedelta(hours=26, seconds=1), "stale"),
        (timedelta(minutes=-5), "fresh"),
        (timedelta(minutes=-6), "future"),
        (None, "missing"),
    ],
)
def test_a_layer_is_stale_two_hours_after_a_night_was_missed(
    age: timedelta | None, state: str
) -> None:
    told = layer("raw", "kim", None if age is None else NOW - age, NOW)
    assert told.state == state
    assert len(list(problems((told,), ROOMY))) == (state != "fresh")


def test_little_room_and_what_a_killed_restore_left_are_problems() -> None:
    assert list(problems((), ROOMY)) == []
    [little] = problems((), ROOMY.model_copy(update={"free": LEAST_FREE_BYTES - 1}))
    assert "Make room" in little
    [left] = problems((), ROOMY.model_copy(update={"left_over": 1}))
    assert "spotter compact" in left


def test_the_month_of_language_models_stands_beside_its_budget(
    con: duckdb.DuckDBPyConnection,
) -> None:
    con.execute("""
        insert into coach.llm_calls by name
        select
            'call' || range as llm_call_id, 'q' as question_id, range as request_index,
            'kim' as athlete_id, 'r' as run_id, 'plan' as call_name, 'google' as provider,
            'm' as model, 'strong' as tier, 1 as attempt, 'answered' as outcome, '[]' as feedback,
            'h' as prompt_sha256, 'v' as prompt_version, 1.0 as duration_s,
            -- The last of February, the first and fourth of March, and one without a price.
            [timestamp '2026-02-28 23:59:59', '2026-03-01', '2026-03-04', '2026-03-04'][range + 1]
                as asked_at,
            [5.0, 0.25, 0.5, null][range + 1] as cost_usd
        from range(4)
    """)
    kim, lee = (AthleteProfile.model_validate({"id": name}) for name in ("kim", "lee"))
    told = {each.athlete_id: each for each in spend(con, (kim, lee), NOW)}
    assert (told["kim"].spent_usd, told["kim"].unpriced_requests) == (Decimal("0.75"), 1)
    assert (told["lee"].spent_usd, told["lee"].unpriced_requests) == (Decimal(0), 0)
    assert told["kim"].budget_usd == Decimal("0.25") * 31


def test_what_waits_is_told_and_what_is_done_is_not(con: duckdb.DuckDBPyConnection) -> None:
    for number, state in enumerate(("published", "waiting", "conflict", "rejected")):
        con.execute(
            """
            insert into coach.publications by name
            select
                $1 as publication_id, $2 as publication_number, 'p' as plan_id,
                'kim' as athlete_id, 'r' as routine_id, 'approve' as mode, $3 as state,
                $4 as staged_at, 'run' as run_id
            """,
            [f"pub{number}", number, state, NOW.replace(tzinfo=None) - timedelta(hours=number)],
        )
    assert [each.state for each in pending_publications(con)] == ["conflict", "waiting"]


def test_room_is_told_by_what_takes_it(tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_HOME": "home"}, tmp_path)
    release = settings.release_folder / "000001"
    release.mkdir(parents=True)
    (release / "marts.duckdb").write_bytes(b"12345")
    # Readers find it by links, which take no space.
    (settings.release_folder / "current").symlink_to("000001")
    settings.warehouse_path.write_bytes(b"123")
    (settings.home / ".unpacking-killed").mkdir()
    (settings.home / ".unpacking-killed" / "one").write_bytes(b"1")
    (settings.home / "before-20260101T000000Z").mkdir()
    (settings.home / "before-20260101T000000Z" / "two").write_bytes(b"12")
    told = disk(settings)
    assert (told.warehouse, told.release, told.history) == (3, 5, 0)
    assert (told.put_aside, told.left_over) == (2, 1)


def test_a_failed_run_is_one_problem_however_often_it_is_told(tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_HOME": "home"}, tmp_path)
    failed = RunStatus(
        run_id="12345678-aaaa",
        job="nightly",
        status="FAILURE",
        ended_at=NOW,
        failed_steps={"dbt_models": "a test found a row"},
    )
    runs = RecentRuns(last=failed, last_releasing=failed, latest=(failed,))
    told = [
        each for each in read_status(settings, (), runs, NOW).problems if each.startswith("The run")
    ]
    assert told == ["The run 12345678 of nightly failed: step dbt_models: a test found a row"]
    assert read_status(settings, (), RecentRuns(), NOW).versions["duckdb"] == duckdb.__version__


KIM = AthleteProfile.model_validate({"id": "kim"})


def test_a_night_of_partitions_is_shown_by_part_and_partition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def part(job: str, partition: str | None, state: PartState, retries: int = 0) -> PartStatus:
        return PartStatus(
            job=job,
            partition=partition,
            state=state,
            retries=retries,
            run_id="a",
            started_at=NOW,
            ended_at=None,
        )

    night = NightStatus(
        id="one",
        state="running",
        began_at=NOW,
        ended_at=None,
        parts=(
            part("sync", "1-of-3", "failed"),
            part("sync", "2-of-3", "finished", 1),
            part("sync", "3-of-3", "finished"),
            part("models", None, "running"),
        ),
        left={"ann": "the partition 1-of-3 failed in sync"},
    )
    status = read_status(
        load_settings({"SPOTTER_HOME": "home"}, tmp_path), (), RecentRuns(night=night), NOW
    )
    show_status(status)
    shown = [
        " ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()
    ]
    assert "sync failed 1-of-3" in shown
    assert "sync finished 2-of-3 (retries: 1), 3-of-3" in shown
    assert "models running all" in shown
    assert "left out ann: the partition 1-of-3 failed in sync" in shown
    assert json.loads(status.model_dump_json())["night"]["parts"][3]["state"] == "running"


def test_an_athlete_without_a_plan_and_what_the_last_night_warned_of_are_problems(
    tmp_path: Path,
) -> None:
    """A night without any plan, or with an unread account, ended with "all is well"."""
    settings = load_settings({"SPOTTER_HOME": "home"}, tmp_path)
    unread, broken = (
        CheckOutcome(asset="raw/hevy_users", check="complete", is_error=is_error, description=why)
        for is_error, why in ((False, "kim: the key was refused"), (True, "all is lost"))
    )
    night = RunStatus(
        run_id="12345678-aaaa",
        job="nightly",
        status="SUCCESS",
        ended_at=NOW,
        failed_checks=(unread, broken),
    )
    told = read_status(settings, (KIM,), RecentRuns(last_releasing=night), NOW).problems
    assert "There is no active plan for kim. Run: spotter run, which shows the reason" in told
    assert [each for each in told if "12345678" in each] == [
        "The run 12345678 of nightly warned: raw/hevy_users, check complete: "
        "kim: the key was refused",
        "The run 12345678 of nightly warned: raw/hevy_users, check complete: all is lost",
    ]


def test_who_is_left_out_for_a_profile_is_a_problem(tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, tmp_path)
    settings.athletes_dir.mkdir()
    (settings.athletes_dir / "ben.toml").write_text("nonsense")
    told = read_status(settings, (KIM,), RecentRuns(), NOW).problems
    assert [each[:24] for each in told if each.startswith("ben")] == ["ben is left out until th"]


@pytest.mark.parametrize(("state", "is_problem"), [("failed", True), ("published", False)])
def test_a_plan_that_could_not_be_sent_is_a_problem(state: str, is_problem: bool) -> None:
    kim = AthleteStatus(
        id="kim",
        account="hevy",
        publish_mode="auto",
        last_sync_at=NOW,
        workout_count=1,
        next_routine="Push",
        publication_state=state,
    )
    assert any("Sending the plan of kim" in each for each in unsent((kim,))) == is_problem


def damaged_history(home: Path) -> None:
    with dagster_instance(load_settings()):
        pass
    for path in home.rglob("runs.db*"):
        path.write_bytes(b"nothing" * 1000)


def half_a_manifest(home: Path) -> None:
    (home / "release").mkdir()
    (home / "release" / "manifest.json").write_text('{"release_number": 1, "run')


def no_right_to_write(home: Path) -> None:
    (home / "dagster").mkdir()
    # Root may write anywhere, so a folder replaces the lock file.
    (home / "dagster.lock").mkdir()


@pytest.mark.parametrize("damage", [damaged_history, half_a_manifest, no_right_to_write])
def test_what_cannot_be_told_ends_with_two_and_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], damage: Any
) -> None:
    """A monitor took the exit code 1 of a traceback for an answer."""
    (tmp_path / "kim.toml").write_text('id = "kim"\n')
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["spotter", "status"])
    damage(tmp_path / "home")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "spotter " in capsys.readouterr().err
