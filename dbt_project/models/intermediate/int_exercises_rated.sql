{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('int_exercises_rated', ref('int_athlete_inputs')) }}
),

performed_sets as (
    select facts.* from {{ ref('int_sets_reviewed') }} as facts
    inner join athletes using (athlete_id)
),

eased as (
    select facts.* from {{ ref('int_exercises_eased') }} as facts
    inner join athletes using (athlete_id)
),

-- An easy set says little of a maximum: its reserve is a guess.
sessions as (
    select
        athlete_id,
        workout_id,
        exercise_key,
        any_value(workout_date) as workout_date,
        max(e1rm_kg) filter (
            where
            not is_typo_suspect
            and effective_reps <= {{ var('e1rm.max_reps_eff') }}
            and coalesce(10 - rpe < {{ var('effort.easy_reserve_min') }}, true)
        ) as e1rm_kg
    from performed_sets
    group by athlete_id, workout_id, exercise_key
),

rated as (
    select
        sessions.athlete_id,
        sessions.workout_id,
        sessions.exercise_key,
        max(sessions.e1rm_kg) over (
            partition by sessions.athlete_id, sessions.exercise_key
            order by sessions.workout_date
            range between interval ({{ var('effort.maximum_days') }}) day preceding and current row
        ) as own_max_kg,
        eased.workout_id is not null as is_eased
    from sessions
    left join eased
        on
            sessions.athlete_id = eased.athlete_id
            and sessions.workout_id = eased.workout_id
            and sessions.exercise_key = eased.exercise_key
)

select * from rated
