"""Programmes of athletes with the routines that were made from them.

A programme is valid from the time at which all its routines were published until the next one is.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import duckdb

from coach_agent.domain.values import naive_utc

RoutineState = Literal["pending", "published", "superseded"]


@dataclass(frozen=True)
class ProgrammeRoutine:
    """A routine of a programme: `request` is the JSON that is sent; `routine_id` once it exists."""

    place: int
    day: str
    request: str
    state: RoutineState = "pending"
    routine_id: str | None = None


@dataclass(frozen=True)
class StoredProgramme:
    """A version of an athlete's programme; `content` is its canonical JSON."""

    programme_id: str
    athlete_id: str
    name: str
    title: str
    content: str
    folder_title: str
    routines: tuple[ProgrammeRoutine, ...]
    is_new: bool = False

    @property
    def is_complete(self) -> bool:
        """Return true if each routine is published or superseded."""
        return all(routine.state != "pending" for routine in self.routines)

    @property
    def is_published(self) -> bool:
        """Return true if each routine is published."""
        return all(routine.state == "published" for routine in self.routines)


def programme_id_of(athlete_id: str, content: str, number: int) -> str:
    """Return the id of the athlete's version with this number and content."""
    digest = hashlib.sha256(f"{athlete_id}/{number}/{content}".encode()).hexdigest()
    return f"prog_{digest[:16]}"


def record_programme(
    con: duckdb.DuckDBPyConnection, programme: StoredProgramme, *, at: datetime, run_id: str
) -> None:
    """Store a programme with its pending routines, before anything is sent."""
    con.execute(
        """
        insert into coach.programmes by name
        select
            $1 as programme_id, $2 as athlete_id, $3 as name, $4 as title, $5::json as content,
            $6 as folder_title, $7::timestamp as stored_at, $8 as run_id
        """,
        [
            *(programme.programme_id, programme.athlete_id, programme.name, programme.title),
            *(programme.content, programme.folder_title, naive_utc(at), run_id),
        ],
    )
    con.executemany(
        """
        insert into coach.programme_routines by name
        select
            $1 as programme_id, $2 as place, $3 as day, $4::json as request, $5 as state
        """,
        [
            [programme.programme_id, each.place, each.day, each.request, each.state]
            for each in programme.routines
        ],
    )


def record_programme_step(
    con: duckdb.DuckDBPyConnection,
    programme: StoredProgramme,
    routine: ProgrammeRoutine | None,
    *,
    at: datetime,
    run_id: str,
) -> StoredProgramme:
    """Record a new programme, or the state of its `routine`, in the caller's transaction.

    The last routine makes its programme current.
    """
    if routine is None:
        record_programme(con, programme, at=at, run_id=run_id)
        return programme
    stored = record_routine(con, programme, routine, at=at)
    if stored.is_published:
        record_validity(con, stored, at=at)
    return stored


def read_programmes(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[StoredProgramme]:
    """Return the athlete's programmes, oldest first."""
    rows = con.execute(
        """
        select programme_id, name, title, content, folder_title
        from coach.programmes
        where athlete_id = $1
        order by stored_at, programme_id
        """,
        [athlete_id],
    ).fetchall()
    found = []
    for programme_id, name, title, content, folder_title in rows:
        routines = con.execute(
            """
            select place, day, request, state, routine_id
            from coach.programme_routines
            where programme_id = $1
            order by place
            """,
            [programme_id],
        ).fetchall()
        found.append(
            StoredProgramme(
                programme_id=programme_id,
                athlete_id=athlete_id,
                name=name,
                title=title,
                content=content,
                folder_title=folder_title,
                routines=tuple(ProgrammeRoutine(*row) for row in routines),
            )
        )
    return found


def record_routine(
    con: duckdb.DuckDBPyConnection,
    programme: StoredProgramme,
    routine: ProgrammeRoutine,
    *,
    at: datetime,
) -> StoredProgramme:
    """Store the new state of a routine; returns the programme with it."""
    con.execute(
        """
        update coach.programme_routines
        set state = $3, routine_id = $4, published_at = $5
        where programme_id = $1 and place = $2
        """,
        [
            *(programme.programme_id, routine.place, routine.state, routine.routine_id),
            naive_utc(at) if routine.state == "published" else None,
        ],
    )
    routines = [routine if each.place == routine.place else each for each in programme.routines]
    return replace(programme, routines=tuple(routines))


def record_validity(
    con: duckdb.DuckDBPyConnection, programme: StoredProgramme, *, at: datetime
) -> None:
    """Make a programme the athlete's current one; the one before ends at the same time."""
    con.execute(
        """
        update coach.programmes
        set valid_to = $3
        where
            athlete_id = $1 and programme_id <> $2
            and valid_from is not null and valid_to is null
        """,
        [programme.athlete_id, programme.programme_id, naive_utc(at)],
    )
    con.execute(
        "update coach.programmes set valid_from = coalesce(valid_from, $2) where programme_id = $1",
        [programme.programme_id, naive_utc(at)],
    )


def current_programme(programmes: Sequence[StoredProgramme]) -> StoredProgramme | None:
    """Return the latest programme whose routines are all published."""
    return next((each for each in reversed(programmes) if each.is_published), None)


def same_content(programme: StoredProgramme, content: str) -> bool:
    """Return whether a programme has this content, whatever the spelling of its JSON."""
    same: bool = json.loads(programme.content) == json.loads(content)
    return same
