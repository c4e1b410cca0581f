"""A home does not grow without bound, and loses no required data."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from orchestration.config.settings import Settings, load_settings
from orchestration.defs.maintenance.jobs import compact_home
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.lock import run_lock
from orchestration.services.operations.compaction import (
    KEEP_RUNS,
    KEEP_VERSIONS,
    compact,
    compact_versions,
    shrink,
)
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import open_warehouse
from tests.former_versions import FORMER_VERSIONS, make_former_warehouse

NOW = datetime(2028, 3, 4, 3, 17, tzinfo=UTC)
HORIZON = (NOW - KEEP_VERSIONS).replace(tzinfo=None)
DAY = timedelta(days=1)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    return load_settings({"SPOTTER_HOME": "home"}, tmp_path)


def land(con: duckdb.DuckDBPyConnection, entity: str, record: str, *loaded_at: datetime) -> None:
    for number, moment in enumerate(loaded_at):
        con.execute(
            f"""
            insert into raw.{entity} values (
                'kim', $1, '{{}}', 'sha' || $2, null, $3, 'run', 'api', false
            )
            """,
            [record, str(number), moment],
        )


def left(con: duckdb.DuckDBPyConnection, entity: str) -> list[tuple[Any, ...]]:
    query = f"select record_id, payload_sha256 from raw.{entity} order by all"
    return con.execute(query).fetchall()


def test_versions_go_that_others_followed_more_than_a_year_ago(settings: Settings) -> None:
    with open_warehouse(settings.warehouse_path) as con:
        land(con, "hevy_workouts", "old", HORIZON - 3 * DAY, HORIZON - 2 * DAY, HORIZON - DAY)
        # The newest version at the horizon is the knowledge of that time.
        land(con, "hevy_workouts", "edge", HORIZON - DAY, HORIZON + DAY)
        land(con, "hevy_workouts", "alone", HORIZON - 9 * DAY)
        for entity in ("hevy_routines", "hevy_exercise_templates"):
            land(con, entity, "kept", HORIZON - 3 * DAY, HORIZON - 2 * DAY)
        assert compact_versions(con, NOW, is_dry_run=True)["hevy_workouts"] == 2
        assert len(left(con, "hevy_workouts")) == 6
        assert compact_versions(con, NOW)["hevy_workouts"] == 2
        assert left(con, "hevy_workouts") == [
            ("alone", "sha0"),
            ("edge", "sha0"),
            ("edge", "sha1"),
            ("old", "sha2"),
        ]
        # Facts refer to versions of exercises.
        assert len(left(con, "hevy_routines")) == len(left(con, "hevy_exercise_templates")) == 2
        assert compact_versions(con, NOW)["hevy_workouts"] == 0


def test_a_version_stays_that_a_decision_read(settings: Settings) -> None:
    with open_warehouse(settings.warehouse_path) as con:
        for record in ("read", "unread"):
            land(con, "hevy_workouts", record, HORIZON - 9 * DAY, HORIZON - 6 * DAY, HORIZON - DAY)
        con.execute(
            """
            insert into coach.decisions by name
            select
                'dec' as decision_id, 'kim' as athlete_id, 'r' as routine_id, 'run' as run_id,
                '1' as rule_version, 'h' as input_sha256, '{"workout": "read"}' as input,
                'h' as output_sha256, $1 as decided_at
            """,
            [HORIZON - 5 * DAY],
        )
        compact_versions(con, NOW)
        assert left(con, "hevy_workouts") == [
            ("read", "sha1"),
            ("read", "sha2"),
            ("unread", "sha2"),
        ]


def gappy(path: Path) -> dict[str, object]:
    """Build a real warehouse with free blocks; return its content."""
    make_former_warehouse(FORMER_VERSIONS[-1], path)
    with open_warehouse(path) as con:
        con.execute("create table junk as select range as n, random() as x from range(200000)")
        con.execute("checkpoint")
        con.execute("drop table junk")
        con.execute("comment on table coach.decisions is 'kept'")
        con.execute("create view raw.newest as select * from raw.hevy_workouts")
        con.execute("checkpoint")
    return catalog(path)


def catalog(path: Path) -> dict[str, object]:
    with duckdb.connect(path, read_only=True) as con:
        told: dict[str, object] = {
            query: con.execute(query).fetchall()
            for query in (
                "select schema_name, table_name, comment from duckdb_tables() order by all",
                "select schema_name, view_name, sql from duckdb_views() order by all",
                "select schema_name, table_name, constraint_text from duckdb_constraints() "
                "order by all",
                "from coach.decisions order by all",
                "from raw.newest order by all",
                "from snapshots.snp_hevy__routines order by all",
            )
        }
        [(tags,)] = con.execute(
            "select tags from duckdb_databases() where database_name = 'warehouse'"
        ).fetchall()
        return {**told, "storage": tags["storage_version"]}


def test_the_file_shrinks_and_holds_the_same(settings: Settings) -> None:
    path = settings.warehouse_path
    held = gappy(path)
    before = path.stat().st_size
    done = compact(settings, NOW, print)
    assert done.warehouse_bytes == (before, path.stat().st_size)
    assert path.stat().st_size < 0.9 * before
    assert catalog(path) == held
    assert [file.name for file in path.parent.glob("warehouse*")] == ["warehouse.duckdb"]
    again = compact(settings, NOW, print)
    assert again.warehouse_bytes[0] == again.warehouse_bytes[1]


def test_a_dry_run_changes_nothing(settings: Settings) -> None:
    gappy(settings.warehouse_path)
    left_over = settings.home / ".unpacking-killed"
    left_over.mkdir()
    (left_over / "part").write_bytes(b"123")
    before = settings.warehouse_path.read_bytes()
    done = compact(settings, NOW, print, is_dry_run=True)
    assert (done.left_over, done.freed_bytes) == ((left_over,), 3)
    assert left_over.exists()
    assert settings.warehouse_path.read_bytes() == before


@pytest.mark.long
def test_a_kill_leaves_the_warehouse_as_it_was_and_the_next_time_clears_up(
    settings: Settings,
) -> None:
    held = gappy(settings.warehouse_path)
    code = f"""
import os, signal
from pathlib import Path
from orchestration.services.operations.compaction import shrink
from orchestration.storage.warehouse import open_warehouse
Path.replace = lambda self, target: os.kill(os.getpid(), signal.SIGKILL)
path = Path({str(settings.warehouse_path)!r})
with open_warehouse(path) as con:
    shrink(con, path)
"""
    died = subprocess.run([sys.executable, "-c", code], check=False)
    assert died.returncode == -signal.SIGKILL
    assert settings.warehouse_path.with_name("warehouse.duckdb.compacted").exists()
    assert catalog(settings.warehouse_path) == held
    done = compact(settings, NOW, print)
    assert [path.name for path in done.left_over] == ["warehouse.duckdb.compacted"]
    assert catalog(settings.warehouse_path) == held


@pytest.mark.long
def test_who_waits_for_the_warehouse_writes_into_the_new_file(settings: Settings) -> None:
    """A writer with the old file open would write data that is never read."""
    path = settings.warehouse_path
    gappy(path)
    code = f"""
import sys
from pathlib import Path
from orchestration.storage.warehouse import open_warehouse
print("ready", flush=True)
with open_warehouse(Path({str(path)!r})) as con:
    con.execute("create table main.said as select 'arrived' as word")
"""
    with (
        open_warehouse(path) as con,
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
        ) as waiting,
    ):
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "ready\n"
        shrink(con, path)
        con.close()
        assert waiting.wait(60) == 0
    with open_warehouse(path) as con:
        assert con.execute("from main.said").fetchall() == [("arrived",)]


def test_it_leaves_a_home_alone_in_which_somebody_works(settings: Settings) -> None:
    gappy(settings.warehouse_path)
    code = f"""
import sys
from pathlib import Path
from orchestration.runs.lock import run_lock
with run_lock(Path({str(settings.home)!r}), "a run", is_waiting=False):
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match="a run"):
            compact(settings, NOW, print)
        other.communicate()
    with run_lock(settings.home, "the same process", is_waiting=False):
        compact(settings, NOW, print, is_dry_run=True)


def materialize(settings: Settings, *names: str) -> list[str]:
    """Return the runs that materialize these assets, one after the other."""

    def asset(name: str) -> dg.AssetsDefinition:
        @dg.asset(name=name)
        def made() -> dg.MaterializeResult[None]:
            print("said by", name)
            return dg.MaterializeResult(metadata={"rows": 7})

        return made

    assets = {name: asset(name) for name in set(names)}
    with dagster_instance(settings) as instance:
        return [dg.materialize([assets[name]], instance=instance).run_id for name in names]


def test_old_runs_go_but_the_last_that_told_of_an_asset(settings: Settings) -> None:
    runs = materialize(settings, *["mart"] * 7, "other")
    later = datetime.now(UTC) + KEEP_RUNS + DAY
    assert compact(settings, datetime.now(UTC), print).runs == 0
    assert compact(settings, later, print, is_dry_run=True).runs == 3
    done = compact(settings, later, print)
    # The status lists the last five, and the seventh is the latest of "mart".
    assert done.runs == 3
    assert done.freed_bytes > 0
    history = settings.dagster_home / "history"
    assert {path.stem for path in (history / "runs").glob("*-*.db")} == set(runs[3:])
    with dagster_instance(settings) as instance:
        assert {run.run_id for run in instance.get_runs()} == set(runs[3:])
        for name in ("mart", "other"):
            last = instance.get_latest_materialization_event(dg.AssetKey(name))
            assert last is not None
            assert last.asset_materialization is not None
            assert last.asset_materialization.metadata["rows"].value == 7
    with closing(sqlite3.connect(history / "runs" / "index.db")) as con:
        [(count,)] = con.execute(
            "select count(distinct run_id) from event_logs where asset_key is not null"
        ).fetchall()
    assert count == 5


def test_the_last_run_of_an_asset_is_kept_however_many_followed(settings: Settings) -> None:
    first, *_ = materialize(settings, "rare", *["often"] * 6)
    later = datetime.now(UTC) + KEEP_RUNS + DAY
    assert compact(settings, later, print).runs == 1
    with dagster_instance(settings) as instance:
        assert instance.get_run_by_id(first) is not None


def test_what_restores_replaced_is_told_and_left(settings: Settings) -> None:
    aside = settings.home / "before-20260101T000000Z"
    aside.mkdir(parents=True)
    (aside / "warehouse.duckdb").write_bytes(os.urandom(10))
    done = compact(settings, NOW, print)
    assert done.put_aside == (aside,)
    assert (aside / "warehouse.duckdb").exists()


def test_the_weekly_job_does_it_by_itself(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(settings.home))
    gappy(settings.warehouse_path)
    context = dg.build_op_context()
    compact_home(context)
    told = context.get_output_metadata("result")
    assert told is not None
    assert told["warehouse_mb_after"] < told["warehouse_mb_before"]
    assert told["runs"] == 0
