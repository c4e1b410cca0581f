"""Memories are versions; a forgotten one leaves a digest alone."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import duckdb
import pytest

from coach_agent.memory.memories import Kind, Memory, Source, Statement
from coach_agent.store.memories import (
    KeptMemories,
    MemoryVersion,
    UnknownMemoryError,
    changed_by_athlete,
    changed_by_learning,
    forget,
    read_memories,
    read_memories_of,
    read_versions,
    record_versions,
)
from coach_agent.store.schema import create_coach_tables

NOW = datetime(2026, 3, 12, 4, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    create_coach_tables(con)
    return con


def memory(
    weekdays: tuple[int, ...] = (0, 2),
    *,
    athlete: str = "ann",
    kind: Kind = "training_days",
    subject: str = "",
    count: int = 4,
) -> Memory:
    return Memory(
        athlete_id=athlete,
        kind=kind,
        subject=subject,
        statement=Statement(weekdays=weekdays),
        sources=tuple(
            Source(mart="fct_workout", key=f"w{each}", day=TODAY - timedelta(days=each))
            for each in range(count)
        ),
    )


def learn(
    con: duckdb.DuckDBPyConnection,
    learned: Sequence[Memory],
    *,
    athlete: str = "ann",
    now: datetime = NOW,
) -> list[MemoryVersion]:
    kept = read_memories_of(con, [athlete])[athlete]()
    changed = changed_by_learning(kept, learned, now.date(), now=now, run_id="run")
    record_versions(con, changed)
    return changed


def statements(con: duckdb.DuckDBPyConnection, athlete: str = "ann") -> dict[int, Statement]:
    return {each.number: each.memory.statement for each in read_memories(con, athlete, TODAY)}


def test_a_memory_is_read_as_it_was_learned(con: duckdb.DuckDBPyConnection) -> None:
    learned = memory()
    learn(con, [learned])
    [found] = read_memories(con, "ann", TODAY)
    assert found == MemoryVersion(1, 1, learned, NOW, None, "run")
    [row] = con.execute(
        """
        select confidence, first_seen_date, last_seen_date, expires_date, status, decided_date
        from coach.memories
        """
    ).fetchall()
    # 1 + 2^(-1/45) + 2^(-2/45) + 2^(-3/45) = 3.909
    assert row[0] == pytest.approx(3.909 / 4.909, abs=1e-4)
    assert row[1:] == (date(2026, 3, 9), TODAY, learned.expires_on, "guessed", None)


def test_the_same_again_changes_nothing(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory()])
    assert learn(con, [memory()], now=NOW + timedelta(days=1)) == []


def test_new_rows_of_the_same_statement_are_no_version(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory(count=4)])
    learn(con, [memory(count=6)], now=NOW + timedelta(days=1))
    [found] = read_versions(con, "ann", 1)
    assert (len(found.memory.sources), found.valid_from) == (6, NOW)


def test_another_statement_is_the_next_version(con: duckdb.DuckDBPyConnection) -> None:
    later = NOW + timedelta(days=1)
    learn(con, [memory((0, 2))])
    learn(con, [memory((1, 3))], now=later)
    first, second = read_versions(con, "ann", 1)
    assert (first.memory.statement.weekdays, first.valid_to) == ((0, 2), later)
    assert (second.version, second.memory.statement.weekdays, second.valid_to) == (2, (1, 3), None)
    assert statements(con) == {1: Statement(weekdays=(1, 3))}


def test_a_guess_without_support_ends_and_returns_as_a_version(
    con: duckdb.DuckDBPyConnection,
) -> None:
    learn(con, [memory()])
    learn(con, [], now=NOW + timedelta(days=1))
    assert statements(con) == {}
    learn(con, [memory()], now=NOW + timedelta(days=2))
    assert [each.valid_to is None for each in read_versions(con, "ann", 1)] == [False, True]
    assert learn(con, [memory()], now=NOW + timedelta(days=2)) == []


def test_an_expired_memory_is_not_read(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory()])
    expires = memory().expires_on
    assert read_memories(con, "ann", expires - timedelta(days=1))
    assert read_memories(con, "ann", expires) == ()


def decide(con: duckdb.DuckDBPyConnection, statement: Statement | None, day: date = TODAY) -> None:
    [current] = read_memories(con, "ann", day)
    now = datetime.combine(day, NOW.timetz())
    record_versions(con, changed_by_athlete(current, statement, day, now=now))


def test_a_confirmed_memory_outlives_other_guesses_until_it_expires(
    con: duckdb.DuckDBPyConnection,
) -> None:
    learn(con, [memory((0, 2))])
    decide(con, None)
    [found] = read_memories(con, "ann", TODAY)
    assert (found.version, found.memory.status, found.memory.decided_on) == (2, "confirmed", TODAY)
    assert learn(con, [memory((1, 3))]) == []
    expired = datetime.combine(found.memory.expires_on, NOW.timetz())
    recent = memory((1, 3)).model_copy(
        update={"sources": (Source(mart="fct_workout", key="w", day=expired.date()),)}
    )
    learn(con, [recent], now=expired)
    versions = [each.memory.statement.weekdays for each in read_versions(con, "ann", 1)]
    assert versions == [(0, 2), (0, 2), (1, 3)]


def test_confirming_again_renews_the_date(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory()])
    decide(con, None)
    decide(con, None, TODAY + timedelta(days=30))
    first, second = read_versions(con, "ann", 1)
    assert first.memory.decided_on is None
    assert second.memory.decided_on == TODAY + timedelta(days=30)


def test_a_correction_has_no_rows_and_its_predecessor_stays_as_history(
    con: duckdb.DuckDBPyConnection,
) -> None:
    learn(con, [memory((0, 2))])
    decide(con, Statement(weekdays=(5,)))
    first, second = read_versions(con, "ann", 1)
    assert (first.memory.status, len(first.memory.sources)) == ("guessed", 4)
    assert (second.memory.status, second.memory.sources) == ("corrected", ())
    assert second.memory.statement == Statement(weekdays=(5,))
    # The athlete's word alone: 4 of 4 + 1.
    assert second.memory.confidence(TODAY) == pytest.approx(0.8)
    assert learn(con, [memory((0, 2))]) == []


def test_forgetting_deletes_all_versions_and_keeps_a_digest(
    con: duckdb.DuckDBPyConnection,
) -> None:
    learn(con, [memory((0, 2)), memory(kind="for_exercise", subject="SECRET PRESS")])
    numbers = {each.memory.kind: each.number for each in read_memories(con, "ann", TODAY)}
    number = numbers["for_exercise"]
    forget(con, "ann", number, now=NOW)
    assert list(statements(con)) == [numbers["training_days"]]
    with pytest.raises(UnknownMemoryError, match="no memory"):
        read_versions(con, "ann", number)
    digest = memory(kind="for_exercise", subject="SECRET PRESS").digest
    everything = con.execute("from coach.memories").fetchall()
    everything += con.execute("from coach.forgotten_memories").fetchall()
    assert "SECRET" not in str(everything)
    assert ("ann", digest, number, NOW.replace(tzinfo=None)) in everything


def test_a_number_is_never_used_for_another_memory(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory()])
    forget(con, "ann", 1, now=NOW)
    learn(con, [memory(kind="for_exercise", subject="PRESS")])
    assert list(statements(con)) == [2]


def test_two_athletes_have_memories_of_their_own(con: duckdb.DuckDBPyConnection) -> None:
    learn(con, [memory((0, 2))])
    learn(con, [memory((1, 3), athlete="bob")], athlete="bob")
    assert statements(con) == {1: Statement(weekdays=(0, 2))}
    assert statements(con, "bob") == {1: Statement(weekdays=(1, 3))}
    forget(con, "bob", 1, now=NOW)
    assert statements(con) == {1: Statement(weekdays=(0, 2))}
    assert read_memories_of(con, ["bob", "cat"])["cat"]() == KeptMemories()
    with pytest.raises(UnknownMemoryError):
        forget(con, "bob", 1, now=NOW)
