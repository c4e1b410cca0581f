"""A release is complete or absent, for all readers and kills."""

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.store.check_ins import CheckInNote, record_note
from orchestration.runs.provenance import Provenance, git_commit, provenance_of
from orchestration.services.releases import release_contents
from orchestration.services.releases.release import Release, release_marts
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse
from tests.profiles import count, randomized

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
PROVENANCE = Provenance(run_id="run-1", git_commit=None, spotter_version="0.1.0")


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Build a warehouse with two sets of one workout; `train` adds one more."""
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("create schema marts")
        con.execute("""
            create table marts.fct_set (
                set_key varchar primary key, weight_kg double not null, done struct(reps integer)[]
            );
            create table marts.fct_workout (
                workout_id varchar primary key, started_at timestamp, athlete_id varchar
            );
            create table marts.fct_empty (a_key varchar primary key);
            comment on table marts.fct_set is 'One row per lifter''s set.';
            comment on column marts.fct_set.weight_kg is 'Load (kg).';
            insert into marts.fct_set values ('a', 82.5, [{reps: 5}]), ('b', 80, null);
            insert into marts.fct_workout (workout_id, started_at)
            values ('w', '2026-03-02 17:00:00'), ('undated', null);
            create view marts.not_a_table as select 1 as one;
            comment on column marts.not_a_table.one is 'Always 1.';
        """)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "release"


def release(warehouse: Path, folder: Path) -> Release:
    return release_marts(warehouse, folder, PROVENANCE, NOW)


def train(warehouse: Path, key: str) -> None:
    with open_warehouse(warehouse) as con:
        con.execute("insert into marts.fct_set values ($1, 60, [])", [key])


def asked(sql: str, file: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(file, read_only=True) as con:
        return con.execute(sql).fetchall()


def set_counts(folder: Path) -> set[int]:
    """Return the numbers of sets that a reader finds in all places: one number if all agree."""
    database, parquet = folder / "marts.duckdb", folder / "parquet" / "fct_set.parquet"
    [(in_table, in_manifest, in_parquet)] = asked(
        f"""
        select (select count(*) from marts.fct_set), row_count, (select count(*) from '{parquet}')
        from marts.manifest_marts where mart = 'fct_set'
        """,
        database,
    )
    in_json = json.loads((folder / "manifest.json").read_text())["row_counts"]["fct_set"]
    return {in_table, in_manifest, in_parquet, in_json}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_a_release_holds_the_tables_with_keys_and_comments(warehouse: Path, folder: Path) -> None:
    release(warehouse, folder)
    with duckdb.connect(folder / "marts.duckdb", read_only=True) as con:
        assert con.execute("from marts.fct_set order by set_key").fetchall() == [
            ("a", 82.5, [{"reps": 5}]),
            ("b", 80.0, None),
        ]
        assert con.execute("select count(*) from fct_set").fetchall() == [(2,)]
        assert (
            con.execute("select view_name from duckdb_views() where not internal").fetchall() == []
        )
        assert con.execute("""
            select table_name, comment from duckdb_tables()
            where table_name not like 'manifest%' order by all
        """).fetchall() == [
            ("fct_empty", None),
            ("fct_set", "One row per lifter's set."),
            ("fct_workout", None),
        ]
        assert con.execute("""
            select table_name, comment from duckdb_columns()
            where comment is not null and table_name not like 'manifest%'
        """).fetchall() == [("fct_set", "Load (kg).")]
        assert con.execute("""
            select constraint_type, constraint_column_names from duckdb_constraints()
            where table_name = 'fct_set' order by all
        """).fetchall() == [
            ("NOT NULL", ["set_key"]),
            ("NOT NULL", ["weight_kg"]),
            ("PRIMARY KEY", ["set_key"]),
        ]
        [(tags,)] = con.execute(
            "select tags from duckdb_databases() where database_name = 'marts'"
        ).fetchall()
    assert tags["storage_version"].startswith("v1.2.0")


def test_a_release_declares_the_keys_that_the_warehouse_lacks(
    warehouse: Path, folder: Path
) -> None:
    with open_warehouse(warehouse) as con:
        con.execute("create table marts.fct_check_in (check_in_key varchar not null)")
        con.execute("create table marts.dim_date as select 1 as of_a_former_version")
    release(warehouse, folder)
    assert asked(
        """
        select table_name, constraint_column_names from duckdb_constraints()
        where constraint_type = 'PRIMARY KEY' and table_name in ('fct_check_in', 'dim_date')
        """,
        folder / "marts.duckdb",
    ) == [("fct_check_in", ["check_in_key"])]


def test_parquet_holds_the_same_rows(warehouse: Path, folder: Path) -> None:
    found = release(warehouse, folder)
    with duckdb.connect(folder / "marts.duckdb", read_only=True) as con:
        for mart in found.manifest.row_counts:
            file = folder / "parquet" / f"{mart}.parquet"
            rows = con.execute(f"from '{file}' order by all").fetchall()
            assert rows == con.execute(f'from "{mart}" order by all').fetchall()
            codecs = con.execute(
                f"select distinct compression from parquet_metadata('{file}')"
            ).fetchall()
            assert codecs == ([("ZSTD",)] if rows else []), mart
    assert names(folder / "parquet") == [
        "fct_empty.parquet",
        "fct_set.parquet",
        "fct_workout.parquet",
    ]


def test_the_manifest_tells_the_same_as_a_table_and_as_json(warehouse: Path, folder: Path) -> None:
    release_marts(warehouse, folder, Provenance("run-1", "c0ffee", "0.1.0"), NOW)
    assert asked("from marts.manifest", folder / "marts.duckdb") == [
        (1, "run-1", "c0ffee", "0.1.0", datetime(2026, 3, 4, 3, 17), datetime(2026, 3, 2, 17))  # noqa: DTZ001
    ]
    counts = {"fct_empty": 0, "fct_set": 2, "fct_workout": 2}
    assert dict(asked("from manifest_marts", folder / "marts.duckdb")) == counts
    assert json.loads((folder / "manifest.json").read_text()) == {
        "release_number": 1,
        "run_id": "run-1",
        "git_commit": "c0ffee",
        "spotter_version": "0.1.0",
        "released_at": "2026-03-04T03:17:00Z",
        "data_until": "2026-03-02T17:00:00Z",
        "row_counts": counts,
    }


def test_a_table_larger_than_a_chunk_and_with_gaps_is_copied_whole(
    warehouse: Path, folder: Path
) -> None:
    """The copy goes by row ids, which have gaps after deletions."""
    with open_warehouse(warehouse) as con:
        con.execute("create table marts.fct_long as select i as n from range(2300000) t(i)")
        con.execute("delete from marts.fct_long where n between 900000 and 2099999")
    assert release(warehouse, folder).manifest.row_counts["fct_long"] == 1_100_000
    assert asked("select count(distinct n), sum(n) from fct_long", folder / "marts.duckdb") == [
        (1_100_000, sum(range(900_000)) + sum(range(2_100_000, 2_300_000)))
    ]


@pytest.mark.parametrize("chunk_rows", [1, 2, 3])
def test_tables_are_written_together_until_they_have_the_rows_of_a_chunk(
    warehouse: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, chunk_rows: int
) -> None:
    monkeypatch.setattr(release_contents, "_CHUNK_ROWS", chunk_rows)
    release(warehouse, folder)
    tables = ("fct_empty", "fct_set", "fct_workout")
    assert [
        asked(f"from marts.{name} order by all", folder / "marts.duckdb") for name in tables
    ] == [asked(f"from marts.{name} order by all", warehouse) for name in tables]
    assert asked("from manifest_marts order by all", folder / "marts.duckdb") == [
        *(("fct_empty", 0), ("fct_set", 2), ("fct_workout", 2))
    ]


def test_without_workouts_nothing_is_said_of_data(warehouse: Path, folder: Path) -> None:
    with open_warehouse(warehouse) as con:
        con.execute("delete from marts.fct_workout")
    assert release(warehouse, folder).manifest.data_until is None
    assert asked("select data_until from manifest", folder / "marts.duckdb") == [(None,)]


def test_an_open_reader_keeps_its_release_and_the_last_three_are_kept(
    warehouse: Path, folder: Path
) -> None:
    release(warehouse, folder)
    with duckdb.connect(folder / "marts.duckdb", read_only=True) as reader:
        for number in (2, 3, 4, 5):
            train(warehouse, f"new-{number}")
            assert release(warehouse, folder).manifest.release_number == number
            assert reader.execute("select count(*) from marts.fct_set").fetchall() == [(2,)]
            assert set_counts(folder) == {1 + number}
    assert names(folder) == [
        *("000003", "000004", "000005"),
        *("current", "manifest.json", "marts.duckdb", "parquet"),
    ]
    assert asked("select count(*) from fct_set", folder / "000003" / "marts.duckdb") == [(4,)]


def test_a_release_cannot_be_written_to_by_mistake(warehouse: Path, folder: Path) -> None:
    for file in release(warehouse, folder).folder.rglob("*.*"):
        if file.is_file():
            assert file.stat().st_mode & 0o222 == 0, file


def test_the_single_file_of_an_earlier_layout_is_replaced(warehouse: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    with duckdb.connect(folder / "marts.duckdb") as con:
        con.execute("create table fct_set as select 'old' as set_key")
    with duckdb.connect(folder / "marts.duckdb", read_only=True) as reader:
        release(warehouse, folder)
        assert reader.execute("from fct_set").fetchall() == [("old",)]
    assert set_counts(folder) == {2}


def test_a_release_that_was_withdrawn_is_replaced_by_the_next(
    warehouse: Path, folder: Path
) -> None:
    release(warehouse, folder)
    release(warehouse, folder)
    (folder / "current").unlink()
    (folder / "current").symlink_to("000001")
    train(warehouse, "new")
    assert release(warehouse, folder).manifest.release_number == 2
    assert set_counts(folder) == {3}


def test_releases_at_the_same_time_take_turns(
    warehouse: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs on a lake wrote to one draft, and both failed."""
    release(warehouse, folder)
    monkeypatch.setattr("orchestration.services.releases.release._WAIT_S", 0.0)
    with (folder / ".lock").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockedError):
            release(warehouse, folder)
    assert (folder / "current").readlink().name == "000001"
    release(warehouse, folder)
    assert (folder / "current").readlink().name == "000002"


def test_without_a_warehouse_readers_keep_what_they_have(warehouse: Path, folder: Path) -> None:
    release(warehouse, folder)
    with pytest.raises(WarehouseMissingError, match="spotter run"):
        release(warehouse.with_name("missing.duckdb"), folder)
    assert set_counts(folder) == {2}


class Killed(BaseException):
    """Simulates the end of the process: no code is meant to catch it."""


class Saboteur:
    """Simulates a kill before the n-th change of names in a folder.

    It uses an audit hook, which Python calls before each; hooks cannot be removed, so one serves
    all tests. Made when first used: it slows down what follows.
    """

    CHANGES = frozenset(
        {
            *("os.mkdir", "os.rename", "os.symlink", "os.link", "os.remove", "os.rmdir"),
            "shutil.rmtree",
        }
    )

    def __init__(self) -> None:
        self.folder, self.left = "", 0
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.left == 0:
            return
        is_written = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (event in self.CHANGES or is_written) and str(arguments[0]).startswith(self.folder):
            self.left -= 1
            if self.left == 0:
                raise Killed

    @contextmanager
    def killing_at(self, nth: int, folder: Path) -> Iterator[None]:
        self.folder, self.left = str(folder), nth
        try:
            yield
        finally:
            self.left = 0


saboteur = cache(Saboteur)


def killed_releases(warehouse: Path, folder: Path) -> Iterator[Path]:
    """Yield a copy of the folder for each step of the next release, which ends just before it."""
    for step in range(1, 100):
        home = folder.with_name(f"killed at {step}")
        shutil.copytree(folder, home, symlinks=True)
        try:
            with saboteur().killing_at(step, home):
                release(warehouse, home)
        except Killed:
            yield home
        else:
            return
    pytest.fail("the release never came to its end")


# Readers are checked after each kill; the next release resumes from each of these.
CONTINUED_EVERY = count(quick=3, thorough=1)


@pytest.mark.long
@randomized
@pytest.mark.parametrize(
    ("earlier", "expected"),
    # The new link is the last step, except for the removal of an old one.
    [
        pytest.param(0, {()}, id="first"),
        # Each of its steps is one of the next, too.
        pytest.param(1, {(2,)}, id="second", marks=pytest.mark.long),
        pytest.param(3, {(2,), (3,)}, id="with one to remove"),
    ],
)
def test_killed_before_any_step_readers_have_a_whole_release(
    warehouse: Path, folder: Path, earlier: int, expected: set[tuple[int, ...]]
) -> None:
    folder.mkdir(parents=True)
    for _ in range(earlier):
        release(warehouse, folder)
    train(warehouse, "new")
    seen = []
    for step, home in enumerate(killed_releases(warehouse, folder)):
        has_all = all((home / name).exists() for name in ("marts.duckdb", "manifest.json"))
        seen.append(set_counts(home) if has_all else set())
        if step % CONTINUED_EVERY:
            continue
        release(warehouse, home)
        assert set_counts(home) == {3}
        kept = [name for name in names(home) if not (home / name).is_symlink()]
        assert len(kept) <= 3, kept
        assert all(name.isdigit() for name in kept), kept
    assert set(map(tuple, seen)) == expected
    assert seen == sorted(seen, key=list), "the new release stays"


@pytest.mark.long
@randomized
def test_killed_while_replacing_the_single_file_readers_have_it_or_the_new_one(
    warehouse: Path, folder: Path
) -> None:
    folder.mkdir(parents=True)
    with duckdb.connect(folder / "marts.duckdb") as con:
        con.execute("create table fct_set as select 'old' as set_key")
    seen = []
    for step, home in enumerate(killed_releases(warehouse, folder)):
        [(set_count,)] = asked("select count(*) from marts.fct_set", home / "marts.duckdb")
        seen.append(set_count)
        # Never the old file with new Parquet.
        assert set_count == 2 or not (home / "parquet").exists()
        if step % CONTINUED_EVERY:
            continue
        release(warehouse, home)
        assert set_counts(home) == {2}
    assert set(seen) == {1, 2}
    assert seen == sorted(seen)


def test_the_commit_is_that_of_the_project_itself(tmp_path: Path) -> None:
    assert git_commit(tmp_path) is None
    root = Path(__file__).resolve().parents[4]
    assert git_commit(root / "orchestration") is None
    found = provenance_of("run-1")
    assert (found.run_id, found.git_commit) == ("run-1", git_commit(root))


def test_before_the_coach_ever_planned_no_plan_is_released(warehouse: Path, folder: Path) -> None:
    made = release(warehouse, folder)
    assert json.loads((made.folder / "plans.json").read_text()) == {}


def test_red_flags_that_are_not_cleared_are_released(warehouse: Path, folder: Path) -> None:
    """They were read from the wrong catalog, so a release never had any."""
    assert json.loads((release(warehouse, folder).folder / "red_flags.json").read_text()) == {}
    noted_at = datetime(2026, 3, 1, tzinfo=UTC)
    with open_warehouse(warehouse) as con:
        for athlete in ("ann", "bob"):
            record_note(con, athlete, CheckInNote(noted_at=noted_at, red_flags=("chest",)))
        cleared_at = noted_at + timedelta(hours=1)
        record_note(con, "bob", CheckInNote(noted_at=cleared_at, is_clearance=True))
    released = release(warehouse, folder).folder / "red_flags.json"
    assert json.loads(released.read_text()) == {"ann": ["chest"]}
