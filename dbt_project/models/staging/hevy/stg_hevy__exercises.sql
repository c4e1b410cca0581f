with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

unnested as (
    select
        athlete_id,
        workout_id,
        started_at,
        unnest(exercises) as exercise,
        generate_subscripts(exercises, 1) - 1 as exercise_index
    from workouts
),

renamed as (
    select
        athlete_id,
        workout_id,
        cast(exercise_index as integer) as exercise_index,
        exercise.exercise_template_id,
        coalesce(exercise.superset_id, exercise.supersets_id) as superset_id,
        exercise.title as exercise_title,
        nullif(exercise.notes, '') as exercise_notes,
        exercise.sets as performed_sets,
        started_at
    from unnested
)

select * from renamed
