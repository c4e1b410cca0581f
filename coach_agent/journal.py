"""The coach's own record: what was decided, planned and published, and from which input.

Rows of decisions, plans and plan sets are written once and never changed. A publication has one
row whose `state` moves forward; see `publisher.py` for the meaning of each state.
"""

import duckdb

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
    """
    create table if not exists coach.plans (
        plan_id varchar primary key,
        decision_id varchar not null,
        athlete_id varchar not null,
        routine_id varchar not null,
        routine_title varchar not null,
        created_at timestamp not null,
        decided_by varchar not null,
        summary varchar not null
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
    """
    create table if not exists coach.publications (
        publication_id varchar primary key,
        plan_id varchar not null,
        athlete_id varchar not null,
        routine_id varchar not null,
        mode varchar not null,
        state varchar not null,
        base_sha256 varchar,
        published_sha256 varchar,
        request json,
        diff json,
        detail varchar,
        staged_at timestamp not null,
        effective_at timestamp,
        finished_at timestamp,
        run_id varchar not null
    )
    """,
)


def create_coach_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the `coach` schema and its tables where they are missing."""
    con.execute("create schema if not exists coach")
    for statement in _TABLES:
        con.execute(statement)
