with workouts as (
    {{ missing_from('int_sets_performed', ref('int_workouts_counted')) }}
),

recorded as (
    select * from {{ ref('stg_hevy__workouts') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

built_in as (
    select * from {{ ref('stg_hevy__built_in_exercises') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

body_load_words as (
    select * from {{ ref('body_load_words') }}
),

unnested as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        workouts.started_at,
        workouts.workout_date,
        workouts.week_start_date,
        unnest(recorded.exercises) as exercise,
        generate_subscripts(recorded.exercises, 1) - 1 as exercise_index
    from workouts
    inner join recorded
        on
            workouts.athlete_id = recorded.athlete_id
            and workouts.workout_id = recorded.workout_id
),

exercises as (
    select
        athlete_id,
        workout_id,
        cast(exercise_index as integer) as exercise_index,
        exercise.exercise_template_id,
        coalesce(exercise.superset_id, exercise.supersets_id) as superset_id,
        exercise.title as exercise_title,
        exercise.sets as performed_sets,
        started_at,
        workout_date,
        week_start_date
    from unnested
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
        exercises.*,
        {{ normalised_title('coalesce(aliases.title, exercises.exercise_title)') }} as meant_title
    from exercises
    left join aliases
        on
            exercises.athlete_id = aliases.athlete_id
            and {{ normalised_title('exercises.exercise_title') }} = aliases.normalised_title
            and exercises.exercise_template_id is null
),

-- The id of a built-in exercise is the same in every account: to connect one changes no key.
keyed as (
    select
        meant.*,
        coalesce(
            meant.exercise_template_id,
            templates_by_title.exercise_template_id,
            built_in.exercise_template_id,
            'title:' || meant.meant_title
        ) as exercise_key
    from meant
    left join templates_by_title
        on
            meant.athlete_id = templates_by_title.athlete_id
            and meant.meant_title = templates_by_title.normalised_title
    left join built_in on meant.meant_title = built_in.normalised_title
),

named as (
    {{ body_load_types('keyed', 'body_load_words') }}
),

typed as (
    select
        keyed.*,
        {{ known_exercise_type(
            'templates.exercise_type', 'built_in.exercise_type', 'named.exercise_type'
        ) }} as exercise_type
    from keyed
    left join templates
        on
            keyed.athlete_id = templates.athlete_id
            and keyed.exercise_key = templates.exercise_template_id
    left join built_in on keyed.exercise_key = built_in.exercise_template_id
    left join named on keyed.exercise_key = named.exercise_key
),

numbered as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        exercise_key,
        exercise_template_id,
        exercise_title,
        exercise_type,
        cast(
            row_number() over (
                partition by athlete_id, workout_id, exercise_key
                order by exercise_index
            ) as integer
        ) as occurrence,
        superset_id,
        performed_sets,
        started_at,
        workout_date,
        week_start_date
    from typed
)

select * from numbered
