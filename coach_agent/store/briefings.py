"""Tables of written briefings and of their notifications.

A briefing is identified by athlete, day and content, so writing it again is idempotent. A
notification stores its destination as place in the profile and kind, never as an address.
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
    """A briefing of a day; `content` is the JSON that `markdown` renders, times are UTC."""

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
    """One attempt to send a briefing to one destination, with the reason of a failure."""

    destination: str
    state: Literal["sent", "failed"]
    detail: str | None
    tried_at: datetime


def record_briefings(con: duckdb.DuckDBPyConnection, briefings: Sequence[WrittenBriefing]) -> None:
    """Upsert briefings, each as its athlete's latest; at most one per athlete."""
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
    """Return the latest written briefing; None without one."""
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


def pending_destinations(
    con: duckdb.DuckDBPyConnection, briefing: WrittenBriefing, destinations: Sequence[str]
) -> tuple[str, ...]:
    """Return the destinations without a successful last send of this day and content."""
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
    """Store the result of each attempt to send a briefing."""
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
    """Return the attempts to send the briefing, in their order."""
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
