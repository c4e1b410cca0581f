{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'workout', 'inputs': 'int_workouts_rated'},
) }}

with workouts as (
    {{ missing_from('fct_set', ref('int_workouts_rated')) }}
),

performed_sets as (
    select facts.* from {{ ref('int_sets_reviewed') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

exercises as (
    select facts.* from {{ ref('int_exercises_rated') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

compared as (
    select facts.* from {{ ref('fct_plan_compliance') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

exercise_versions as (
    select * from {{ ref('dim_exercise_version') }}
),

-- Without a known plan there is no target.
targeted as (
    select * from compared
    where is_plan_known and planned_set_index is not null
),

-- A doubted load is not compared with a maximum.
compared_with_maximum as (
    select
        performed_sets.*,
        exercises.own_max_kg,
        exercises.is_eased,
        case
            when
                performed_sets.set_class <> 'warmup'
                and not performed_sets.is_typo_suspect
                and performed_sets.volume_kg is not null
                and performed_sets.weight_kg > 0
                then {{ intensity_pct('performed_sets.weight_kg', 'exercises.own_max_kg') }}
        end as intensity_pct,
        case
            when not performed_sets.is_typo_suspect and performed_sets.e1rm_kg is not null
                then {{ reserve_of_maximum(
                    'performed_sets.weight_kg', 'performed_sets.reps', 'exercises.own_max_kg'
                ) }}
        end as reserve
    from performed_sets
    inner join exercises
        on
            performed_sets.athlete_id = exercises.athlete_id
            and performed_sets.workout_id = exercises.workout_id
            and performed_sets.exercise_key = exercises.exercise_key
),

eased as (
    select
        *,
        {{ easy_reason('set_class', 'set_type', 'rpe', 'is_eased', 'reserve') }} as easy_reason
    from compared_with_maximum
),

rated as (
    select
        *,
        {{ is_hard_set(
            'set_class', 'reps', 'weight_kg', 'exercise_type', 'rpe', 'easy_reason'
        ) }} as is_hard
    from eased
),

measured as (
    select
        {{ set_key('rated', 'exercise_index', 'set_index') }} as set_key,
        rated.athlete_id,
        rated.workout_id,
        rated.exercise_index,
        rated.set_index,
        rated.exercise_key,
        exercise_versions.exercise_version_key,
        rated.exercise_template_id,
        rated.exercise_title,
        rated.occurrence,
        rated.superset_id,
        rated.set_type,
        rated.set_class,
        rated.set_number,
        rated.class_set_count,
        rated.is_working,
        rated.is_hard,
        rated.is_hard and rated.rpe is null as is_assumed_hard,
        rated.easy_reason is not null as is_easy,
        rated.easy_reason,
        rated.is_typo_suspect,
        rated.is_confirmed,
        rated.weight_kg,
        rated.reps,
        rated.distance_m,
        rated.duration_s,
        rated.rpe,
        rated.custom_metric,
        targeted.plan_compliance_key as target_key,
        targeted.planned_weight_kg,
        targeted.planned_reps_low,
        targeted.planned_reps_high,
        targeted.planned_duration_s,
        targeted.planned_distance_m,
        targeted.planned_custom_metric,
        targeted.execution_status,
        rated.volume_kg,
        rated.effective_reps,
        rated.e1rm_method,
        rated.e1rm_kg,
        rated.e1rm_kg * (1 - {{ e1rm_band('rated.effective_reps') }}) as e1rm_low_kg,
        rated.e1rm_kg * (1 + {{ e1rm_band('rated.effective_reps') }}) as e1rm_high_kg,
        case when rated.e1rm_kg is not null then rated.rpe is null end as is_e1rm_lower_bound,
        case
            when rated.e1rm_kg is not null
                then rated.effective_reps > {{ var('e1rm.max_reps_eff') }}
        end as is_e1rm_low_confidence,
        rated.own_max_kg,
        rated.intensity_pct,
        {{ intensity_zone('rated.intensity_pct') }} as intensity_zone,
        {{ inol('rated.reps', 'rated.intensity_pct') }} as inol,
        rated.started_at,
        rated.workout_date,
        rated.week_start_date
    from rated
    left join targeted
        on
            rated.athlete_id = targeted.athlete_id
            and rated.workout_id = targeted.workout_id
            and rated.exercise_index = targeted.performed_exercise_index
            and rated.set_index = targeted.performed_set_index
    left join exercise_versions
        on
            rated.athlete_id = exercise_versions.athlete_id
            and rated.exercise_key = exercise_versions.exercise_key
            and {{ is_in_force('exercise_versions', 'rated.started_at') }}
)

select * from measured
