import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import pytest

from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import LandResult, land, land_all
from hevy_connector.raw.quarantine import count_all_quarantined, count_quarantined
from hevy_connector.raw.sync_state import (
    read_cursor,
    read_record_count,
    save_sync_state,
    save_sync_states,
)
from hevy_connector.raw.tables import Origin, create_raw_tables
from hevy_connector.records import Batch, Record, Rejected
from tests.profiles import count, randomized

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_raw_tables(connection)
        yield connection


def workout(record_id: str, **fields: Any) -> Record:
    return Record(record_id, canonical_json({"id": record_id, **fields}))


def land_workouts(
    con: duckdb.DuckDBPyConnection, *records: Record, athlete: str = "a", **options: Any
) -> LandResult:
    values: dict[str, Any] = {"now": NOON, "run_id": "run", "origin": "api", **options}
    return land(con, "hevy_workouts", athlete, records, **values)


def rows(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return con.execute(
        "select record_id, payload, is_deleted from raw.hevy_workouts order by loaded_at, record_id"
    ).fetchall()


def test_the_same_content_twice_adds_nothing(con: duckdb.DuckDBPyConnection) -> None:
    assert land_workouts(con, workout("1"), workout("2")) == LandResult(2, 2, 0, 0)
    assert land_workouts(con, workout("1"), workout("2")) == LandResult(2, 0, 0, 0)


def test_the_order_of_keys_is_no_change(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, Record("1", canonical_json({"id": "1", "title": "A"})))
    again = Record("1", canonical_json({"title": "A", "id": "1"}))
    assert land_workouts(con, again).added == 0


def test_an_edit_is_a_new_row_and_the_old_one_stays(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1", title="A"))
    assert land_workouts(con, workout("1", title="B")) == LandResult(1, 1, 0, 0)
    assert rows(con) == [
        ("1", '{"id":"1","title":"A"}', False),
        ("1", '{"id":"1","title":"B"}', False),
    ]


def test_going_back_to_an_earlier_content_is_a_change(con: duckdb.DuckDBPyConnection) -> None:
    for title in ("A", "B", "A"):
        land_workouts(con, workout("1", title=title))
    assert len(rows(con)) == 3


def test_a_clock_that_was_set_back_hides_no_new_row(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1", title="A"))
    land_workouts(con, workout("1", title="B"), now=NOON - timedelta(days=1))
    latest = con.execute("select arg_max(payload, loaded_at) from raw.hevy_workouts").fetchone()
    assert latest == ('{"id":"1","title":"B"}',)


def test_a_deletion_is_a_row_with_the_last_content(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1", title="A"))
    gone = Record("1", canonical_json({"id": "1"}), is_deleted=True)
    assert land_workouts(con, gone) == LandResult(1, 0, 1, 0)
    assert land_workouts(con, gone) == LandResult(1, 0, 0, 0)
    assert rows(con)[-1] == ("1", '{"id":"1","title":"A"}', True)


def test_deleting_what_was_never_seen_adds_nothing(con: duckdb.DuckDBPyConnection) -> None:
    assert land_workouts(con, Record("9", "{}", is_deleted=True)) == LandResult(1, 0, 0, 0)


def test_what_returns_after_a_deletion_is_there_again(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1"))
    land_workouts(con, is_complete=True)
    assert land_workouts(con, workout("1")) == LandResult(1, 1, 0, 0)
    assert [deleted for _, _, deleted in rows(con)] == [False, True, False]


def test_a_complete_read_deletes_what_it_does_not_hold(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1"), workout("2"))
    assert land_workouts(con, workout("1"), is_complete=True) == LandResult(1, 0, 1, 0)


def test_an_incomplete_read_deletes_nothing(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1"), workout("2"))
    assert land_workouts(con, workout("1")) == LandResult(1, 0, 0, 0)


def test_what_cannot_be_read_any_more_is_not_taken_for_deleted(
    con: duckdb.DuckDBPyConnection,
) -> None:
    land_workouts(con, workout("1"))
    broken = Rejected("exercises: Field required", '{"id":"1"}', record_id="1")
    assert land_workouts(con, rejected=[broken], is_complete=True) == LandResult(1, 0, 0, 1)


def test_a_complete_read_of_the_account_leaves_imported_files_alone(
    con: duckdb.DuckDBPyConnection,
) -> None:
    land_workouts(con, workout("from-file"), origin="csv")
    land_workouts(con, workout("1"), is_complete=True)
    assert [record_id for record_id, _, deleted in rows(con) if deleted] == []


def test_athletes_do_not_see_each_other(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1"), athlete="a")
    assert land_workouts(con, workout("1"), athlete="b").added == 1
    assert land_workouts(con, athlete="b", is_complete=True).deleted == 1
    land_workouts(con, workout("1"), athlete="a")
    assert len(rows(con)) == 3


def test_the_last_of_several_states_of_one_record_counts(con: duckdb.DuckDBPyConnection) -> None:
    assert land_workouts(con, workout("1", title="A"), workout("1", title="B")).added == 1
    assert rows(con)[0][1] == '{"id":"1","title":"B"}'


def test_quarantine_keeps_each_broken_thing_once(con: duckdb.DuckDBPyConnection) -> None:
    broken = Rejected("no number", "a;b", source_line=7)
    assert land_workouts(con, rejected=[broken]).quarantined == 1
    assert land_workouts(con, rejected=[broken]).quarantined == 0
    elsewhere = Rejected("no number", "a;b", source_line=8)
    assert land_workouts(con, rejected=[elsewhere]).quarantined == 1
    assert con.execute("select reason, payload, source_line from raw.quarantine").fetchall() == [
        ("no number", "a;b", 7),
        ("no number", "a;b", 8),
    ]


def test_what_one_landing_rejects_twice_is_kept_once(con: duckdb.DuckDBPyConnection) -> None:
    nameless = Rejected("no number", "a;b")
    twice = [Rejected("no number", "a;b", source_line=line) for line in (7, 8, 7)]
    assert land_workouts(con, rejected=[nameless, *twice, nameless]).quarantined == 3
    assert land_workouts(con, rejected=[*twice, nameless]).quarantined == 0
    assert con.execute(
        "select source_line from raw.quarantine order by source_line nulls first"
    ).fetchall() == [(None,), (7,), (8,)]


def test_five_thousand_rejected_rows_are_kept_in_two_seconds(
    con: duckdb.DuckDBPyConnection,
) -> None:
    rejected = [Rejected("no number", f"row {line}", source_line=line) for line in range(5000)]
    started = time.process_time()
    assert land_workouts(con, rejected=rejected).quarantined == 5000
    assert land_workouts(con, rejected=rejected).quarantined == 0
    assert time.process_time() - started < 2


def test_sync_state_counts_what_the_account_has(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, workout("1"), workout("2"), workout("3"))
    land_workouts(con, Record("3", "{}", is_deleted=True))
    land_workouts(con, workout("from-file"), origin="csv")
    land_workouts(con, rejected=[Rejected("?", "{}", record_id="4")])
    save_sync_state(con, "hevy_workouts", "a", cursor_at=NOON, completed_at=NOON)
    assert read_record_count(con, "hevy_workouts", "a") == 2
    assert count_quarantined(con, "hevy_workouts", "a") == 1
    assert read_cursor(con, "hevy_workouts", "a") == NOON
    assert read_cursor(con, "hevy_workouts", "b") is None


BROKEN = Rejected("exercises: Field required", '{"id":"1"}', record_id="1")
GONE = Record("1", canonical_json({"id": "1"}), is_deleted=True)


def unreadable(con: duckdb.DuckDBPyConnection, athlete: str = "a") -> int:
    return count_quarantined(con, "hevy_workouts", athlete)


def test_a_deletion_of_what_was_only_in_quarantine_no_longer_counts_as_existing(
    con: duckdb.DuckDBPyConnection,
) -> None:
    land_workouts(con, rejected=[BROKEN])
    land_workouts(con, rejected=[BROKEN], athlete="b")
    assert land_workouts(con, GONE) == LandResult(1, 0, 0, 0, withdrawn=1)
    assert (unreadable(con), unreadable(con, "b")) == (0, 1)
    assert land_workouts(con, GONE).withdrawn == 0
    assert con.execute(
        "select reason, payload from raw.quarantine where athlete_id = 'a' order by loaded_at"
    ).fetchall() == [(BROKEN.reason, BROKEN.payload), ("deleted at the source", "")]


def test_a_complete_read_without_it_ends_what_was_only_in_quarantine(
    con: duckdb.DuckDBPyConnection,
) -> None:
    land_workouts(con, rejected=[BROKEN])
    land_workouts(con, rejected=[BROKEN], is_complete=True)
    assert unreadable(con) == 1
    land_workouts(con, workout("2"), is_complete=True, origin="csv")
    assert unreadable(con) == 1
    land_workouts(con, workout("2"), is_complete=True)
    assert unreadable(con) == 0


def test_what_became_readable_and_was_then_deleted_is_gone(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, rejected=[BROKEN])
    land_workouts(con, workout("1"))
    assert unreadable(con) == 0
    land_workouts(con, GONE)
    assert unreadable(con) == 0


def test_what_is_deleted_in_the_read_that_brought_it_does_not_exist(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert land_workouts(con, GONE, rejected=[BROKEN]).quarantined == 1
    assert unreadable(con) == 0


def test_what_returns_unreadable_counts_again(con: duckdb.DuckDBPyConnection) -> None:
    land_workouts(con, rejected=[BROKEN])
    land_workouts(con, is_complete=True)
    assert land_workouts(con, rejected=[BROKEN]).quarantined == 1
    assert unreadable(con) == 1


def test_half_a_character_is_quarantined_as_its_escape(con: duckdb.DuckDBPyConnection) -> None:
    half = Rejected("\ud83d?", '{"id":"\ud83d","title":"\U0001f4aa"}', record_id="\ud83d")
    for _ in range(2):
        land_workouts(con, rejected=[half], is_complete=True)
    assert con.execute("select reason, payload, record_id from raw.quarantine").fetchall() == [
        (r"\ud83d?", '{"id":"\\ud83d","title":"\U0001f4aa"}', r"\ud83d")
    ]
    assert unreadable(con) == 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [(Decimal("1e999"), "too large to be stored"), ("\ud83d", "surrogates not allowed")],
    ids=["beyond all floats", "half a character"],
)
def test_what_cannot_be_stored_is_refused(value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        canonical_json({"weight_kg": value})


def test_a_whole_number_of_more_than_64_bits_is_kept_to_the_digit() -> None:
    assert canonical_json({"b": 1, "a": 2**64 + 1}) == '{"a":18446744073709551617,"b":1}'


def random_reading(chance: Random) -> Batch:
    """Draw a batch of a few records: new, edited, deleted or unreadable; perhaps complete."""
    ids = [str(number) for number in range(5)]
    known = chance.sample(ids, chance.randint(0, 5))
    records = [
        Record(each, canonical_json({"id": each}), is_deleted=True)
        if chance.random() < 0.2
        else workout(each, title=chance.choice("AB"))
        for each in known
    ]
    rejected = [
        Rejected("unreadable", chance.choice(("{}", '{"a": 1}')), chance.choice((*ids, None)))
        for _ in range(chance.randint(0, 2))
    ]
    return Batch(records, rejected, is_complete=chance.random() < 0.5)


@randomized
@pytest.mark.parametrize("seed", range(count(quick=4, thorough=12)))
def test_athletes_together_are_landed_as_each_alone(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - a test's seed
    rounds = [
        {
            athlete: random_reading(chance)
            for athlete in chance.sample(["ann", "ben", "cem", "dee"], chance.randint(0, 4))
        }
        for _ in range(6)
    ]
    with (
        duckdb.connect(config={"threads": 1}) as together,
        duckdb.connect(config={"threads": 1}) as alone,
    ):
        for con in (together, alone):
            create_raw_tables(con)
        for number, batches in enumerate(rounds):
            now = NOON + timedelta(hours=number)
            origin: Origin = chance.choice(("api", "api", "csv"))
            stamps: dict[str, Any] = {"now": now, "run_id": "run", "origin": origin}
            landed = land_all(together, "hevy_workouts", batches, **stamps)
            cursors = dict.fromkeys(batches, now)
            save_sync_states(together, "hevy_workouts", cursors, completed_at=now)
            for athlete, batch in batches.items():
                assert landed[athlete] == land(
                    alone,
                    "hevy_workouts",
                    athlete,
                    batch.records,
                    rejected=batch.rejected,
                    is_complete=batch.is_complete,
                    **stamps,
                )
                save_sync_state(alone, "hevy_workouts", athlete, cursor_at=now, completed_at=now)
        for table in ("raw.hevy_workouts", "raw.quarantine", "raw.sync_state", "raw.sync_log"):
            # Landed separately, the second athlete gets a later time.
            times = "exclude (loaded_at)" if "sync" not in table else ""
            query = f"select * {times} from {table} order by all"
            assert together.execute(query).fetchall() == alone.execute(query).fetchall()
        found = together.execute("select athlete_id from raw.sync_state").fetchall()
        if found:
            ids = [athlete for (athlete,) in found]
            counted = count_all_quarantined(together, "hevy_workouts", ids)
            for athlete in ids:
                assert counted.get(athlete, 0) == count_quarantined(alone, "hevy_workouts", athlete)
