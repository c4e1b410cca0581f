"""The coach's own record: what was decided, planned and published, and from which input.

Rows of decisions, plans and plan sets are written once; what a plan says never changes. A
publication has one row whose `state` moves forward; see `publishing/states.py` for the meaning of
each state. `coach.current_plans` points to the plan that stands for each athlete. All times are
UTC.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.domain.values import Value, by_athlete, naive_utc
from coach_agent.llm.answers import SEAL_COLUMN as LLM_ANSWERS_SEAL
from coach_agent.llm.answers import TABLE as LLM_ANSWERS_TABLE
from coach_agent.llm.exchanges import TABLE as LLM_EXCHANGES_TABLE
from coach_agent.llm.ledger import TABLE as LLM_CALLS_TABLE
from coach_agent.llm.rejected_texts import TABLE as LLM_REJECTED_TEXTS_TABLE
from coach_agent.planning.decision import Decision
from coach_agent.planning.plan_record import TABLE as PLAN_RECORDS
from coach_agent.planning.plan_record import (
    decision_row,
    plan_row,
    record_row,
    set_rows,
    stored_rows,
)
from coach_agent.publishing.plan_basis import TABLE as PLAN_BASES
from coach_agent.publishing.publications import TABLES as PUBLICATION_TABLES
from coach_agent.publishing.routine_changes import Change
from coach_agent.store import briefings, corrections
from coach_agent.store.check_ins import NOTES_TABLE as CHECK_IN_NOTES_TABLE
from coach_agent.store.check_ins import TABLE as CHECK_INS_TABLE
from coach_agent.store.comments import TABLE as REMARKS_TABLE
from coach_agent.store.comments import SaidBy, read_latest_remarks, with_remarks
from coach_agent.store.rejections import PastRejection, read_past_rejections
from coach_agent.store.upsert import BATCH, batch, insert_all, upsert_all
from hevy_connector.schemas import UtcTime

_TABLES = (
    """
    create table if not exists coach.decisions (
        decision_id varchar primary key,
        athlete_id varchar not null,
        routine_id varchar not null,
        decided_at timestamp not null,
        run_id varchar not null,
        rule_version varchar not null,
        input_sha256 varchar not null,
        input json not null,
        output_sha256 varchar not null
    )
    """,
    "alter table coach.decisions add column if not exists output json",
    "alter table coach.decisions add column if not exists profile_sha256 varchar",
    "alter table coach.decisions add column if not exists profile json",
    "alter table coach.decisions add column if not exists prompt_version varchar",
    "alter table coach.decisions add column if not exists model varchar",
    "alter table coach.decisions add column if not exists seed bigint",
    """
    create table if not exists coach.plans (
        plan_id varchar primary key,
        decision_id varchar not null,
        athlete_id varchar not null,
        routine_id varchar not null,
        routine_title varchar not null,
        created_at timestamp not null,
        decided_by varchar not null,
        summary varchar not null,
        plan json not null
    )
    """,
    """
    create table if not exists coach.current_plans (
        athlete_id varchar primary key,
        plan_id varchar not null,
        decided_at timestamp not null,
        run_id varchar not null
    )
    """,
    """
    create table if not exists coach.plan_sets (
        plan_id varchar not null,
        athlete_id varchar not null,
        exercise_index integer not null,
        set_index integer not null,
        exercise_template_id varchar not null,
        exercise_title varchar not null,
        set_type varchar not null,
        weight_kg double,
        reps integer,
        rep_range_start integer,
        rep_range_end integer,
        duration_s integer,
        distance_m integer,
        custom_metric double,
        rule varchar not null,
        reason varchar not null,
        primary key (plan_id, exercise_index, set_index)
    )
    """,
    "alter table coach.plan_sets add column if not exists is_easy boolean",
    "alter table coach.plan_sets add column if not exists predicted_reps double",
    "alter table coach.plan_sets add column if not exists predicted_reps_low double",
    "alter table coach.plan_sets add column if not exists predicted_reps_high double",
    "alter table coach.plan_sets add column if not exists success_probability double",
    "alter table coach.plans add column if not exists deload varchar",
    *PUBLICATION_TABLES,
    PLAN_BASES,
    corrections.TABLE,
    *corrections.LATER_COLUMNS,
    CHECK_INS_TABLE,
    CHECK_IN_NOTES_TABLE,
    *briefings.TABLES,
    LLM_CALLS_TABLE,
    LLM_ANSWERS_TABLE,
    LLM_ANSWERS_SEAL,
    LLM_REJECTED_TEXTS_TABLE,
    REMARKS_TABLE,
    PLAN_RECORDS,
    LLM_EXCHANGES_TABLE,
)


def create_coach_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the `coach` schema and its tables where they are missing."""
    con.execute("create schema if not exists coach")
    for statement in _TABLES:
        con.execute(statement)


class PlanReport(Value):
    """The plan that stands, for programs; `publication_state` is null before its publication.

    `rejections` are plans of the routine that the athlete did not want lately, newest first;
    `remarks` are the models that tell of the last workout and of stalls in place of the rules.
    `last_workout_at` is when the latest workout of any kind began; null where that is unknown.
    """

    plan_id: str
    decided_at: datetime
    publication_state: str | None
    plan: Plan
    changes: tuple[Change, ...]
    rejections: tuple[PastRejection, ...] = ()
    remarks: tuple[SaidBy, ...] = ()
    last_workout_at: UtcTime | None = None


@dataclass(frozen=True)
class JournaledPlan:
    """The plan that stands for an athlete, and how far its publication is.

    `decided_at` is when it was decided first, `state` that of its publication, None before it;
    `changes` is what it changes in the routine, `rejections` are plans of that routine which the
    athlete did not want lately, newest first. `plan` tells of the last workout and of stalls as
    the models in `remarks` do, else as the rules. `last_workout_at` is when the latest workout of
    any kind began, None where that is unknown.
    """

    plan_id: str
    plan: Plan
    decided_at: datetime
    state: str | None
    changes: tuple[Change, ...]
    rejections: tuple[PastRejection, ...] = ()
    remarks: tuple[SaidBy, ...] = ()
    last_workout_at: datetime | None = None

    def summary(self) -> dict[str, Any]:
        """The same as plain values, as `PlanReport` describes them."""
        report = PlanReport(
            plan_id=self.plan_id,
            decided_at=self.decided_at,
            publication_state=self.state,
            plan=self.plan,
            changes=self.changes,
            rejections=self.rejections,
            remarks=self.remarks,
            last_workout_at=self.last_workout_at,
        )
        return report.model_dump(mode="json")


def record_decision(
    con: duckdb.DuckDBPyConnection, decision: Decision, *, now: datetime, run_id: str
) -> bool:
    """Write a decision with its plan, and make it the athlete's current one.

    A decision is identified by its input and the rules, so the same one again adds nothing. Of a
    plan that returns after another was sent, what the routine holds meanwhile is brought up to
    date, which no input tells. Returns whether it is new. The caller owns the transaction.
    """
    return decision.plan_id in record_decisions(con, [decision], now=now, run_id=run_id)


def record_decisions(
    con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision], *, now: datetime, run_id: str
) -> frozenset[str]:
    """Write the decisions of several athletes, one of each, as `record_decision` does one.

    Returns the ids of the plans that are new.
    """
    moment = naive_utc(now)
    known = _known_plans(con, [decision.plan_id for decision in decisions])
    new = [decision for decision in decisions if decision.plan_id not in known]
    of_run = {"decided_at": moment, "run_id": run_id}
    rows = [
        (
            {**decision_row(one), **of_run},
            {**plan_row(one), "created_at": moment},
            set_rows(one.plan_id, one.plan),
        )
        for one in new
    ]
    insert_all(con, "coach.decisions", [decided for decided, _, _ in rows])
    insert_all(con, "coach.plans", [plan for _, plan, _ in rows])
    insert_all(con, "coach.plan_sets", [row for _, _, sets in rows for row in sets])
    changed = _bring_up_to_date(con, [one for one in decisions if one.plan_id in known])
    rows += [stored_rows(con, one.decision_id, one.plan_id) for one in changed]
    records = [
        record_row(one, moment, *of_one) for one, of_one in zip((*new, *changed), rows, strict=True)
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


def _bring_up_to_date(
    con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision]
) -> list[Decision]:
    """Let plans that are known say what they do now, unless they are what was sent last.

    Returns the decisions whose plans changed.
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


def clear_current_plan(con: duckdb.DuckDBPyConnection, athlete_id: str) -> None:
    """Let no plan stand for the athlete: an older one was made for other data."""
    clear_current_plans(con, [athlete_id])


def clear_current_plans(con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]) -> None:
    """Let no plan stand for these athletes."""
    if athlete_ids:
        con.execute(
            "delete from coach.current_plans where athlete_id in (select unnest($1))",
            [list(athlete_ids)],
        )


def read_current_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None = None
) -> dict[str, JournaledPlan]:
    """By athlete, the plan that stands; of these athletes or of everybody."""
    found = _read_plans(con, athlete_ids)
    return {journaled.plan.athlete_id: journaled for journaled in found}


def read_current_plan(con: duckdb.DuckDBPyConnection, athlete_id: str) -> JournaledPlan | None:
    """The plan that stands for an athlete; of many athletes, no other plan is read for it."""
    return read_current_plans(con, [athlete_id]).get(athlete_id)


def read_sent_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, dict[str, tuple[Plan, ...]]]:
    """By athlete and routine, the plans that the routine may hold, newest first.

    These are the one that it held when we wrote or compared it last, and those sent since then of
    which it is not known whether, or how, they arrived.
    """
    rows = con.execute(
        """
        with sent as (
            select
                publications.*,
                publications.state in ('published', 'unchanged') as is_certain
            from coach.publications as publications
            where
                publications.athlete_id in (select unnest($1))
                and publications.written_routine_id is null
                and (is_certain or publications.effective_at is not null)
        ),

        standing as (
            select * from sent
            qualify coalesce(sent.publication_number >= max(sent.publication_number) filter (
                where sent.is_certain
            ) over (partition by sent.athlete_id, sent.routine_id), true)
        )
        -- A rollback to what no plan of ours had made has no plan.
        select standing.athlete_id, standing.routine_id, plans.plan
        from standing
        inner join coach.plans as plans on standing.plan_id = plans.plan_id
        order by standing.athlete_id, standing.routine_id, standing.publication_number desc
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {
        athlete_id: {
            routine_id: tuple(Plan.model_validate_json(plan) for _, plan in of_routine)
            for routine_id, of_routine in groupby(own, itemgetter(0))
        }
        for athlete_id, own in by_athlete(rows).items()
    }


def _read_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None
) -> list[JournaledPlan]:
    rejections = read_past_rejections(con, athlete_ids)
    remarks = read_latest_remarks(con, athlete_ids)
    latest = _last_workouts(con, athlete_ids)
    rows: list[tuple[str, str, datetime, str | None, str | None]] = con.execute(
        """
        with publications as (
            select
                plan_id,
                if(rolled_back_by is null, state, 'rolled_back') as state,
                diff
            from coach.publications
            where $1::varchar[] is null or athlete_id in (select unnest($1::varchar[]))
            qualify row_number() over (
                partition by plan_id order by publication_number desc
            ) = 1
        )
        select plan_id, plans.plan, plans.created_at, publications.state, publications.diff
        from coach.current_plans as current_plans
        inner join coach.plans as plans using (plan_id)
        left join publications using (plan_id)
        where $1::varchar[] is null or plans.athlete_id in (select unnest($1::varchar[]))
        order by plans.athlete_id
        """,
        [None if athlete_ids is None else list(athlete_ids)],
    ).fetchall()
    found = []
    for plan_id, plan_json, created_at, state, diff in rows:
        plan = Plan.model_validate_json(plan_json)
        told, authors = with_remarks(plan, remarks.get(plan.athlete_id, ()))
        journaled = JournaledPlan(
            plan_id,
            told,
            created_at.replace(tzinfo=UTC),
            state,
            tuple(Change(**change) for change in json.loads(diff or "[]")),
            rejections.get(plan_id, ()),
            authors,
            latest.get(plan.athlete_id),
        )
        found.append(journaled)
    return found


def _last_workouts(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None
) -> dict[str, datetime]:
    """By athlete when the latest workout began; empty before the marts were built."""
    has_workouts = con.execute(
        "select 1 from duckdb_tables() where schema_name = 'marts' and table_name = 'fct_workout'"
    ).fetchall()
    if not has_workouts:
        return {}
    rows: list[tuple[str, datetime]] = con.execute(
        """
        select athlete_id, max(started_at)
        from marts.fct_workout
        where $1::varchar[] is null or athlete_id in (select unnest($1::varchar[]))
        group by athlete_id
        """,
        [None if athlete_ids is None else list(athlete_ids)],
    ).fetchall()
    return {athlete_id: at.replace(tzinfo=UTC) for athlete_id, at in rows}
