{{ config(
    materialized='incremental',
    incremental_strategy='append',
    meta={'unit': 'athlete'},
    pre_hook="{{ forget_changed(ref('int_athlete_inputs')) }}",
    post_hook=[
        "{{ remember_built() }}",
        {"sql": "{{ build_rest(ref('int_athlete_inputs')) }}", "transaction": false}
    ]
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
    select * from {{ ref('int_workouts_matched') }}
),

first_versions as (
    select * from versions
    where version_number = 1 and not is_deleted
),

-- The version in force at the start; before the first known one that, as an assumption; of a
-- workout that names no known routine the one that it resembles.
planned as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        coalesce(matches.routine_id, workouts.routine_id) as routine_id,
        coalesce(
            versions.routine_version_key,
            first_versions.routine_version_key,
            matches.routine_version_key
        ) as routine_version_key,
        case
            when versions.routine_version_key is not null then 'routine'
            when first_versions.routine_version_key is not null then 'assumed'
            when matches.routine_version_key is not null then 'matched'
        end as plan_basis,
        coalesce(
            workouts.started_at > versions.last_seen_at and not versions.is_current, false
        ) as is_possibly_superseded,
        hash(
            coalesce(
                versions.payload_sha256, first_versions.payload_sha256, matches.payload_sha256
            )
        ) as plan_hash,
        workouts.input_hash as workout_hash,
        workouts.started_at,
        workouts.workout_date,
        workouts.week_start_date
    from workouts
    left join versions
        on
            workouts.athlete_id = versions.athlete_id
            and workouts.routine_id = versions.routine_id
            and not versions.is_deleted
            and {{ is_in_force('versions', 'workouts.started_at') }}
    left join first_versions
        on
            workouts.athlete_id = first_versions.athlete_id
            and workouts.routine_id = first_versions.routine_id
            and workouts.started_at < first_versions.valid_from
    left join matches
        on
            workouts.athlete_id = matches.athlete_id
            and workouts.workout_id = matches.workout_id
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
            workout_hash, plan_hash, routine_id, routine_version_key, plan_basis,
            is_possibly_superseded
        ) as input_hash
    from planned
)

select * from digested
