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
    Step,
    TransitionError,
)
from coach_agent.store.sealed_rows import rows_of, rows_sha256
from coach_agent.store.upsert import upsert
from hevy_connector.schemas import RoutineWrite

_FIELDS = tuple(each.name for each in fields(PublicationRow) if each.name != "is_new")
_COLUMN_OF = {"number": "publication_number", "changes": "diff"}
"""Column names that differ from the field name."""

_FIRST_STAYS = ("publication_number", "staged_at")

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
    reason adds no event. The number and the time of the first record stay.

    Raises:
        TransitionError: the transition is not allowed.
    """
    stored = _stored_publication(con, row.publication_id)
    from_state = stored.get("state")
    if row.state not in TRANSITIONS[from_state]:
        raise TransitionError(f"{row.publication_id} is {from_state}, never {row.state} after that")
    columns = _columns_of(row)
    columns |= {name: stored[name] for name in _FIRST_STAYS if name in stored}
    is_same = (from_state, stored.get("detail")) == (row.state, row.detail)
    event = PublicationEvent(at, from_state, row.state, reason, row.run_id)
    _write(con, stored | columns, None if is_same and row.state != "publishing" else event)
    if row.rolls_back is not None and row.state in {"published", "unchanged"}:
        _mark_rolled_back(con, row, at)
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
            select publication_id from coach.publications
            where rolled_back_by = $1 and athlete_id = $2
            """,
            [row.publication_id, row.athlete_id],
        ).fetchall()
        for (name,) in freed:
            _write(con, _stored_publication(con, name) | {"rolled_back_by": None})
        stored = _stored_publication(con, row.publication_id)
        marked = {"rolled_back_by": stored["rolled_back_by"] or by.publication_id}
        reason = f"Taken back by {by.publication_id}."
        event = PublicationEvent(at, row.state, row.state, reason, by.run_id)
        _write(con, stored | marked, event)


def _write(
    con: duckdb.DuckDBPyConnection,
    columns: Mapping[str, Any],
    event: PublicationEvent | None = None,
) -> None:
    """Store all columns of a publication, its next step if any, and the hash over all of it.

    The hash is computed before: on a lake, an update of a new row takes as long as writing it.
    """
    events = stored_events(con, columns["publication_id"])
    if event is not None:
        added = {
            "publication_id": columns["publication_id"],
            "event_number": 1 + max((each["event_number"] for each in events), default=0),
            **vars(event),
            "happened_at": naive_utc(event.happened_at),
        }
        values = ", ".join(f"${name} as {name}" for name in added)
        con.execute(f"insert into coach.publication_events by name select {values}", added)
        events.append(added)
    sealed = {**columns, "sha256": publication_sha256(columns, events)}
    upsert(con, "coach.publications", ["publication_id"], sealed)


def _stored_publication(con: duckdb.DuckDBPyConnection, publication_id: str) -> dict[str, Any]:
    """Return all stored columns of a publication; empty if it is new."""
    rows = rows_of(con, "coach.publications where publication_id = $1", publication_id)
    return next(iter(rows), {})


def _columns_of(row: PublicationRow) -> dict[str, Any]:
    columns = {_COLUMN_OF.get(name, name): _stored(getattr(row, name)) for name in _FIELDS}
    return {**columns, "payload_sha256": payload_sha256(columns)}


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
