"""Briefings as they were written, and to whom they went: the coach's tables for both.

A briefing is identified by athlete, day and content: written again it is the same row. Of a
notification the destination is its place in the profile and its kind, never its address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.store.upsert import upsert_all


@dataclass(frozen=True)
class WrittenBriefing:
    """A briefing of a day; `content` is the JSON of what `markdown` tells, times are UTC."""

    athlete_id: str
    day: date
    content_sha256: str
    plan_id: str | None
    content: str
    markdown: str
    written_at: datetime
    run_id: str


@dataclass(frozen=True)
class Notification:
    """One try to send a briefing to one destination, and why it failed if it did."""

    destination: str
    state: Literal["sent", "failed"]
    detail: str | None
    tried_at: datetime


def record_briefings(con: duckdb.DuckDBPyConnection, briefings: Sequence[WrittenBriefing]) -> None:
    """Keep briefings, each as its athlete's latest; no athlete twice."""
    rows = [
        {
            "athlete_id": each.athlete_id,
            "briefing_date": each.day,
            "content_sha256": each.content_sha256,
            "plan_id": each.plan_id,
            "content": each.content,
            "markdown": each.markdown,
            "written_at": naive_utc(each.written_at),
            "run_id": each.run_id,
        }
        for each in briefings
    ]
    keys = ["athlete_id", "briefing_date", "content_sha256"]
    upsert_all(con, "coach.briefings", keys, rows)


def read_latest_briefing(con: duckdb.DuckDBPyConnection, athlete_id: str) -> WrittenBriefing | None:
    """The briefing that was written last; None if there was none yet."""
    rows = con.execute(
        """
        select
            athlete_id, briefing_date, content_sha256, plan_id, content, markdown, written_at,
            run_id
        from coach.briefings
        where athlete_id = $1
        order by written_at desc
        limit 1
        """,
        [athlete_id],
    ).fetchall()
    if not rows:
        return None
    found = WrittenBriefing(*rows[0])
    return replace(found, written_at=found.written_at.replace(tzinfo=UTC))


def waiting_destinations(
    con: duckdb.DuckDBPyConnection, briefing: WrittenBriefing, destinations: Sequence[str]
) -> tuple[str, ...]:
    """The destinations that were not sent this last: another day, another content, or a failure."""
    rows: list[tuple[str, date, str]] = con.execute(
        """
        select destination, briefing_date, content_sha256
        from coach.notifications
        where athlete_id = $1 and state = 'sent'
        qualify row_number() over (partition by destination order by tried_at desc) = 1
        """,
        [briefing.athlete_id],
    ).fetchall()
    have_it = {
        destination
        for destination, day, digest in rows
        if (day, digest) == (briefing.day, briefing.content_sha256)
    }
    return tuple(each for each in destinations if each not in have_it)


def record_notifications(
    con: duckdb.DuckDBPyConnection,
    briefing: WrittenBriefing,
    tried: Sequence[Notification],
    *,
    run_id: str,
) -> None:
    """Keep what became of sending a briefing."""
    for each in tried:
        con.execute(
            "insert into coach.notifications values ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                briefing.athlete_id,
                briefing.day,
                briefing.content_sha256,
                each.destination,
                each.state,
                each.detail,
                naive_utc(each.tried_at),
                run_id,
            ],
        )


def read_notifications(
    con: duckdb.DuckDBPyConnection, briefing: WrittenBriefing
) -> tuple[Notification, ...]:
    """To whom the briefing went, in that order."""
    rows = con.execute(
        """
        select destination, state, detail, tried_at from coach.notifications
        where athlete_id = $1 and briefing_date = $2 and content_sha256 = $3
        order by tried_at, destination
        """,
        [briefing.athlete_id, briefing.day, briefing.content_sha256],
    ).fetchall()
    return tuple(
        Notification(destination, state, detail, tried_at.replace(tzinfo=UTC))
        for destination, state, detail, tried_at in rows
    )
