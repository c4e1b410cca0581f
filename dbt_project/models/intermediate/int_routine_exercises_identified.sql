{{ config(materialized='table') }}

with versions as (
    select * from {{ ref('int_routine_versions_dated') }}
),

exercises as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

built_in as (
    select * from {{ ref('stg_hevy__built_in_exercises') }}
),

-- An alias that is newer than the import counts for its routines as for its workouts.
keyed as (
    select
        exercises.*,
        coalesce(built_in.exercise_template_id, exercises.exercise_template_id) as exercise_key
    from exercises
    left join aliases
        on
            exercises.athlete_id = aliases.athlete_id
            and starts_with(exercises.exercise_template_id, 'title:')
            and {{ normalised_title('exercises.exercise_title') }} = aliases.normalised_title
    left join built_in on {{ normalised_title('aliases.title') }} = built_in.normalised_title
),

numbered as (
    select
        versions.routine_version_key,
        versions.athlete_id,
        versions.routine_id,
        keyed.exercise_index,
        keyed.exercise_key,
        keyed.superset_id,
        keyed.exercise_title,
        keyed.exercise_notes,
        cast(
            row_number() over (
                partition by versions.routine_version_key, keyed.exercise_key
                order by keyed.exercise_index
            ) as integer
        ) as occurrence,
        keyed.rest_s,
        versions.known_from
    from versions
    inner join keyed
        on
            versions.athlete_id = keyed.athlete_id
            and versions.routine_id = keyed.routine_id
            and versions.known_from = keyed.loaded_at
)

select * from numbered
