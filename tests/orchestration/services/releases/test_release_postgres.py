"""Readers of the copy in PostgreSQL see one release, whatever the writer does."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg
import duckdb
import pytest

from orchestration.config.locations import CODE_ROOT
from orchestration.config.release_postgres import ReleasePostgres
from orchestration.defs.release.assets import defs as release_defs
from orchestration.services.releases.release_postgres import (
    PublishedTable,
    ReleasePostgresFailedError,
    publish_to_postgres,
)
from orchestration.storage.local_postgres import LocalPostgres
from tests.ports import free_port
from tests.waiting import wait_until

ODD_TEXT = "tab\tline\nreturn\r\\. \\N \"quoted\", {braces} 'é'"
NUL = "a\0b"
WRONG = "not this one"


@dataclass(frozen=True)
class Published:
    """A database with releases, and a file to release from."""

    target: ReleasePostgres
    file: Path

    def release(self, number: int, *statements: str) -> dict[str, bool]:
        """Publish release `number`; returns the tables, with true for those written."""
        with duckdb.connect(self.file) as con:
            for table in ("manifest", "fct_workout"):
                con.execute(f"update {table} set release_number = {number}")
            for statement in statements:
                con.execute(statement)
        return {each.name: each.is_written for each in self.publish()}

    def publish(self) -> tuple[PublishedTable, ...]:
        return publish_to_postgres(self.file, self.target)

    def connect(self, user: str = "", password: str = "") -> Any:
        import psycopg2

        as_user = {"user": user} if user else {}
        return psycopg2.connect(
            self.target.url, password=password or self.target.password, **as_user
        )

    def rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with closing(self.connect()) as con:
            return rows(con, query, *parameters)

    def execute(self, statement: str) -> None:
        with closing(self.connect()) as con, con, con.cursor() as cursor:
            cursor.execute(statement)


def rows(con: Any, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    with con.cursor() as cursor:
        cursor.execute(query, parameters or None)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


PAIR = "select a.release_number, b.release_number from spotter.manifest a, spotter.fct_workout b"


@pytest.fixture
def published(postgres: LocalPostgres, tmp_path: Path) -> Published:
    """Build a file like a release, which is not published yet."""
    file = tmp_path / "marts.duckdb"
    with duckdb.connect(file) as con:
        con.execute("""
            create table manifest (release_number bigint primary key);
            insert into manifest values (1);
            create table fct_workout (workout_id varchar primary key, release_number integer);
            insert into fct_workout values ('w', 1);
            create table fct_set (
                athlete_id varchar, set_key varchar, weight_kg double not null, reps integer,
                names varchar[], sets struct(title varchar, done_at timestamp)[],
                done_on date, started_at timestamp, is_hard boolean,
                primary key (athlete_id, set_key)
            );
            comment on table fct_set is 'One row per lifter''s set; 80 % of it.';
            comment on column fct_set.weight_kg is 'Load (kg).';
            create table fct_empty (a_key varchar primary key);
        """)
        con.execute(
            "insert into fct_set values ('kim', 'a', 0.1, 5, $1, $2, '2026-03-02', "
            "'2026-03-02 17:00:00.123456', true), "
            "('kim', 'b', 1e-300, null, null, null, null, null, null), "
            "('kim', $3, 'nan', 0, [], [], '1900-01-01', null, false), "
            "('kim', '', 80, 1, ['', null], [{title: $4, done_at: null}], null, null, null)",
            [
                [ODD_TEXT, "", None, "NULL"],
                [{"title": ODD_TEXT, "done_at": "2026-03-02 17:00:00"}],
                ODD_TEXT,
                NUL,
            ],
        )
    url = postgres.new_database(f"bi_{uuid4().hex}")
    return Published(ReleasePostgres(url, postgres.password), file)


def test_every_kind_of_value_arrives(published: Published) -> None:
    assert published.publish() == (
        PublishedTable("fct_empty", 0, True),
        PublishedTable("fct_set", 4, True),
        PublishedTable("fct_workout", 1, True),
        PublishedTable("manifest", 1, True),
    )
    found = published.rows(
        "select set_key, weight_kg::text, reps, names, sets, done_on::text, started_at::text, "
        "is_hard from spotter.fct_set order by fct_set.weight_kg"
    )
    assert found == [
        ("b", "1e-300", None, None, None, None, None, None),
        (
            *("a", "0.1", 5, [ODD_TEXT, "", None, "NULL"]),
            [{"title": ODD_TEXT, "done_at": "2026-03-02 17:00:00"}],
            *("2026-03-02", "2026-03-02 17:00:00.123456", True),
        ),
        ("", "80", 1, ["", None], [{"title": "ab", "done_at": None}], None, None, None),
        (ODD_TEXT, "NaN", 0, [], [], "1900-01-01", None, False),
    ]


def test_comments_keys_and_types_are_there(published: Published) -> None:
    published.publish()
    assert published.rows("select obj_description('spotter.fct_set'::regclass)") == [
        ("One row per lifter's set; 80 % of it.",)
    ]
    assert published.rows(
        "select attname, format_type(atttypid, atttypmod), attnotnull, "
        "col_description(attrelid, attnum) from pg_attribute "
        "where attrelid = 'spotter.fct_set'::regclass and attnum > 0 order by attnum"
    ) == [
        ("athlete_id", "text", True, None),
        ("set_key", "text", True, None),
        ("weight_kg", "double precision", True, "Load (kg)."),
        ("reps", "integer", False, None),
        ("names", "text[]", False, None),
        ("sets", "jsonb", False, None),
        ("done_on", "date", False, None),
        ("started_at", "timestamp without time zone", False, None),
        ("is_hard", "boolean", False, None),
    ]
    assert published.rows(
        "select pg_get_constraintdef(oid) from pg_constraint "
        "where conrelid = 'spotter.fct_set'::regclass and contype = 'p'"
    ) == [("PRIMARY KEY (athlete_id, set_key)",)]


def test_an_open_snapshot_keeps_its_release_through_three_others(published: Published) -> None:
    published.release(1)
    with closing(published.connect()) as reader:
        reader.set_session(isolation_level="REPEATABLE READ", readonly=True)
        # The first query takes the snapshot, and reads no table of the releases.
        assert rows(reader, "select 1") == [(1,)]
        for number in (2, 3, 4):
            published.release(number)
            assert rows(reader, PAIR) == [(1, 1)]
        reader.rollback()
        assert rows(reader, PAIR) == [(4, 4)]


@pytest.fixture
def gate(published: Published) -> Iterator[Callable[[], None]]:
    """Stop each later release between two tables, until the returned function is called."""
    published.release(1)
    published.execute("""
        create function wait_at_gate() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(42); return null; end $$;
        create trigger gate before insert on spotter.manifest
        for each statement execute function wait_at_gate();
    """)
    with closing(published.connect()) as holder:
        rows(holder, "select pg_advisory_lock(42)::text")
        yield holder.close


def wait_for_gate(published: Published) -> None:
    """Return once a release has written `fct_workout` and waits before `manifest`."""
    waiting = (
        "select 1 from pg_stat_activity where wait_event = 'advisory' "
        "and datname = current_database()"
    )
    wait_until(lambda: bool(published.rows(waiting)), "the release to reach the gate", 60)


def test_a_statement_never_sees_half_a_release(
    published: Published, gate: Callable[[], None]
) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        closing(published.connect()) as reader,
    ):
        reader.autocommit = True
        release = pool.submit(published.release, 2)
        wait_for_gate(published)
        assert rows(reader, PAIR) == [(1, 1)]
        gate()
        seen = {(1, 1)}
        while not release.done():
            seen.update(rows(reader, PAIR))
        release.result()
        seen.update(rows(reader, PAIR))
    assert seen == {(1, 1), (2, 2)}


def test_killed_in_the_middle_it_leaves_the_former_release(
    published: Published, gate: Callable[[], None]
) -> None:
    killed = get_context("fork").Process(target=published.release, args=(2,))
    killed.start()
    wait_for_gate(published)
    assert killed.pid is not None
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert published.rows(PAIR) == [(1, 1)]
    gate()
    sessions = (
        "select 1 from pg_stat_activity where datname = current_database() "
        "and backend_type = 'client backend' and pid <> pg_backend_pid()"
    )
    wait_until(lambda: not published.rows(sessions), "the server to end the session", 60)
    assert published.rows(PAIR) == [(1, 1)]
    published.release(2)
    assert published.rows(PAIR) == [(2, 2)]


def test_two_releases_at_a_time_do_not_mix(
    published: Published, gate: Callable[[], None], tmp_path: Path
) -> None:
    other = replace(published, file=Path(shutil.copy(published.file, tmp_path / "other.duckdb")))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(published.release, 2)
        wait_for_gate(published)
        with pytest.raises(ReleasePostgresFailedError, match="another process is publishing"):
            other.publish()
        gate()
        first.result()
    assert published.rows(PAIR) == [(2, 2)]


def test_unchanged_tables_are_not_written(published: Published) -> None:
    published.release(1)
    versions = "select set_key, xmin::text, ctid::text from spotter.fct_set order by set_key"
    before = published.rows(versions)
    assert published.release(2) == {
        "fct_empty": False,
        "fct_set": False,
        "fct_workout": True,
        "manifest": True,
    }
    assert published.rows(versions) == before
    with_comment = published.release(3, "comment on table fct_set is 'Another text.'")
    assert not with_comment["fct_set"]
    assert published.rows(versions) == before
    assert published.rows("select obj_description('spotter.fct_set'::regclass)") == [
        ("Another text.",)
    ]
    assert published.release(4, "update fct_set set reps = 6 where set_key = 'a'")["fct_set"]
    assert published.rows("select reps from spotter.fct_set where set_key = 'a'") == [(6,)]


def test_a_table_that_someone_dropped_is_published_again(published: Published) -> None:
    published.release(1)
    published.execute("drop table spotter.fct_set")
    assert published.release(1)["fct_set"]
    assert published.rows("select count(*) from spotter.fct_set") == [(4,)]


@pytest.fixture
def reader_role(published: Published) -> Iterator[str]:
    """Create the role as docs/release.md does."""
    page = (CODE_ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    [statement] = re.findall(r"^```postgresql\n(.*?)^```", page, flags=re.M | re.S)
    published.execute(statement)
    yield "bi_reader"
    published.execute("drop owned by bi_reader")
    published.execute("drop role bi_reader")


def test_the_reader_selects_and_writes_nothing(published: Published, reader_role: str) -> None:
    import psycopg2.errors

    named = replace(published, target=replace(published.target, reader=reader_role))
    named.release(1)
    named.release(2, "create table fct_new as select 1 as a_key")
    with closing(published.connect(reader_role, "choose one")) as reader:
        reader.autocommit = True
        assert rows(reader, PAIR) == [(2, 2)]
        assert rows(reader, "select a_key from spotter.fct_new") == [(1,)]
        for statement in (
            "insert into spotter.fct_new values (2)",
            "delete from spotter.fct_set",
            "create table spotter.own (a integer)",
        ):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                rows(reader, statement)


def test_an_unknown_reader_is_an_error_and_nothing_is_published(published: Published) -> None:
    named = replace(published, target=replace(published.target, reader="nobody here"))
    with pytest.raises(ReleasePostgresFailedError, match='role "nobody here" does not exist'):
        named.publish()
    assert published.rows("select 1 from pg_namespace where nspname = 'spotter'") == []


CHANGED_COLUMNS = (
    "alter table fct_workout add column title varchar",
    "update fct_workout set title = 'Push'",
)


def test_changed_columns_replace_their_table(published: Published) -> None:
    published.release(1)
    published.release(2, *CHANGED_COLUMNS)
    assert published.rows("select * from spotter.fct_workout") == [("w", 2, "Push")]
    published.release(3, "drop table fct_empty")
    assert published.rows(
        "select tablename from pg_tables where schemaname = 'spotter' order by 1"
    ) == [("fct_set",), ("fct_workout",), ("manifest",), ("manifest_tables",)]


def test_changed_columns_wait_for_a_reader_and_then_for_the_next_night(
    published: Published,
) -> None:
    published.release(1)
    with closing(published.connect()) as reader:
        assert rows(reader, PAIR) == [(1, 1)]
        with pytest.raises(ReleasePostgresFailedError) as told:
            published.release(2, *CHANGED_COLUMNS)
        assert "a reader of a table with changed columns, held a lock for 5 s" in str(told.value)
        assert rows(reader, PAIR) == [(1, 1)]
    assert published.release(3)["fct_workout"]
    assert published.rows(PAIR) == [(3, 3)]


def test_objects_of_others_are_kept(published: Published) -> None:
    published.execute("create schema spotter; create table spotter.fct_set (own integer)")
    with pytest.raises(ReleasePostgresFailedError, match='"fct_set" already exists'):
        published.publish()
    published.execute("drop table spotter.fct_set; create table spotter.own (own integer)")
    published.release(1)
    published.execute("create view a_view as select * from spotter.fct_workout")
    assert published.rows("select count(*) from spotter.own") == [(0,)]
    with pytest.raises(ReleasePostgresFailedError, match="other objects depend on it"):
        published.release(2, *CHANGED_COLUMNS)
    assert published.rows("select release_number from a_view") == [(1,)]


def test_a_wrong_password_is_one_sentence_without_it(published: Published) -> None:
    wrong = replace(published, target=replace(published.target, password=WRONG))
    with pytest.raises(ReleasePostgresFailedError) as told:
        wrong.publish()
    message = str(told.value)
    assert "password authentication failed" in message
    assert "fix SPOTTER_RELEASE_POSTGRES or" in message
    assert "\n" not in message
    assert WRONG not in message + repr(wrong.target)


def test_a_type_without_counterpart_is_an_error(published: Published) -> None:
    with pytest.raises(ReleasePostgresFailedError, match=r"odd\.a has the type INTERVAL"):
        published.release(1, "create table odd as select interval 1 day as a")


def assets() -> dict[str, dg.AssetsDefinition]:
    found = [each for each in release_defs().assets or [] if isinstance(each, dg.AssetsDefinition)]
    return {each.key.to_user_string(): each for each in found}


@pytest.fixture
def home(published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a home with a release, whose copy goes to the database."""
    folder = tmp_path / "home" / "release"
    folder.mkdir(parents=True)
    (folder / "marts.duckdb").symlink_to(published.file)
    monkeypatch.setenv("SPOTTER_HOME", str(folder.parent))
    monkeypatch.setenv("SPOTTER_RELEASE_POSTGRES", published.target.url)
    monkeypatch.setenv("SPOTTER_RELEASE_POSTGRES_PASSWORD", published.target.password)
    return folder.parent


def test_the_asset_publishes_the_release_and_has_its_rows(home: Path, published: Published) -> None:
    done = dg.materialize([assets()["release/postgres"]])
    [materialized] = done.get_asset_materialization_events()
    metadata = materialized.materialization.metadata
    assert metadata["dagster/row_count"].value == 6
    assert metadata["dagster/uri"].value == published.target.url
    assert published.rows(PAIR) == [(1, 1)]


def test_a_failure_of_the_asset_has_one_sentence(
    home: Path, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = f"postgresql://spotter@127.0.0.1:{free_port()}/bi"
    monkeypatch.setenv("SPOTTER_RELEASE_POSTGRES", gone)
    done = dg.materialize([assets()["release/postgres"]], raise_on_error=False)
    [failure] = done.get_step_failure_events()
    told = str(failure.step_failure_data.error)
    assert f"The release was not published to the schema spotter of {gone}" in told
    assert published.target.password not in told


def test_a_missing_driver_is_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    done = dg.materialize([assets()["release/postgres"]], raise_on_error=False)
    [failure] = done.get_step_failure_events()
    error = failure.step_failure_data.error
    assert error is not None
    assert "needs dagster-postgres, which is not installed" in error.message
    assert "pip install 'spotter[lake]'" in error.message


def test_without_the_setting_there_is_no_such_asset(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(assets()) == {"release/marts", "release/postgres"}
    monkeypatch.setenv("SPOTTER_RELEASE_POSTGRES", "")
    assert set(assets()) == {"release/marts"}
