"""The coach's journal: decisions and plans with their inputs.

Rows of decisions, plans and plan sets are written once; the sets of a plan never change.
`coach.current_plans` points to the active plan of each athlete. All times are UTC.
"""

from collections.abc import Sequence
from datetime import datetime

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.journal.plan_record import (
    DecisionRows,
    decision_rows,
    stored_rows,
    with_seal,
)
from coach_agent.planning.decision import Decision
from coach_agent.store.upsert import BATCH, batch, insert_all, upsert_all


def record_decision(
    con: duckdb.DuckDBPyConnection, decision: Decision, *, now: datetime, run_id: str
) -> bool:
    """Write a decision with its plan, and make it the athlete's current one.

    A decision is identified by its input and the rules, so writing it again is idempotent. If a
    plan returns after another one was sent, its changes are recomputed for the routine's present
    content, which is no part of the input. Returns whether the decision is new. The caller owns the
    transaction.
    """
    return decision.plan_id in record_decisions(con, [decision], now=now, run_id=run_id)


def record_decisions(
    con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision], *, now: datetime, run_id: str
) -> frozenset[str]:
    """Write a batch of decisions, at most one per athlete, like `record_decision`.

    Returns the ids of the new plans.
    """
    moment = naive_utc(now)
    return record_rows(con, [decision_rows(each, moment, run_id) for each in decisions])


def record_rows(
    con: duckdb.DuckDBPyConnection, decisions: Sequence[DecisionRows]
) -> frozenset[str]:
    """Write the rows of a batch of decisions, like `record_decisions`."""
    known = _known_plans(con, [each.plan_id for each in decisions])
    new = [each for each in decisions if each.plan_id not in known]
    insert_all(con, "coach.decisions", [each.decided for each in new])
    insert_all(con, "coach.plans", [each.plan for each in new])
    insert_all(con, "coach.plan_sets", [row for each in new for row in each.sets])
    records = [each.record for each in new]
    records += [
        with_seal(each.record, *stored_rows(con, each.decided["decision_id"], each.plan_id))
        for each in _update_plans(con, [each for each in decisions if each.plan_id in known])
        if each.record is not None
    ]
    upsert_all(con, "coach.plan_records", ["plan_id"], [row for row in records if row is not None])
    current = [
        {
            "athlete_id": each.plan["athlete_id"],
            "plan_id": each.plan_id,
            "decided_at": each.decided["decided_at"],
            "run_id": each.decided["run_id"],
        }
        for each in decisions
    ]
    upsert_all(con, "coach.current_plans", ["athlete_id"], current)
    return frozenset(each.plan_id for each in new)


def _known_plans(con: duckdb.DuckDBPyConnection, plan_ids: Sequence[str]) -> frozenset[str]:
    rows: list[tuple[str]] = con.execute(
        "select plan_id from coach.plans where plan_id in (select unnest($1))", [list(plan_ids)]
    ).fetchall()
    return frozenset(plan_id for (plan_id,) in rows)


def _update_plans(
    con: duckdb.DuckDBPyConnection, decisions: Sequence[DecisionRows]
) -> list[DecisionRows]:
    """Update stored plans to their new content, except the plan that was sent last.

    Returns the decisions of the changed plans.
    """
    if not decisions:
        return []
    rows = [{name: each.plan[name] for name in ("plan_id", "plan")} for each in decisions]
    with batch(con, rows):
        outdated: list[tuple[str]] = con.execute(f"""
            select plans.plan_id
            from coach.plans as plans
            inner join {BATCH} as new on plans.plan_id = new.plan_id
            where
                plans.plan is distinct from new.plan
                and plans.plan_id is distinct from (
                    select max_by(publications.plan_id, publications.publication_number)
                    from coach.publications as publications
                    where
                        publications.athlete_id = plans.athlete_id
                        and publications.routine_id = plans.routine_id
                )
        """).fetchall()  # noqa: S608 - no values
        changed = {plan_id for (plan_id,) in outdated}
        if changed:
            con.execute(
                f"""
                update coach.plans as plans set plan = new.plan
                from {BATCH} as new
                where plans.plan_id = new.plan_id and plans.plan_id in (select unnest($1))
                """,  # noqa: S608 - no values
                [list(changed)],
            )
    return [each for each in decisions if each.plan_id in changed]
