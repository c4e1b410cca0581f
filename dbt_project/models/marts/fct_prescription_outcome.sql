{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_prescription_outcome', ref('int_athlete_inputs')) }}
),

plans as (
    select facts.* from {{ ref('stg_coach__plans') }} as facts
    inner join athletes using (athlete_id)
),

plan_sets as (
    select
        facts.*,
        dense_rank() over (
            partition by facts.plan_id, facts.exercise_template_id
            order by facts.exercise_index
        ) as occurrence,
        count(*) over (partition by facts.plan_id, facts.exercise_index) as set_count,
        {
            'set_type': facts.set_type,
            'weight_kg': round(facts.weight_kg, 1),
            'reps': coalesce(facts.rep_range_start, facts.reps),
            'duration_s': facts.duration_s
        } as asked_for,
        row_number() over (
            partition by facts.plan_id, facts.exercise_index, asked_for
            order by facts.set_index
        ) as turn
    from {{ ref('stg_coach__plan_sets') }} as facts
    inner join athletes using (athlete_id)
),

publications as (
    select facts.* from {{ ref('stg_coach__publications') }} as facts
    inner join athletes using (athlete_id)
    where facts.state in ('published', 'unchanged')
),

versions as (
    select facts.* from {{ ref('dim_routine_version') }} as facts
    inner join athletes using (athlete_id)
    where not facts.is_deleted
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

compliance as (
    select facts.* from {{ ref('fct_plan_compliance') }} as facts
    inner join athletes using (athlete_id)
    where facts.is_plan_known
),

published as (
    select
        plan_id,
        min(effective_at) as published_at
    from publications
    group by plan_id
),

-- A publication became a version; if the routine had the same content, it is the version of that
-- time.
begun as (
    select
        published_plan_id as plan_id,
        routine_version_key,
        is_current,
        valid_from as in_force_from
    from versions
    where published_plan_id is not null
    union all
    select
        publications.plan_id,
        versions.routine_version_key,
        versions.is_current,
        publications.effective_at as in_force_from
    from publications
    inner join versions
        on
            publications.athlete_id = versions.athlete_id
            and publications.routine_id = versions.routine_id
            and {{ is_in_force('versions', 'publications.effective_at') }}
    where publications.state = 'unchanged'
),

-- One version may belong to several plans, one after another.
terms as (
    select
        *,
        {{ end_of_interval('in_force_from', 'routine_version_key') }} as in_force_until
    from begun
),

-- A plan that returns after another one is in force again.
in_force as (
    select
        plan_id,
        bool_or(is_current and in_force_until = {{ end_of_time() }}) as is_current
    from terms
    group by plan_id
),

trained as (
    select
        terms.plan_id,
        compliance.*
    from compliance
    inner join terms
        on
            compliance.routine_version_key = terms.routine_version_key
            and compliance.started_at >= terms.in_force_from
            and compliance.started_at < terms.in_force_until
),

-- The plan is for the next workout, not for later ones.
first_trained as (
    select * from trained
    qualify
        dense_rank() over (
            partition by plan_id
            order by started_at, workout_id
        ) = 1
),

-- The sets of the written routine, performed or not.
written as (
    select
        *,
        count(*) over (partition by plan_id, exercise_key, occurrence) as set_count,
        {
            'set_type': planned_set_type,
            'weight_kg': round(planned_weight_kg, 1),
            'reps': planned_reps_low,
            'duration_s': planned_duration_s
        } as asked_for,
        row_number() over (
            partition by plan_id, exercise_key, occurrence, asked_for
            order by planned_set_index
        ) as turn
    from first_trained
    where planned_set_index is not null
),

first_workouts as (
    select distinct
        plan_id,
        workout_id,
        routine_version_key,
        started_at,
        workout_date,
        week_start_date
    from first_trained
),

paired as (
    select
        concat_ws('/', plan_sets.plan_id, plan_sets.exercise_index, plan_sets.set_index)
            as prescription_outcome_key,
        plan_sets.athlete_id,
        plans.routine_id,
        plans.decision_id,
        plan_sets.plan_id,
        plan_sets.exercise_index,
        plan_sets.set_index,
        plan_sets.exercise_template_id as exercise_key,
        plan_sets.exercise_title,
        plan_sets.set_type,
        {{ set_class('plan_sets.set_type') }} as set_class,
        plans.decided_by,
        plans.rule_version,
        plan_sets.rule,
        plan_sets.reason,
        plan_sets.weight_kg as prescribed_weight_kg,
        coalesce(plan_sets.reps, plan_sets.rep_range_start) as prescribed_reps,
        plan_sets.rep_range_start as prescribed_reps_low,
        plan_sets.rep_range_end as prescribed_reps_high,
        plan_sets.duration_s as prescribed_duration_s,
        plan_sets.predicted_reps,
        plan_sets.predicted_reps_low,
        plan_sets.predicted_reps_high,
        plan_sets.success_probability,
        first_workouts.routine_version_key,
        first_workouts.workout_id,
        first_workouts.started_at,
        first_workouts.workout_date,
        first_workouts.week_start_date,
        written.weight_kg as actual_weight_kg,
        written.reps as actual_reps,
        written.duration_s as actual_duration_s,
        written.rpe as actual_rpe,
        written.diff_weight_kg,
        written.execution_status,
        written.is_typo_suspect,
        {{ moves_the_body('exercises.exercise_type') }} as moves_the_body,
        coalesce(in_force.is_current, false) as is_in_force,
        plans.created_at as decided_at,
        published.published_at
    from plan_sets
    inner join published on plan_sets.plan_id = published.plan_id
    inner join plans on plan_sets.plan_id = plans.plan_id
    left join in_force on plan_sets.plan_id = in_force.plan_id
    left join first_workouts on plan_sets.plan_id = first_workouts.plan_id
    left join written
        on
            -- By exercise and not by place: the athlete may have moved it before it was published.
            plan_sets.plan_id = written.plan_id
            and plan_sets.exercise_template_id = written.exercise_key
            and plan_sets.occurrence = written.occurrence
            -- By place too, unless the athlete added or removed sets: then by their targets.
            and if(
                plan_sets.set_count = written.set_count,
                plan_sets.set_index = written.planned_set_index,
                plan_sets.asked_for = written.asked_for and plan_sets.turn = written.turn
            )
    left join exercises
        on
            plan_sets.athlete_id = exercises.athlete_id
            and plan_sets.exercise_template_id = exercises.exercise_key
),

-- Both maxima take the repetitions for all that there were: a prescription names no RPE.
estimated as (
    select
        *,
        case
            when {{ tells_an_implied_maximum('prescribed_weight_kg', 'prescribed_reps') }}
                then {{ epley_max('prescribed_weight_kg', 'prescribed_reps') }}
        end as prescribed_e1rm_kg,
        case
            when {{ tells_an_implied_maximum('prescribed_weight_kg', 'predicted_reps_low') }}
                then {{ epley_max('prescribed_weight_kg', 'predicted_reps_low') }}
        end as predicted_e1rm_low_kg,
        case
            when {{ tells_an_implied_maximum('prescribed_weight_kg', 'predicted_reps_high') }}
                then {{ epley_max('prescribed_weight_kg', 'predicted_reps_high') }}
        end as predicted_e1rm_high_kg,
        case
            when
                not coalesce(is_typo_suspect, false)
                and {{ tells_an_implied_maximum('actual_weight_kg', 'actual_reps') }}
                then {{ epley_max('actual_weight_kg', 'actual_reps') }}
        end as actual_e1rm_kg
    from paired
),

described as (
    select
        prescription_outcome_key,
        athlete_id,
        routine_id,
        decision_id,
        plan_id,
        exercise_index,
        set_index,
        exercise_key,
        exercise_title,
        set_type,
        set_class,
        decided_by,
        rule_version,
        rule,
        reason,
        prescribed_weight_kg,
        prescribed_reps,
        prescribed_reps_low,
        prescribed_reps_high,
        prescribed_duration_s,
        prescribed_e1rm_kg,
        success_probability as predicted_success_probability,
        predicted_reps,
        predicted_reps_low,
        predicted_reps_high,
        predicted_e1rm_low_kg,
        predicted_e1rm_high_kg,
        case
            when workout_id is null and is_in_force then 'pending'
            when workout_id is null then 'superseded'
            when is_typo_suspect then null
            when execution_status = 'Skipped' then 'not_done'
            when
                {{ is_as_planned('execution_status', 'prescribed_weight_kg', 'actual_weight_kg') }}
                then if(starts_with(execution_status, 'Overperformed'), 'exceeded', 'hit')
            when not starts_with(execution_status, 'Overperformed') then 'missed'
        end as outcome,
        routine_version_key,
        workout_id,
        actual_weight_kg,
        actual_reps,
        actual_duration_s,
        actual_rpe,
        actual_e1rm_kg,
        execution_status,
        is_typo_suspect,
        case
            when
                not is_typo_suspect
                and coalesce(
                    abs(diff_weight_kg) <= {{ var('align.load_tolerance') }},
                    prescribed_weight_kg is null
                )
                then actual_reps - prescribed_reps
        end as reps_error,
        100 * (actual_e1rm_kg / prescribed_e1rm_kg - 1) as e1rm_error_pct,
        decided_at,
        published_at,
        started_at,
        workout_date,
        week_start_date
    from estimated
)

select * from described
