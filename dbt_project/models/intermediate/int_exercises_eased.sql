with workouts as (
    select * from {{ ref('int_workouts_planned') }}
    where is_plan_known
),

versions as (
    select * from {{ ref('int_routine_versions_dated') }}
    where published_plan_id is not null
),

plan_sets as (
    select * from {{ ref('stg_coach__plan_sets') }}
    where is_easy
),

eased as (
    select distinct
        workouts.athlete_id,
        workouts.workout_id,
        plan_sets.exercise_template_id as exercise_key
    from workouts
    inner join versions on workouts.routine_version_key = versions.routine_version_key
    inner join plan_sets on versions.published_plan_id = plan_sets.plan_id
)

select * from eased
