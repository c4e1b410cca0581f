{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_counted') }}
),

doubts as (
    select * from {{ ref('int_sets_doubted') }}
),

judgements as (
    select
        athlete_id,
        workout_id,
        list([exercise_index, set_index] order by exercise_index, set_index) as doubted_sets
    from doubts
    group by athlete_id, workout_id
),

judged as (
    select
        workouts.* exclude (input_hash),
        hash(workouts.input_hash, judgements.doubted_sets) as input_hash
    from workouts
    left join judgements
        on
            workouts.athlete_id = judgements.athlete_id
            and workouts.workout_id = judgements.workout_id
)

select * from judged
