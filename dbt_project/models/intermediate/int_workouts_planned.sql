{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('int_workouts_planned', ref('int_athlete_inputs')) }}
),

workouts as (
    select facts.* from {{ ref('int_workouts_judged') }} as facts
    inner join athletes using (athlete_id)
),

versions as (
    select facts.* from {{ ref('int_routine_versions_dated') }} as facts
    inner join athletes using (athlete_id)
),

matches as (
    select facts.* from {{ ref('int_workouts_matched') }} as facts
    inner join athletes using (athlete_id)
),

-- The version in force at the start; before the first known version that one, as an assumption.
named as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        versions.routine_version_key,
        if(versions.valid_from <= workouts.started_at, 'routine', 'assumed') as plan_basis
    from workouts
    inner join versions
        on
            workouts.athlete_id = versions.athlete_id
            and workouts.routine_id = versions.routine_id
            and {{ is_in_force_or_first('versions', 'workouts.started_at') }}
    where not versions.is_deleted
),

-- For a workout without a known routine the most similar one.
chosen as (
    select * from named
    union all
    select
        athlete_id,
        workout_id,
        routine_version_key,
        if(is_in_force, 'matched', 'assumed') as plan_basis
    from matches
),

planned as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        coalesce(versions.routine_id, workouts.routine_id) as routine_id,
        versions.routine_version_key,
        chosen.plan_basis,
        coalesce(
            workouts.started_at > versions.last_seen_at and not versions.is_current, false
        ) as is_possibly_superseded,
        versions.payload_sha256 as plan_sha256,
        workouts.input_hash as workout_hash,
        workouts.started_at,
        workouts.workout_date,
        workouts.week_start_date
    from workouts
    left join chosen
        on
            workouts.athlete_id = chosen.athlete_id
            and workouts.workout_id = chosen.workout_id
    left join versions
        on
            chosen.athlete_id = versions.athlete_id
            and chosen.routine_version_key = versions.routine_version_key
),

digested as (
    select
        athlete_id,
        workout_id,
        routine_id,
        routine_version_key,
        plan_basis,
        coalesce(plan_basis in ('routine', 'matched'), false) as is_plan_known,
        is_possibly_superseded,
        started_at,
        workout_date,
        week_start_date,
        hash(
            workout_hash, plan_sha256, routine_id, routine_version_key, plan_basis,
            is_possibly_superseded
        ) as input_hash
    from planned
)

select * from digested
