"""The lake behind the warehouse API: created, read, written concurrently, and unreachable."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.journal.publications import publication_sha256, record, stored_events
from coach_agent.memory.mentions import Mention
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import SituationRows
from coach_agent.store.note_mentions import (
    ReadNote,
    forget_mentions,
    read_hashes,
    read_mentions_of,
    record_read_notes,
)
from coach_agent.store.proposals import (
    ProposalError,
    decide_proposal,
    read_proposals,
    record_proposal,
)
from coach_agent.store.sealed_rows import rows_of
from coach_agent.store.tables import has_table
from hevy_connector.raw.transactions import conflict_count, retry_on_conflict, run_in_transaction
from orchestration.config.lake import Lake, lake_of
from orchestration.services.planning import plan as deciding
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.lake.catalog import attach_lake, close_lake, connect_lake
from orchestration.storage.migrations import SCHEMA_VERSION
from orchestration.storage.warehouse import (
    CatalogLostError,
    WarehouseBusyError,
    WarehouseMissingError,
    attach_warehouse,
    open_warehouse,
    warehouse_exists,
)
from tests.coach.publishing_world import NOW, World
from tests.lakes import Lakes
from tests.ports import free_port
from tests.profiles import count

WRITES = 25
# Every write changes the one row, so that two writers conflict.
WRITER = """
import sys
from hevy_connector.raw.transactions import run_in_transaction, conflict_count
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import open_warehouse

for _ in range(int(sys.argv[1])):
    with open_warehouse(load_settings().warehouse) as con:
        count = "update raw.counted set value = value + 1"
        run_in_transaction(con, lambda: con.execute(count), tries=40)
print(conflict_count())
"""


# All start at the same time.
MAKER = """
import sys
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import open_warehouse

print("ready", flush=True)
sys.stdin.read()
with open_warehouse(load_settings().warehouse):
    pass
"""


@pytest.fixture
def variables(lakes: Lakes, tmp_path: Path) -> dict[str, str]:
    return lakes.new(tmp_path)


@pytest.fixture
def lake(variables: dict[str, str]) -> Lake:
    return lake_of(variables)


@pytest.fixture(scope="module")
def shared_lake(lakes: Lakes, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Return the lake of all tests that need no new one: each takes 2 s of CPU."""
    return lake_of(lakes.new(tmp_path_factory.mktemp("shared")))


@pytest.fixture
def counted(shared_lake: Lake) -> Iterator[Lake]:
    """Return the shared lake with a table of numbers."""
    with open_warehouse(shared_lake) as con:
        con.execute("create table raw.counted as select 1 as value")
    yield shared_lake
    with open_warehouse(shared_lake) as con:
        con.execute("drop table raw.counted")


def test_a_new_lake_has_the_tables_of_a_file(lake: Lake, tmp_path: Path) -> None:
    tables = """
        select schema_name, table_name, column_name, data_type
        from duckdb_columns()
        where not internal and database_name = current_database()
        order by all
    """
    with open_warehouse(lake) as con:
        found = con.execute(tables).fetchall()
        steps = con.execute("select version from meta.migrations order by all").fetchall()
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        assert found == con.execute(tables).fetchall()
    assert steps == [(number,) for number in range(1, SCHEMA_VERSION + 1)]
    assert (tmp_path / "lake").is_dir()


def test_a_snapshot_has_its_rows_after_later_statistics_without_them(lake: Lake) -> None:
    """DuckLake reads old snapshots with the statistics of the latest."""
    counts = "select count(*) filter (value is null), count(value), count(*) from raw.counted"
    only_null = "select count(*) from raw.counted where value is null"
    with open_warehouse(lake) as con:
        con.execute("create table raw.counted as select nullif(range, 1) as value from range(3)")
        [(snapshot,)] = con.execute("from warehouse.current_snapshot()").fetchall()
        con.execute("delete from raw.counted where value is null")
        con.execute(
            "call ducklake_rewrite_data_files("
            "'warehouse', 'counted', schema => 'raw', delete_threshold => 0)"
        )
    with connect_duckdb() as con:
        attach_lake(con, lake, read_only=True, snapshot=snapshot)
        con.execute("use warehouse")
        assert con.execute(counts).fetchall() == [(1, 2, 3)]
        assert con.execute(only_null).fetchall() == [(1,)]


def test_an_older_lake_gets_what_is_missing_and_loses_nothing(lake: Lake) -> None:
    """A lake refuses the keys of a file, and so it refused every step that creates tables."""
    columns = """
        select schema_name, table_name, column_name, data_type, is_nullable
        from duckdb_columns()
        where not internal and database_name = current_database()
        order by all
    """
    with open_warehouse(lake) as con:
        today = con.execute(columns).fetchall()
        con.execute("insert into coach.current_plans values ('ann', 'plan', now(), 'run')")
        kept = con.execute("from coach.current_plans").fetchall()
        con.execute("drop table coach.programmes")
        con.execute("alter table coach.llm_answers drop column sha256")
        con.execute("delete from meta.migrations where version > 7")
    with open_warehouse(lake, read_only=True) as con:
        assert con.execute(columns).fetchall() == today
        assert con.execute("from coach.current_plans").fetchall() == kept
        steps = con.execute("select version from meta.migrations order by all").fetchall()
    assert steps == [(number,) for number in range(1, SCHEMA_VERSION + 1)]


def test_a_lake_knows_its_tables(shared_lake: Lake) -> None:
    for read_only in (False, True):
        with open_warehouse(shared_lake, read_only=read_only) as con:
            assert has_table(con, "coach.current_plans")
            assert not has_table(con, "coach.gone")
            assert con.execute("select count(*) from coach.current_plans").fetchall() == [(0,)]


def test_proposals_at_the_same_time_have_numbers_of_their_own(shared_lake: Lake) -> None:
    now = datetime(2026, 3, 2, tzinfo=UTC)

    def record(number: int) -> int:
        with open_warehouse(shared_lake) as con:
            action = f'{{"number":{number}}}'
            record = partial(record_proposal, con, "ann", action, proposed_by="mcp")
            return run_in_transaction(con, partial(record, plan_id=None, now=now)).number

    record(0)
    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(record, range(1, 5))) == [2, 3, 4, 5]


def test_a_lake_decides_a_proposal_once_and_keeps_mentions_of_notes(shared_lake: Lake) -> None:
    """A lake has no keys; upserts and updates count all the same."""
    now = datetime(2026, 3, 2, tzinfo=UTC)
    mention = Mention(
        kind="for_exercise", subject="S", title="Squat", mart="notes", key="n", day=now.date()
    )
    note = ReadNote("notes", "n", now.date(), "hash", mention, "model")
    with open_warehouse(shared_lake) as con:
        made = record_proposal(con, "ben", "{}", proposed_by="mcp", plan_id=None, now=now)
        decide_proposal(con, "ben", made.number, "accepted", now=now)
        with pytest.raises(ProposalError):
            decide_proposal(con, "ben", made.number, "accepted", now=now)
        assert [each.state for each in read_proposals(con, "ben")] == ["accepted"]
        for _ in range(2):
            record_read_notes(con, "ben", [note], now=now)
        assert read_mentions_of(con, ["ben"]) == {"ben": [mention]}
        forget_mentions(con, "ben", "for_exercise", "S")
        assert read_mentions_of(con, ["ben"]) == {}
        assert read_hashes(con, "ben") == {("notes", "n"): "hash"}


def test_the_hash_of_a_publication_is_that_of_its_stored_rows(shared_lake: Lake) -> None:
    """It is computed before the rows are written."""
    with closing(World()) as world:
        done = world.publish()
    with open_warehouse(shared_lake) as con:
        for state in ("publishing", "published"):
            record(con, replace(done, state=state), reason=state, at=NOW)
            name = done.publication_id
            [stored] = rows_of(con, "coach.publications where publication_id = $1", name)
            assert stored["sha256"] == publication_sha256(stored, stored_events(con, name))
    assert stored["state"] == "published"


def test_reading_does_not_make_a_lake(lake: Lake, tmp_path: Path) -> None:
    assert not warehouse_exists(lake)
    with (
        pytest.raises(WarehouseMissingError, match="spotter run"),
        open_warehouse(lake, read_only=True),
    ):
        pass
    with duckdb.connect() as con, pytest.raises(duckdb.Error):
        attach_warehouse(con, lake)
    assert not (tmp_path / "lake").exists()


def test_what_is_read_is_of_one_moment(counted: Lake) -> None:
    with open_warehouse(counted, read_only=True) as reader, duckdb.connect() as other:
        assert reader.execute("from raw.counted").fetchall() == [(1,)]
        attach_warehouse(other, counted)
        with open_warehouse(counted) as con:
            con.execute("insert into raw.counted values (2)")
        assert reader.execute("from raw.counted").fetchall() == [(1,)]
        assert other.execute("from warehouse.raw.counted").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error):
            reader.execute("insert into raw.counted values (3)")
    with open_warehouse(counted, read_only=True) as con:
        assert con.execute("from raw.counted order by all").fetchall() == [(1,), (2,)]


@pytest.mark.long
def test_processes_that_make_a_lake_at_the_same_time_find_one(
    variables: dict[str, str], lake: Lake
) -> None:
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(count(quick=2, thorough=4))
    ]
    for maker in makers:
        assert maker.stdout is not None
        assert maker.stdout.readline() == b"ready\n"
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.close()
    for maker in makers:
        with maker:
            assert maker.wait(300) == 0
    with open_warehouse(lake, read_only=True) as con:
        steps = con.execute("select version from meta.migrations order by all").fetchall()
    assert steps == [(number,) for number in range(1, SCHEMA_VERSION + 1)]


@pytest.mark.long
def test_two_processes_lose_no_write(variables: dict[str, str], lake: Lake) -> None:
    with open_warehouse(lake) as con:
        con.execute("create table raw.counted as select 0 as value")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(WRITES)],
            env=variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [writer.communicate(timeout=300)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    with open_warehouse(lake, read_only=True) as con:
        assert con.execute("from raw.counted").fetchall() == [(2 * WRITES,)]
    assert sum(map(int, told)) > 0, "they never met"


def test_who_was_second_begins_again_and_counts_it(counted: Lake) -> None:
    others_came = []

    with open_warehouse(counted) as con:

        def work() -> None:
            con.execute("update raw.counted set value = value + 1")
            if not others_came:
                others_came.append(True)
                with open_warehouse(counted) as other:
                    other.execute("update raw.counted set value = value + 10")

        before = conflict_count()
        run_in_transaction(con, work)
        assert con.execute("from raw.counted").fetchall() == [(12,)]
    assert conflict_count() == before + 1


def test_tries_end(lake: Lake) -> None:
    tries = []

    def work() -> None:
        tries.append(True)
        raise duckdb.TransactionException("Transaction conflict - of each of them")

    with pytest.raises(duckdb.TransactionException):
        retry_on_conflict(work, tries=3)
    assert len(tries) == 3


def test_another_error_is_not_tried_again() -> None:
    tries = []

    def work() -> None:
        tries.append(True)
        raise duckdb.TransactionException("no transaction is active")

    with pytest.raises(duckdb.TransactionException):
        retry_on_conflict(work)
    assert len(tries) == 1


def test_a_catalog_out_of_reach_is_one_error_that_says_what_to_do(lake: Lake) -> None:
    port = free_port()
    gone = replace(lake, catalog=f"postgresql://spotter@127.0.0.1:{port}/lake")
    with (
        pytest.raises(WarehouseBusyError, match=r"does not answer: .*Start PostgreSQL") as told,
        open_warehouse(gone, wait_s=0.5),
    ):
        pass
    assert lake.password not in str(told.value)


def test_a_wrong_password_is_told_at_once_and_not_repeated(lake: Lake) -> None:
    wrong = replace(lake, password="not-the-password")  # noqa: S106
    with (
        pytest.raises(WarehouseBusyError, match="PGPASSWORD") as told,
        open_warehouse(wrong, wait_s=600),
    ):
        pass
    assert "not-the-password" not in str(told.value)


def test_a_catalog_lost_while_decisions_are_kept_is_nobodys_alone(
    lakes: Lakes, variables: dict[str, str], lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported as the athletes' failure it would take the plans of a whole batch."""
    ended = []

    def read_rows(_: Any, timezones: dict[str, str], *_more: Any) -> dict[str, SituationRows]:
        return dict.fromkeys(timezones, SituationRows(today=date(2026, 3, 4)))

    def meet_the_end(con: duckdb.DuckDBPyConnection, *_: Any, **_named: Any) -> None:
        ended.append(lakes.disconnect(variables))
        con.execute("select count(*) from coach.decisions")

    monkeypatch.setattr(deciding, "read_situation_rows", read_rows)
    monkeypatch.setattr(deciding, "record_rows", meet_the_end)
    with open_warehouse(lake) as con:
        con.execute("insert into coach.current_plans values ('ann', 'plan', now(), 'run')")
    athletes = [AthleteProfile(id=name) for name in ("ann", "ben")]
    batches = deciding.plan_all(
        partial(open_warehouse, lake), athletes, now=datetime.now(UTC), run_id="night"
    )
    with pytest.raises(CatalogLostError, match="Lost connection to the lake catalog"):
        list(batches)
    assert len(ended) == 1
    assert ended[0] > 0
    with open_warehouse(lake, read_only=True) as con:
        assert con.execute("select plan_id from coach.current_plans").fetchall() == [("plan",)]


def test_a_connection_is_made_anew_after_a_failure(shared_lake: Lake) -> None:
    with open_warehouse(shared_lake):
        pass
    close_lake(shared_lake)
    with connect_lake(shared_lake) as con:
        assert con.execute("select max(version) from meta.migrations").fetchall() == [
            (SCHEMA_VERSION,)
        ]
