{{ config(materialized='table') }}

with suspects as (
    select * from {{ ref('int_typo_suspects') }}
),

corrections as (
    select * from {{ ref('stg_coach__corrections') }}
    where action in ('accept_set', 'doubt_set')
),

performed_sets as (
    select * from {{ ref('int_sets_performed') }}
),

-- A correction holds for the recorded values at that time: an edited set is evaluated again.
spoken_of as (
    select
        corrections.athlete_id,
        corrections.workout_id,
        corrections.exercise_index,
        corrections.set_index,
        corrections.action = 'accept_set' as is_confirmed
    from corrections
    inner join performed_sets
        on
            corrections.athlete_id = performed_sets.athlete_id
            and corrections.workout_id = performed_sets.workout_id
            and corrections.exercise_index = performed_sets.exercise_index
            and corrections.set_index = performed_sets.set_index
            and corrections.weight_kg is not distinct from performed_sets.weight_kg
            and corrections.reps is not distinct from performed_sets.reps
            and corrections.distance_m is not distinct from performed_sets.distance_m
            and corrections.duration_s is not distinct from performed_sets.duration_s
            and corrections.custom_metric is not distinct from performed_sets.custom_metric
),

-- The athlete has the last word.
judged as (
    select
        coalesce(spoken_of.athlete_id, suspects.athlete_id) as athlete_id,
        coalesce(spoken_of.workout_id, suspects.workout_id) as workout_id,
        coalesce(spoken_of.exercise_index, suspects.exercise_index) as exercise_index,
        coalesce(spoken_of.set_index, suspects.set_index) as set_index,
        not coalesce(spoken_of.is_confirmed, false) as is_typo_suspect,
        spoken_of.is_confirmed
    from suspects
    full join spoken_of
        on
            suspects.athlete_id = spoken_of.athlete_id
            and suspects.workout_id = spoken_of.workout_id
            and suspects.exercise_index = spoken_of.exercise_index
            and suspects.set_index = spoken_of.set_index
)

select * from judged
