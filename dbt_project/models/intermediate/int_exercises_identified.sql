with exercises as (
    select * from {{ ref('stg_hevy__exercises') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

-- Of several exercises with one title the living one is meant,
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

-- Exports carry titles but no ids, and one lift may have several: old names, other languages.
meant as (
    select
        exercises.athlete_id,
        exercises.workout_id,
        exercises.exercise_index,
        exercises.exercise_template_id,
        case
            when exercises.exercise_template_id is null
                then coalesce(aliases.title, exercises.exercise_title)
            else exercises.exercise_title
        end as exercise_title,
        exercises.started_at
    from exercises
    left join aliases
        on
            exercises.athlete_id = aliases.athlete_id
            and {{ normalised_title('exercises.exercise_title') }} = aliases.normalised_title
),

keyed as (
    select
        meant.athlete_id,
        meant.workout_id,
        meant.exercise_index,
        coalesce(
            meant.exercise_template_id,
            templates_by_title.exercise_template_id,
            'title:' || {{ normalised_title('meant.exercise_title') }}
        ) as exercise_key,
        meant.exercise_title,
        meant.started_at
    from meant
    left join templates_by_title
        on
            meant.athlete_id = templates_by_title.athlete_id
            and {{ normalised_title('meant.exercise_title') }}
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
