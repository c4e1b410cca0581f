"""Bases of plans: the routine that each was built for, so that it is published onto no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Plan
from coach_agent.domain.values import naive_utc
from coach_agent.store.upsert import upsert_all

BasisRow = Mapping[str, str | datetime | None]


@dataclass(frozen=True)
class PlanBasis:
    """The routine's content at the time of the decision, and its latest workout known then."""

    plan_id: str
    routine_sha256: str
    last_trained_at: datetime | None
    decided_at: datetime


def record_basis(
    con: duckdb.DuckDBPyConnection,
    plan_id: str,
    plan: Plan,
    routines: Sequence[RoutineContext],
    *,
    now: datetime,
) -> None:
    """Upsert the basis of a plan; `routines` are those at the time of its decision."""
    record_bases(con, [basis_row(plan_id, plan, routines, now)])


def record_bases(con: duckdb.DuckDBPyConnection, rows: Sequence[BasisRow]) -> None:
    """Upsert the rows of a batch of plans."""
    upsert_all(con, "coach.plan_bases", ["athlete_id"], rows)


def basis_row(
    plan_id: str, plan: Plan, routines: Sequence[RoutineContext], now: datetime
) -> BasisRow:
    """Build the row of a plan's basis; `routines` are those at the time of its decision."""
    routine = next(each for each in routines if each.routine_id == plan.routine_id)
    return {
        "athlete_id": plan.athlete_id,
        "plan_id": plan_id,
        "routine_id": plan.routine_id,
        "routine_sha256": routine.sha256,
        "last_trained_at": routine.last_trained_at and naive_utc(routine.last_trained_at),
        "decided_at": naive_utc(now),
    }


def read_basis(con: duckdb.DuckDBPyConnection, athlete_id: str, plan_id: str) -> PlanBasis | None:
    """Return the basis of this plan of the athlete; None if it was not stored."""
    rows = con.execute(
        """
        select plan_id, routine_sha256, last_trained_at, decided_at
        from coach.plan_bases where athlete_id = $1 and plan_id = $2
        """,
        [athlete_id, plan_id],
    ).fetchall()
    return next(
        (PlanBasis(one, sha, at and _aware(at), _aware(since)) for one, sha, at, since in rows),
        None,
    )


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
