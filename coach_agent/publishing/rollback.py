"""Rollback of a publication: restore the routine's earlier content."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from coach_agent.publishing.states import Kind, PublicationRow


class RollbackError(Exception):
    """Nothing can be rolled back; the message has the reason."""


def rollback_of(
    row: PublicationRow, rows: Sequence[PublicationRow], now: datetime, run_id: str
) -> PublicationRow:
    """Build the publication that rolls `row` back, not sent yet; `rows` are all of its routine.

    The routine then holds its earlier plan again, or none of ours.

    Raises:
        RollbackError: nothing was sent, it is rolled back already, or the earlier content is
            unknown.
    """
    if not row.was_sent:
        raise RollbackError(f"{row.publication_id} sent nothing to Hevy: it is {row.state}.")
    if row.rolled_back_by is not None:
        raise RollbackError(
            f"{row.publication_id} is taken back already, by {row.rolled_back_by}. "
            f"To undo that: spotter rollback {row.rolled_back_by}"
        )
    if any(each.state == "publishing" for each in rows):
        raise RollbackError("A publication of this routine was interrupted. Run first: spotter run")
    if row.base is None and row.target == "new_routine":
        raise RollbackError(
            f"{row.publication_id} created a separate routine and changed none of yours; delete it "
            "in the app."
        )
    if any(each.base is None or each.request is None for each in sent_since(row, rows)):
        raise RollbackError(f"What the routine was before {row.publication_id} was not recorded.")
    before = [
        each
        for each in rows
        if each.number < row.number
        and each.state in {"published", "unchanged"}
        and each.written_id == row.written_id
    ]
    held = max(before, key=lambda each: each.number, default=None)
    following = next_without_plan(row, rows, "rollback", "asked", now, run_id)
    plan_id = "" if held is None else held.plan_id
    return replace(following, plan_id=plan_id, rolls_back=row.publication_id)


def next_without_plan(
    row: PublicationRow,
    rows: Sequence[PublicationRow],
    kind: Kind,
    mode: str,
    now: datetime,
    run_id: str,
) -> PublicationRow:
    """Build the next publication of the routine of `row` that publishes no plan, not stored yet.

    `rows` are all publications of the routine. It keeps the plan id of `row`.
    """
    number = max(each.number for each in rows) + 1
    routine = hashlib.sha256(f"{row.athlete_id}/{row.routine_id}".encode()).hexdigest()[:16]
    return PublicationRow(
        publication_id=f"pub_{routine}_{number}",
        number=number,
        plan_id=row.plan_id,
        athlete_id=row.athlete_id,
        routine_id=row.routine_id,
        kind=kind,
        mode=mode,
        state="publishing",
        base=None,
        request=None,
        changes=(),
        detail="",
        staged_at=now,
        effective_at=None,
        finished_at=None,
        run_id=run_id,
        written_routine_id=row.written_routine_id,
        target=row.target,
    )


def sent_since(first: PublicationRow, rows: Sequence[PublicationRow]) -> list[PublicationRow]:
    """Return the writes to the same routine from `first` on, newest first."""
    sent = [
        row
        for row in rows
        if row.number >= first.number and row.was_sent and row.written_id == first.written_id
    ]
    return sorted(sent, key=lambda row: row.number, reverse=True)
