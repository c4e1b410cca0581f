"""Stored briefings, and destinations with a pending one."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Literal

import duckdb
import pytest

from coach_agent.store.briefings import (
    Notification,
    WrittenBriefing,
    pending_destinations,
    read_latest_briefing,
    read_notifications,
    record_briefings,
    record_notifications,
)
from coach_agent.store.schema import create_coach_tables
from tests.coach.builders import NOW

MONDAY = WrittenBriefing(
    athlete_id="demo",
    day=date(2026, 3, 2),
    content_sha256="one",
    plan_id="plan_1",
    content='{"title": "Next: Upper A"}',
    markdown="# Next: Upper A\n",
    written_at=NOW,
    run_id="night",
)
BOTH = ("1 mailto", "2 ntfy")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_coach_tables(connection)
        yield connection


def tried(
    con: duckdb.DuckDBPyConnection,
    briefing: WrittenBriefing,
    hour: int,
    **states: Literal["sent", "failed"],
) -> None:
    at = NOW + timedelta(hours=hour)
    names = {"mailto": "1 mailto", "ntfy": "2 ntfy"}
    found = [Notification(names[name], state, None, at) for name, state in states.items()]
    record_notifications(con, briefing, found, run_id="night")


def test_the_same_briefing_written_again_is_one_row_and_the_latest(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert read_latest_briefing(con, "demo") is None
    record_briefings(con, [MONDAY])
    other = replace(MONDAY, content_sha256="two", written_at=NOW + timedelta(hours=1))
    record_briefings(con, [other, replace(MONDAY, athlete_id="beside")])
    again = replace(MONDAY, written_at=NOW + timedelta(hours=2))
    record_briefings(con, [again])
    assert read_latest_briefing(con, "demo") == again
    assert read_latest_briefing(con, "somebody") is None
    assert con.execute("select count(*) from coach.briefings").fetchall() == [(3,)]


def test_everybody_waits_once_a_day_and_for_what_is_new(con: duckdb.DuckDBPyConnection) -> None:
    changed = replace(MONDAY, content_sha256="two")
    tuesday = replace(MONDAY, day=date(2026, 3, 3))
    assert pending_destinations(con, MONDAY, BOTH) == BOTH
    tried(con, MONDAY, 0, mailto="sent", ntfy="sent")
    assert pending_destinations(con, MONDAY, BOTH) == ()
    assert pending_destinations(con, changed, BOTH) == BOTH
    assert pending_destinations(con, tuesday, BOTH) == BOTH
    assert pending_destinations(con, MONDAY, (*BOTH, "3 json")) == ("3 json",)


def test_only_what_failed_is_tried_again(con: duckdb.DuckDBPyConnection) -> None:
    tried(con, MONDAY, 0, mailto="sent", ntfy="failed")
    assert pending_destinations(con, MONDAY, BOTH) == ("2 ntfy",)
    tried(con, MONDAY, 1, ntfy="sent")
    assert pending_destinations(con, MONDAY, BOTH) == ()
    assert [(each.destination, each.state) for each in read_notifications(con, MONDAY)] == [
        ("1 mailto", "sent"),
        ("2 ntfy", "failed"),
        ("2 ntfy", "sent"),
    ]


def test_what_returns_after_something_else_was_sent_is_new_again(
    con: duckdb.DuckDBPyConnection,
) -> None:
    changed = replace(MONDAY, content_sha256="two")
    tried(con, MONDAY, 0, mailto="sent", ntfy="sent")
    tried(con, changed, 1, mailto="sent", ntfy="failed")
    assert pending_destinations(con, MONDAY, BOTH) == ("1 mailto",)
