"""Withdrawal of a published plan after a red flag: a mark at each exercise.

The mark replaces our own line of the notes, so the next plan of the routine replaces the mark. It
contains no health data: Hevy can show a routine to others.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from coach_agent.domain.own_notes import with_own
from coach_agent.language.messages import render
from coach_agent.publishing.rollback import next_without_plan
from coach_agent.publishing.states import PublicationRow
from hevy_connector.schemas import RoutineWrite

_HELD = frozenset({"published", "unchanged"})


def to_withdraw(rows: Sequence[PublicationRow]) -> PublicationRow | None:
    """Return the publication of the plan that an account holds; None if nothing is to withdraw.

    `rows` are all publications of an athlete. A plan is withdrawn once, even if its withdrawal was
    not sent or was rolled back.
    """
    held = [row for row in rows if row.kind == "plan" and row.state in _HELD]
    newest = max(held, key=lambda row: (row.staged_at, row.number), default=None)
    if newest is None or newest.rolled_back_by is not None:
        return None
    is_followed = any(
        row.kind != "plan" and row.routine_id == newest.routine_id and row.number > newest.number
        for row in rows
    )
    return None if is_followed else newest


def withdrawal_of(
    row: PublicationRow, rows: Sequence[PublicationRow], mode: str, now: datetime, run_id: str
) -> PublicationRow:
    """Build the publication that withdraws `row`, not stored yet; `rows` are all of its routine."""
    return next_without_plan(row, rows, "withdrawal", mode, now, run_id)


def marked(routine: RoutineWrite, written: Collection[str], language: str) -> RoutineWrite:
    """Return the routine with the mark at each exercise; `written` are our earlier texts."""
    note = render(language, "withdrawn-note")
    exercises = [
        each.model_copy(update={"notes": with_own(each.notes, note, written)})
        for each in routine.exercises
    ]
    return routine.model_copy(update={"exercises": exercises})
