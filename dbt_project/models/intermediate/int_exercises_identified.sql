with exercises as (
    select * from {{ ref('stg_hevy__exercises') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

-- Exports carry titles but no ids. Of several exercises with one title the living one is meant,
-- and the built-in one before a custom one.
templates_by_title as (
    select
        athlete_id,
        exercise_template_id,
        {{ normalised_title('title') }} as normalised_title
    from templates
    qualify row_number() over (
        partition by athlete_id, {{ normalised_title('title') }}
        order by is_deleted, is_custom, exercise_template_id
    ) = 1
),

keyed as (
    select
        exercises.athlete_id,
        exercises.workout_id,
        exercises.exercise_index,
        coalesce(
            exercises.exercise_template_id,
            templates_by_title.exercise_template_id,
            'title:' || {{ normalised_title('exercises.exercise_title') }}
        ) as exercise_key,
        exercises.exercise_title,
        exercises.started_at
    from exercises
    left join templates_by_title
        on
            exercises.athlete_id = templates_by_title.athlete_id
            and {{ normalised_title('exercises.exercise_title') }}
            = templates_by_title.normalised_title
),

numbered as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        exercise_key,
        exercise_title,
        cast(
            row_number() over (
                partition by athlete_id, workout_id, exercise_key
                order by exercise_index
            ) as integer
        ) as occurrence,
        started_at
    from keyed
)

select * from numbered
