"""Tables of publications, numbered per routine; steps are in `coach.publication_events`.

See `coach_agent/publishing/states.py` for the allowed transitions. A rollback is also a
publication, of the earlier content. All times are UTC.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.publishing.publication_rows import stored_routine
from coach_agent.publishing.routine_changes import Change
from coach_agent.publishing.states import (
    FINAL_STATES,
    REOPENED_STATES,
    TRANSITIONS,
    PublicationEvent,
    PublicationRow,
    Response,
    State,
    Step,
    TransitionError,
)
from coach_agent.store.sealed_rows import rows_of, rows_sha256
from coach_agent.store.upsert import upsert
from hevy_connector.schemas import RoutineWrite

_FIELDS = tuple(each.name for each in fields(PublicationRow) if each.name != "is_new")
_COLUMN_OF = {"number": "publication_number", "changes": "diff"}
"""Column names that differ from the field name."""

PAYLOAD = (
    "publication_id",
    "plan_id",
    "athlete_id",
    "routine_id",
    "kind",
    "target",
    "written_routine_id",
    "base",
    "request",
    "diff",
    "made_from",
    "published_sha256",
)
"""The columns that `payload_sha256` covers: the request, its target and its inputs."""


def publications_of(
    con: duckdb.DuckDBPyConnection, athlete_id: str, routine_id: str | None = None
) -> list[PublicationRow]:
    """Return the publications of an athlete, or of one routine, newest first."""
    condition = "athlete_id = $1 and coalesce(routine_id = $2, true)"
    return _read(con, condition, athlete_id, routine_id)


def publication_named(con: duckdb.DuckDBPyConnection, name: str) -> PublicationRow | None:
    """Return the publication with this id."""
    return next(iter(_read(con, "publication_id = $1", name)), None)


def pending_states(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Return the states of unfinished publications by athlete: interrupted, or to be approved."""
    rows: list[tuple[str, list[str]]] = con.execute(
        """
        select athlete_id, list(distinct state) from coach.publications
        where
            athlete_id in (select unnest($1))
            and state in ('publishing', 'waiting', 'approved')
        group by athlete_id
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {athlete_id: frozenset(states) for athlete_id, states in rows}


def done_publications(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, PublicationRow]:
    """Return the finished publication of the active plan by athlete, if nothing is pending.

    It is final and the newest of its routine, and no other publication is pending or interrupted.
    """
    done = sorted(FINAL_STATES - REOPENED_STATES)
    rows = _read(
        con,
        """
        athlete_id in (select unnest($1))
        and kind = 'plan'
        and state in (select unnest($2))
        and plan_id in (select plan_id from coach.current_plans)
        and (athlete_id, routine_id, publication_number) in (
            select athlete_id, routine_id, max(publication_number) from coach.publications
            group by athlete_id, routine_id
        )
        and athlete_id not in (
            select athlete_id from coach.publications
            where state in ('publishing', 'waiting', 'approved')
        )
        """,
        list(athlete_ids),
        list(done),
    )
    return {row.athlete_id: row for row in rows}


def events_of(con: duckdb.DuckDBPyConnection, publication_id: str) -> list[PublicationEvent]:
    """Return the steps of a publication, in order."""
    rows = con.execute(
        """
        select happened_at, from_state, to_state, reason, run_id
        from coach.publication_events where publication_id = $1 order by event_number
        """,
        [publication_id],
    ).fetchall()
    return [PublicationEvent(_aware(at), *rest) for at, *rest in rows]


def record_response(
    con: duckdb.DuckDBPyConnection,
    row: PublicationRow,
    state: Response,
    reason: str,
    *,
    at: datetime,
    run_id: str,
) -> PublicationRow:
    """Record the athlete's answer to an unsent publication, in the caller's transaction.

    Raises:
        TransitionError: it was sent or is final.
    """
    moved = replace(
        row,
        state=state,
        detail=reason,
        finished_at=at if state in FINAL_STATES else None,
        run_id=run_id,
    )
    return record(con, moved, reason=reason, at=at)


def record(
    con: duckdb.DuckDBPyConnection, row: PublicationRow, *, reason: str, at: datetime
) -> PublicationRow:
    """Write the row in its new state with the event of the transition, in the caller's transaction.

    A final row is never changed, also not after a concurrent write; the same state with the same
    reason adds no event.

    Raises:
        TransitionError: the transition is not allowed.
    """
    before = publication_named(con, row.publication_id)
    from_state = None if before is None else before.state
    if row.state not in TRANSITIONS[from_state]:
        raise TransitionError(f"{row.publication_id} is {from_state}, never {row.state} after that")
    _upsert(con, row)
    is_same = before is not None and (before.state, before.detail) == (row.state, row.detail)
    if not is_same or row.state == "publishing":
        add_event(con, row.publication_id, from_state, row.state, reason, row.run_id, at)
    if row.rolls_back is not None and row.state in {"published", "unchanged"}:
        _mark_rolled_back(con, row, at)
    _seal(con, row.publication_id)
    return replace(row, is_new=True)


def record_step(
    con: duckdb.DuckDBPyConnection, step: Step, *, at: datetime, read_back_sha256: str | None
) -> PublicationRow:
    """Write a step of a publication, in the caller's transaction.

    `read_back_sha256` is the hash of the routine that was read back, if any.

    Raises:
        TransitionError: the transition is not allowed.
    """
    row = step.at(at)
    if read_back_sha256 is not None:
        row = replace(row, published_sha256=read_back_sha256)
    return record(con, row, reason=step.reason, at=at)


def _seal(con: duckdb.DuckDBPyConnection, publication_id: str) -> None:
    """Store the hash over a publication and its steps; each change of a row ends with it."""
    [row] = rows_of(con, "coach.publications where publication_id = $1", publication_id)
    con.execute(
        "update coach.publications set sha256 = $1 where publication_id = $2",
        [publication_sha256(row, stored_events(con, publication_id)), publication_id],
    )


def publication_sha256(row: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash over all other stored columns of a publication and its steps."""
    own = {name: value for name, value in row.items() if name != "sha256"}
    return rows_sha256([own, *events])


def stored_events(con: duckdb.DuckDBPyConnection, publication_id: str) -> list[dict[str, Any]]:
    """Return the rows of the steps of a publication, in order."""
    source = "coach.publication_events where publication_id = $1 order by event_number"
    return rows_of(con, source, publication_id)


def _mark_rolled_back(con: duckdb.DuckDBPyConnection, by: PublicationRow, at: datetime) -> None:
    """Mark publications as rolled back by this one; their published state stays true."""
    rows = publications_of(con, by.athlete_id, by.routine_id)
    first = next((row.number for row in rows if row.publication_id == by.rolls_back), None)
    if first is None:
        raise TransitionError(f"{by.publication_id}: {by.rolls_back} is not stored")
    for row in sorted(rows, key=lambda each: each.number, reverse=True):
        if row.written_id != by.written_id:
            continue  # in a separate routine of ours
        # An `unchanged` plan is rolled back together with the write that put it there, or the next
        # run would send it.
        was_held = row.was_sent or (row.state == "unchanged" and row.kind == "plan")
        if not first <= row.number < by.number or not was_held:
            continue
        # What an undone rollback had rolled back is in force again.
        freed: list[tuple[str]] = con.execute(
            """
            update coach.publications set rolled_back_by = null
            where rolled_back_by = $1 and athlete_id = $2
            returning publication_id
            """,
            [row.publication_id, row.athlete_id],
        ).fetchall()
        con.execute(
            """
            update coach.publications set rolled_back_by = coalesce(rolled_back_by, $1)
            where publication_id = $2
            """,
            [by.publication_id, row.publication_id],
        )
        reason = f"Taken back by {by.publication_id}."
        add_event(con, row.publication_id, row.state, row.state, reason, by.run_id, at)
        for publication_id in dict.fromkeys((row.publication_id, *(name for (name,) in freed))):
            _seal(con, publication_id)


def add_event(
    con: duckdb.DuckDBPyConnection,
    publication_id: str,
    from_state: State | None,
    to_state: State,
    reason: str,
    run_id: str,
    at: datetime,
) -> None:
    """Insert a step of a publication."""
    con.execute(
        """
        insert into coach.publication_events
        select $1, coalesce(max(event_number), 0) + 1, $2, $3, $4, $5, $6
        from coach.publication_events where publication_id = $1
        """,
        [publication_id, naive_utc(at), from_state, to_state, reason, run_id],
    )


def _upsert(con: duckdb.DuckDBPyConnection, row: PublicationRow) -> None:
    values = {_COLUMN_OF.get(name, name): _stored(getattr(row, name)) for name in _FIELDS}
    values["payload_sha256"] = payload_sha256(values)
    first_stays = {"publication_number", "staged_at"}
    upsert(con, "coach.publications", ["publication_id"], values, first_stays=first_stays)


def payload_sha256(row: Mapping[str, Any]) -> str:
    """Return the hash of a publication's payload, from its stored columns."""
    payload = json.dumps({name: row[name] for name in PAYLOAD}, sort_keys=True)
    return hashlib.sha256(payload.encode()).hexdigest()


def _stored(value: Any) -> Any:
    """Convert a field of a publication to its column value."""
    if isinstance(value, RoutineWrite):
        return json.dumps(value.put_body())
    if isinstance(value, datetime):
        return naive_utc(value)
    if isinstance(value, tuple):
        return json.dumps([vars(change) for change in value])
    return value


def _read(
    con: duckdb.DuckDBPyConnection, condition: str, *values: str | list[str] | None
) -> list[PublicationRow]:
    columns = ", ".join(_COLUMN_OF.get(name, name) for name in _FIELDS)
    rows = con.execute(
        f"""
        select {columns} from coach.publications where {condition}
        order by staged_at desc, publication_number desc, publication_id
        """,  # noqa: S608 - our own columns and conditions
        list(values),
    ).fetchall()
    return [_row(dict(zip(_FIELDS, row, strict=True))) for row in rows]


def publication_row(stored: Mapping[str, Any]) -> PublicationRow:
    """Build a publication from its stored columns."""
    return _row({name: stored[_COLUMN_OF.get(name, name)] for name in _FIELDS})


def _row(columns: dict[str, Any]) -> PublicationRow:
    """Build the publication from its columns; older versions left some of them empty."""
    columns |= {name: _content(columns[name]) for name in ("base", "request")}
    columns |= {
        name: columns[name] and _aware(columns[name])
        for name in ("staged_at", "effective_at", "finished_at")
    }
    columns["changes"] = tuple(
        Change(**change) for change in json.loads(columns["changes"] or "[]")
    )
    columns["kind"], columns["target"] = columns["kind"] or "plan", columns["target"] or "update"
    return PublicationRow(**{**columns, "detail": columns["detail"] or ""})


def _content(body: str | None) -> RoutineWrite | None:
    return None if body is None else stored_routine(json.loads(body))


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
