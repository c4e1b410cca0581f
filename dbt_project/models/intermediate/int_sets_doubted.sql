with suspects as (
    select * from {{ ref('int_typo_suspects') }}
),

corrections as (
    select * from {{ ref('stg_coach__corrections') }}
    where action in ('accept_set', 'doubt_set')
),

-- The athlete has the last word, about the set that was seen: an edited one is judged anew.
spoken_of as (
    select
        coalesce(corrections.athlete_id, suspects.athlete_id) as athlete_id,
        coalesce(corrections.workout_id, suspects.workout_id) as workout_id,
        coalesce(corrections.exercise_index, suspects.exercise_index) as exercise_index,
        coalesce(corrections.set_index, suspects.set_index) as set_index,
        corrections.action,
        corrections.weight_kg as corrected_weight_kg,
        corrections.reps as corrected_reps,
        suspects.median_e1rm_kg,
        suspects.athlete_id is not null as is_suspect
    from suspects
    full join corrections
        on
            suspects.athlete_id = corrections.athlete_id
            and suspects.workout_id = corrections.workout_id
            and suspects.exercise_index = corrections.exercise_index
            and suspects.set_index = corrections.set_index
            and suspects.weight_kg = corrections.weight_kg
            and suspects.reps = corrections.reps
),

doubted as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        set_index,
        corrected_weight_kg,
        corrected_reps,
        median_e1rm_kg,
        coalesce(action = 'doubt_set', is_suspect) as is_typo_suspect
    from spoken_of
)

select * from doubted
