"""Notes that a model has read, with their mentions: one row per note. All times are UTC.

A row without a kind only marks the note as read. The text of the note is not in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import duckdb

from coach_agent.domain.values import by_athlete, naive_utc
from coach_agent.memory.mentions import Mention
from coach_agent.store.upsert import upsert_all

_KEYS = ("athlete_id", "mart", "note_key")


@dataclass(frozen=True)
class ReadNote:
    """A note that was read: its row, the hash of its text, and its mention, if any."""

    mart: str
    key: str
    day: date
    text_sha256: str
    mention: Mention | None
    read_by: str


def record_read_notes(
    con: duckdb.DuckDBPyConnection, athlete_id: str, notes: Sequence[ReadNote], *, now: datetime
) -> None:
    """Upsert the notes; a changed text replaces the mention of the former one."""
    rows = [
        {
            "athlete_id": athlete_id,
            "mart": each.mart,
            "note_key": each.key,
            "note_date": each.day,
            "text_sha256": each.text_sha256,
            "kind": None if each.mention is None else each.mention.kind,
            "subject": None if each.mention is None else each.mention.subject,
            "title": None if each.mention is None else each.mention.title,
            "read_by": each.read_by,
            "read_at": naive_utc(now),
        }
        for each in notes
    ]
    if rows:
        upsert_all(con, "coach.note_mentions", _KEYS, rows)


def read_hashes(con: duckdb.DuckDBPyConnection, athlete_id: str) -> dict[tuple[str, str], str]:
    """Return the hash of the text of each read note, by mart and key."""
    rows = con.execute(
        "select mart, note_key, text_sha256 from coach.note_mentions where athlete_id = $1",
        [athlete_id],
    ).fetchall()
    return {(mart, key): text_sha256 for mart, key, text_sha256 in rows}


def move_read_note(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    text_sha256: str,
    *,
    mart: str,
    key: str,
    day: date,
) -> None:
    """Move the row of a text to another row that has the same text, and its mention with it.

    Hevy copies the notes of a routine into each of its workouts: that is one note.
    """
    con.execute(
        """
        update coach.note_mentions set mart = $3, note_key = $4, note_date = $5
        where athlete_id = $1 and text_sha256 = $2
        """,
        [athlete_id, text_sha256, mart, key, day],
    )


def delete_read_notes(
    con: duckdb.DuckDBPyConnection, athlete_id: str, notes: Sequence[tuple[str, str]]
) -> None:
    """Delete the rows of notes that are gone."""
    for mart, key in notes:
        con.execute(
            """
            delete from coach.note_mentions
            where athlete_id = $1 and mart = $2 and note_key = $3
            """,
            [athlete_id, mart, key],
        )


def read_mentions_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> Mapping[str, list[Mention]]:
    """Return the mentions by athlete, oldest first."""
    rows = con.execute(
        """
        select athlete_id, kind, subject, title, mart, note_key, note_date
        from coach.note_mentions
        where athlete_id in (select unnest($1)) and kind is not null
        order by athlete_id, note_date, mart, note_key
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {
        athlete: [
            Mention(kind=kind, subject=subject, title=title, mart=mart, key=key, day=day)
            for kind, subject, title, mart, key, day in own
        ]
        for athlete, own in by_athlete(rows).items()
    }


def forget_mentions(
    con: duckdb.DuckDBPyConnection, athlete_id: str, kind: str, subject: str
) -> None:
    """Remove what mentions a forgotten memory; its notes stay marked as read."""
    con.execute(
        """
        update coach.note_mentions set kind = null, subject = null, title = null
        where athlete_id = $1 and kind = $2 and subject = $3
        """,
        [athlete_id, kind, subject],
    )
