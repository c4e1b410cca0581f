"""An athlete's publications as values: the latest ones, the next one, and the texts they wrote."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from coach_agent.domain.own_notes import own_texts
from coach_agent.domain.plan import Plan
from coach_agent.publishing.states import PublicationRow
from hevy_connector.schemas import RoutineWrite


def latest_of_routine(rows: Sequence[PublicationRow], routine_id: str) -> PublicationRow | None:
    """Return the newest publication of a routine, of an athlete's publications."""
    own = (row for row in rows if row.routine_id == routine_id)
    return max(own, key=lambda row: row.number, default=None)


def latest_of_plan(rows: Sequence[PublicationRow], plan_id: str) -> PublicationRow | None:
    """Return the newest publication of a plan, rollbacks excluded; `rows` are newest first."""
    return next((row for row in rows if row.plan_id == plan_id and row.kind == "plan"), None)


def written_texts(rows: Sequence[PublicationRow], routine_id: str) -> frozenset[str]:
    """Return the coach's texts that were ever sent into the notes of a routine."""
    return frozenset(
        text
        for row in rows
        if row.routine_id == routine_id and row.was_sent and row.request is not None
        for each in row.request.exercises
        for text in own_texts(each.notes)
    )


def new_publication(
    rows: Sequence[PublicationRow],
    plan_id: str,
    plan: Plan,
    mode: str,
    *,
    at: datetime,
    run_id: str,
) -> PublicationRow:
    """Build the next publication of the plan's routine, not stored yet.

    `rows` are the publications of the athlete.
    """
    latest = latest_of_routine(rows, plan.routine_id)
    number = 1 if latest is None else latest.number + 1
    return PublicationRow(
        publication_id=f"pub_{plan_id.removeprefix('plan_')}_{number}",
        number=number,
        plan_id=plan_id,
        athlete_id=plan.athlete_id,
        routine_id=plan.routine_id,
        kind="plan",
        mode=mode,
        state="previewed",
        base=None,
        request=None,
        changes=(),
        detail="",
        staged_at=at,
        effective_at=None,
        finished_at=None,
        run_id=run_id,
    )


def stored_routine(body: Mapping[str, Any]) -> RoutineWrite:
    """Parse a stored routine body.

    Raises:
        pydantic.ValidationError: its schema is unknown to this code.
    """
    return RoutineWrite.model_validate(body["routine"])
