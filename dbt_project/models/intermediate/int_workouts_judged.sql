{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_counted') }}
),

judged_sets as (
    select * from {{ ref('int_sets_judged') }}
),

judgements as (
    select
        athlete_id,
        workout_id,
        list(
            hash(exercise_index, set_index, is_typo_suspect, is_confirmed)
            order by exercise_index, set_index
        ) as set_hashes
    from judged_sets
    group by athlete_id, workout_id
),

judged as (
    select
        workouts.* exclude (input_hash),
        hash(workouts.input_hash, judgements.set_hashes) as input_hash
    from workouts
    left join judgements
        on
            workouts.athlete_id = judgements.athlete_id
            and workouts.workout_id = judgements.workout_id
)

select * from judged
