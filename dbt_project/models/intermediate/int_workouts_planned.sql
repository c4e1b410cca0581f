with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

versions as (
    select * from {{ ref('int_routine_versions_dated') }}
    where not is_deleted
),

planned as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        workouts.routine_id,
        versions.routine_version_key,
        workouts.started_at
    from workouts
    left join versions
        on
            workouts.athlete_id = versions.athlete_id
            and workouts.routine_id = versions.routine_id
            and {{ is_in_force('versions', 'workouts.started_at') }}
)

select * from planned
