"""All DDL of the schema `coach`. All times are UTC.

To change a table: change it here, and append a migration in `orchestration/storage/migrations.py`
that calls `create_coach_tables`, or does more where rows must be rewritten. Columns added after the
first version are in `_ADDED_COLUMNS`, so that a new table and an upgraded one are equal.
"""

import duckdb

SEALED = "stored answers and publications have a hash"
PAYLOADS_SEALED = "plans are rebuilt from their situation, payloads have a hash"
"""Migrations in `meta.migrations` that added hashes to rows."""

# Columns that tables of former versions may lack, separated by commas.
_ADDED_COLUMNS = {
    "decisions": (
        "output json, profile_sha256 varchar, profile json, prompt_version varchar, "
        "model varchar, seed bigint"
    ),
    "plans": "deload varchar",
    "plan_sets": (
        "is_easy boolean, predicted_reps double, predicted_reps_low double, "
        "predicted_reps_high double, success_probability double"
    ),
    "publications": (
        "kind varchar default 'plan', base json, written_routine_id varchar, "
        "target varchar default 'update', rolls_back varchar, rolled_back_by varchar, "
        "made_from json, payload_sha256 varchar, sha256 varchar"
    ),
    "corrections": "distance_m double, duration_s integer, custom_metric double",
    "llm_answers": "sha256 varchar",
}

_TABLES = (
    f"""
    create table if not exists coach.decisions (
        decision_id varchar primary key,
        athlete_id varchar not null,
        routine_id varchar not null,
        decided_at timestamp not null,
        run_id varchar not null,
        rule_version varchar not null,
        input_sha256 varchar not null,
        input json not null,
        output_sha256 varchar not null,
        {_ADDED_COLUMNS["decisions"]}
    )
    """,
    f"""
    create table if not exists coach.plans (
        plan_id varchar primary key,
        decision_id varchar not null,
        athlete_id varchar not null,
        routine_id varchar not null,
        routine_title varchar not null,
        created_at timestamp not null,
        decided_by varchar not null,
        summary varchar not null,
        plan json not null,
        {_ADDED_COLUMNS["plans"]}
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
    f"""
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
        {_ADDED_COLUMNS["plan_sets"]},
        primary key (plan_id, exercise_index, set_index)
    )
    """,
    """
    create table if not exists coach.plan_records (
        plan_id varchar primary key,
        decision_id varchar not null,
        athlete_id varchar not null,
        recorded_at timestamp not null,
        situation json not null,
        engine_decision_id varchar,
        wishes json,
        sha256 varchar not null
    )
    """,
    """
    create table if not exists coach.plan_bases (
        athlete_id varchar primary key,
        plan_id varchar not null,
        routine_id varchar not null,
        routine_sha256 varchar not null,
        last_trained_at timestamp,
        decided_at timestamp not null
    )
    """,
    f"""
    create table if not exists coach.publications (
        publication_id varchar primary key,
        publication_number integer not null,
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
        run_id varchar not null,
        {_ADDED_COLUMNS["publications"]}
    )
    """,
    """
    create table if not exists coach.publication_events (
        publication_id varchar not null,
        event_number integer not null,
        happened_at timestamp not null,
        from_state varchar,
        to_state varchar not null,
        reason varchar not null,
        run_id varchar not null,
        primary key (publication_id, event_number)
    )
    """,
    f"""
    create table if not exists coach.corrections (
        correction_id varchar primary key,
        athlete_id varchar not null,
        workout_id varchar not null,
        exercise_index integer,
        set_index integer,
        action varchar not null,
        weight_kg double,
        reps integer,
        reason varchar not null,
        corrected_at timestamp not null,
        {_ADDED_COLUMNS["corrections"]}
    )
    """,
    """
    create table if not exists coach.check_ins (
        check_in_id varchar primary key,
        athlete_id varchar not null,
        checked_in_at timestamp not null,
        energy integer,
        soreness integer,
        minutes integer,
        pain json not null,
        deload json not null
    )
    """,
    """
    create table if not exists coach.check_in_notes (
        note_id varchar primary key,
        athlete_id varchar not null,
        noted_at timestamp not null,
        note varchar,
        red_flags json not null,
        is_clearance boolean not null
    )
    """,
    """
    create table if not exists coach.session_rpes (
        session_rpe_id varchar primary key,
        athlete_id varchar not null,
        recorded_at timestamp not null,
        session_rpe double not null
    )
    """,
    """
    create table if not exists coach.briefings (
        athlete_id varchar not null,
        briefing_date date not null,
        content_sha256 varchar not null,
        plan_id varchar,
        content json not null,
        markdown varchar not null,
        written_at timestamp not null,
        run_id varchar not null,
        primary key (athlete_id, briefing_date, content_sha256)
    )
    """,
    """
    create table if not exists coach.notifications (
        athlete_id varchar not null,
        briefing_date date not null,
        content_sha256 varchar not null,
        destination varchar not null,
        state varchar not null,
        detail varchar,
        tried_at timestamp not null,
        run_id varchar not null
    )
    """,
    """
    create table if not exists coach.remarks (
        athlete_id varchar not null,
        kind varchar not null,
        subject varchar not null,
        said_at timestamp not null,
        run_id varchar not null,
        decided_by varchar not null,
        prompt_version varchar,
        prompt_sha256 varchar,
        was_answered boolean not null,
        by_rules json not null,
        said json not null,
        primary key (athlete_id, kind, subject)
    )
    """,
    """
    create table if not exists coach.llm_calls (
        llm_call_id varchar primary key,
        question_id varchar not null,
        request_index integer not null,
        athlete_id varchar not null,
        decision_id varchar,
        run_id varchar not null,
        asked_at timestamp not null,
        call_name varchar not null,
        provider varchar not null,
        model varchar not null,
        tier varchar not null,
        attempt integer not null,
        outcome varchar not null,
        error varchar,
        feedback json not null,
        prompt_sha256 varchar not null,
        prompt_version varchar not null,
        input_tokens integer,
        cached_tokens integer,
        cache_write_tokens integer,
        output_tokens integer,
        reasoning_tokens integer,
        cost_usd decimal(18, 9),
        duration_s double not null
    )
    """,
    """
    create table if not exists coach.llm_exchanges (
        llm_call_id varchar primary key,
        athlete_id varchar not null,
        asked_at timestamp not null,
        prompt varchar not null,
        answer varchar
    )
    """,
    f"""
    create table if not exists coach.llm_answers (
        decision_id varchar primary key,
        engine_decision_id varchar not null,
        athlete_id varchar not null,
        answered_at timestamp not null,
        decided_by varchar not null,
        prompt_version varchar not null,
        prompt_sha256 varchar not null,
        is_shadow boolean not null,
        answer json not null,
        {_ADDED_COLUMNS["llm_answers"]}
    )
    """,
    """
    create table if not exists coach.llm_rejected_texts (
        rejected_text_id varchar primary key,
        athlete_id varchar not null,
        run_id varchar not null,
        decision_id varchar,
        rejected_at timestamp not null,
        call_name varchar not null,
        decided_by varchar not null,
        text_policy varchar not null,
        field varchar not null,
        reason varchar not null,
        sentence varchar not null
    )
    """,
    """
    create table if not exists coach.programmes (
        programme_id varchar primary key,
        athlete_id varchar not null,
        name varchar not null,
        title varchar not null,
        content json not null,
        folder_title varchar not null,
        stored_at timestamp not null,
        valid_from timestamp,
        valid_to timestamp,
        run_id varchar not null
    )
    """,
    """
    create table if not exists coach.programme_routines (
        programme_id varchar not null,
        place integer not null,
        day varchar not null,
        request json not null,
        state varchar not null,
        routine_id varchar,
        published_at timestamp,
        primary key (programme_id, place)
    )
    """,
    """
    create table if not exists coach.followed_programmes (
        athlete_id varchar not null,
        version integer not null,
        programme_id varchar,
        name varchar,
        start_date date,
        calendar json,
        recorded_at timestamp not null,
        run_id varchar not null,
        primary key (athlete_id, version)
    )
    """,
    """
    create table if not exists coach.memories (
        athlete_id varchar not null,
        memory_number integer not null,
        version integer not null,
        memory_sha256 varchar not null,
        kind varchar not null,
        subject varchar not null,
        statement json not null,
        sources json not null,
        confidence double not null,
        first_seen_date date not null,
        last_seen_date date not null,
        expires_date date not null,
        status varchar not null,
        decided_date date,
        valid_from timestamp not null,
        valid_to timestamp,
        run_id varchar not null,
        primary key (athlete_id, memory_number, version)
    )
    """,
    """
    create table if not exists coach.forgotten_memories (
        athlete_id varchar not null,
        memory_sha256 varchar not null,
        memory_number integer not null,
        forgotten_at timestamp not null,
        primary key (athlete_id, memory_sha256)
    )
    """,
    """
    create table if not exists coach.note_mentions (
        athlete_id varchar not null,
        mart varchar not null,
        note_key varchar not null,
        note_date date not null,
        text_sha256 varchar not null,
        kind varchar,
        subject varchar,
        title varchar,
        read_by varchar not null,
        read_at timestamp not null,
        primary key (athlete_id, mart, note_key)
    )
    """,
    """
    create table if not exists coach.proposals (
        athlete_id varchar not null,
        proposal_number integer not null,
        proposed_at timestamp not null,
        expires_at timestamp not null,
        proposed_by varchar not null,
        plan_id varchar,
        action json not null,
        state varchar not null,
        decided_at timestamp,
        detail varchar,
        primary key (athlete_id, proposal_number)
    )
    """,
)


def create_coach_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the schema `coach`, and its tables and columns that are missing."""
    con.execute("create schema if not exists coach")
    for statement in _TABLES:
        con.execute(statement)
    for table, columns in _ADDED_COLUMNS.items():
        known = {name for name, *_ in con.execute(f"from coach.{table} limit 0").description or ()}
        for column in columns.split(", "):
            if column.split()[0] not in known:
                con.execute(f"alter table coach.{table} add column {column}")
