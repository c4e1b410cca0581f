"""Unfinished publications: which ones there are, and what a run does with each. Pure: no I/O."""

from collections.abc import Iterable
from typing import Literal

from coach_agent.publishing.states import PublicationRow

Completion = Literal["resume", "settle"]
"""Continue an interrupted write, or find out if it arrived and give it up otherwise."""


def interrupted(rows: Iterable[PublicationRow]) -> list[PublicationRow]:
    """Return the publications with an unconfirmed write, oldest first."""
    begun = (row for row in rows if row.state == "publishing")
    return sorted(begun, key=lambda row: (row.staged_at, row.number))


def completion_of(
    row: PublicationRow, active_plan_id: str | None, *, is_stopped: bool
) -> Completion | None:
    """Return how to complete an interrupted publication; None for the active plan's own.

    A rollback is resumed, and a withdrawal while a red flag is open (`is_stopped`).
    """
    if row.kind == "rollback" or (row.kind == "withdrawal" and is_stopped):
        return "resume"
    if row.kind == "withdrawal" or row.plan_id != active_plan_id:
        return "settle"
    return None


def outdated_proposals(
    rows: Iterable[PublicationRow], active_plan_id: str | None
) -> list[PublicationRow]:
    """Return the unsent publications of plans that are no longer active."""
    return [
        row
        for row in rows
        if row.state in {"waiting", "approved"} and row.plan_id != active_plan_id
    ]
