{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_counted') }}
),

landed as (
    select * from {{ ref('stg_hevy__workouts') }}
),

recorded as (
    select * from {{ ref('stg_coach__session_rpes') }}
),

-- A record counts for the workout that was started last before it.
attributed as (
    select
        recorded.session_rpe_id,
        recorded.session_rpe,
        recorded.recorded_at,
        workouts.athlete_id,
        workouts.workout_id
    from recorded
    inner join workouts
        on
            recorded.athlete_id = workouts.athlete_id
            and recorded.recorded_at >= workouts.started_at
            and recorded.recorded_at
            <= workouts.started_at + interval {{ var('srpe.hours') }} hour
    qualify
        row_number() over (
            partition by recorded.session_rpe_id
            order by workouts.started_at desc, workouts.workout_id desc
        ) = 1
),

latest as (
    select * from attributed
    qualify
        row_number() over (
            partition by athlete_id, workout_id
            order by recorded_at desc, session_rpe_id desc
        ) = 1
),

combined as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        coalesce(latest.session_rpe, landed.session_rpe) as session_rpe,
        if(latest.session_rpe is null, 'note', 'check_in') as session_rpe_source
    from workouts
    inner join landed
        on
            workouts.athlete_id = landed.athlete_id
            and workouts.workout_id = landed.workout_id
    left join latest
        on
            workouts.athlete_id = latest.athlete_id
            and workouts.workout_id = latest.workout_id
    where latest.session_rpe is not null or landed.session_rpe is not null
)

select * from combined
