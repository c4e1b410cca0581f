with versions as (
    select * from {{ ref('stg_hevy__routine_versions') }}
),

unnested as (
    select
        athlete_id,
        routine_id,
        loaded_at,
        unnest(exercises) as exercise,
        generate_subscripts(exercises, 1) - 1 as exercise_index
    from versions
),

renamed as (
    select
        athlete_id,
        routine_id,
        cast(exercise_index as integer) as exercise_index,
        exercise.exercise_template_id,
        coalesce(exercise.superset_id, exercise.supersets_id) as superset_id,
        exercise.title as exercise_title,
        nullif(exercise.notes, '') as exercise_notes,
        exercise.rest_seconds as rest_s,
        exercise.sets as planned_sets,
        loaded_at
    from unnested
)

select * from renamed
