{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'workout', 'inputs': 'int_workouts_rated'},
) }}

with workouts as (
    {{ missing_from('fct_workout', ref('int_workouts_rated')) }}
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

set_totals as (
    select
        athlete_id,
        workout_id,
        cast(count(*) as integer) as set_count,
        cast(count(*) filter (where is_working) as integer) as working_set_count,
        cast(count(*) filter (where is_hard) as integer) as hard_set_count,
        {{ exact_sum('if(is_typo_suspect, null, volume_kg)') }} as volume_kg
    from performed_sets
    group by athlete_id, workout_id
),

-- Density: load moved in a minute from the start to the end.
totalled as (
    select
        concat_ws('/', workouts.athlete_id, workouts.workout_id) as workout_key,
        workouts.athlete_id,
        workouts.workout_id,
        workouts.routine_id,
        workouts.athlete_version_key,
        workouts.title,
        workouts.origin,
        workouts.started_at,
        workouts.ended_at,
        cast(epoch(workouts.ended_at - workouts.started_at) as integer) as duration_s,
        workouts.workout_date,
        workouts.week_start_date,
        coalesce(set_totals.set_count, 0) as set_count,
        coalesce(set_totals.working_set_count, 0) as working_set_count,
        coalesce(set_totals.hard_set_count, 0) as hard_set_count,
        workouts.exercise_count,
        set_totals.volume_kg,
        set_totals.volume_kg
        / nullif(epoch(workouts.ended_at - workouts.started_at) / 60, 0) as density_kg_per_min,
        workouts.session_rpe,
        workouts.session_rpe_source,
        -- A timer that ran for too long or too short has no usable minutes.
        case
            when
                epoch(workouts.ended_at - workouts.started_at) / 60
                between {{ var('duration.min_minutes') }} and {{ var('duration.max_minutes') }}
                then workouts.session_rpe * epoch(workouts.ended_at - workouts.started_at) / 60
        end as session_load
    from workouts
    left join set_totals
        on
            workouts.athlete_id = set_totals.athlete_id
            and workouts.workout_id = set_totals.workout_id
)

select * from totalled
