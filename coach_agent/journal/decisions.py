"""The coach's journal: decisions and plans with their inputs.

Rows of decisions, plans and plan sets are written once; the sets of a plan never change.
`coach.current_plans` points to the active plan of each athlete. All times are UTC.
"""

from collections.abc import Sequence
from datetime import datetime

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.journal.plan_record import (
    decision_row,
    plan_row,
    record_row,
    set_rows,
    stored_rows,
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
    known = _known_plans(con, [decision.plan_id for decision in decisions])
    new = [decision for decision in decisions if decision.plan_id not in known]
    run_columns = {"decided_at": moment, "run_id": run_id}
    rows = [
        (
            {**decision_row(one), **run_columns},
            {**plan_row(one), "created_at": moment},
            set_rows(one.plan_id, one.plan),
        )
        for one in new
    ]
    insert_all(con, "coach.decisions", [decided for decided, _, _ in rows])
    insert_all(con, "coach.plans", [plan for _, plan, _ in rows])
    insert_all(con, "coach.plan_sets", [row for _, _, sets in rows for row in sets])
    changed = _update_plans(con, [one for one in decisions if one.plan_id in known])
    rows += [stored_rows(con, one.decision_id, one.plan_id) for one in changed]
    records = [
        record_row(one, moment, *stored) for one, stored in zip((*new, *changed), rows, strict=True)
    ]
    upsert_all(con, "coach.plan_records", ["plan_id"], [row for row in records if row is not None])
    current = [
        {
            "athlete_id": decision.plan.athlete_id,
            "plan_id": decision.plan_id,
            "decided_at": moment,
            "run_id": run_id,
        }
        for decision in decisions
    ]
    upsert_all(con, "coach.current_plans", ["athlete_id"], current)
    return frozenset(decision.plan_id for decision in new)


def _known_plans(con: duckdb.DuckDBPyConnection, plan_ids: Sequence[str]) -> frozenset[str]:
    rows: list[tuple[str]] = con.execute(
        "select plan_id from coach.plans where plan_id in (select unnest($1))", [list(plan_ids)]
    ).fetchall()
    return frozenset(plan_id for (plan_id,) in rows)


def _update_plans(con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision]) -> list[Decision]:
    """Update stored plans to their new content, except the plan that was sent last.

    Returns the decisions of the changed plans.
    """
    if not decisions:
        return []
    rows = [
        {"plan_id": decision.plan_id, "plan": decision.plan.to_json().decode()}
        for decision in decisions
    ]
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
    return [decision for decision in decisions if decision.plan_id in changed]
