{{ config(materialized='table') }}

with versions as (
    select * from {{ ref('int_routine_versions_dated') }}
),

exercises as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

numbered as (
    select
        versions.routine_version_key,
        versions.athlete_id,
        versions.routine_id,
        exercises.exercise_index,
        exercises.exercise_template_id as exercise_key,
        exercises.superset_id,
        exercises.exercise_title,
        exercises.exercise_notes,
        cast(
            row_number() over (
                partition by versions.routine_version_key, exercises.exercise_template_id
                order by exercises.exercise_index
            ) as integer
        ) as occurrence,
        exercises.rest_s,
        versions.known_from
    from versions
    inner join exercises
        on
            versions.athlete_id = exercises.athlete_id
            and versions.routine_id = exercises.routine_id
            and versions.known_from = exercises.loaded_at
)

select * from numbered
