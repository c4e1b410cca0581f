{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_judged') }}
),

planned as (
    select * from {{ ref('int_workouts_planned') }}
),

ratings as (
    select
        athlete_id,
        workout_id,
        list(hash(exercise_key, own_max_kg, is_eased) order by exercise_key) as rating_hashes
    from {{ ref('int_exercises_rated') }}
    group by athlete_id, workout_id
),

-- The digest of the plan contains that of the workout.
rated as (
    select
        workouts.* exclude (input_hash),
        hash(planned.input_hash, ratings.rating_hashes) as input_hash
    from workouts
    inner join planned
        on
            workouts.athlete_id = planned.athlete_id
            and workouts.workout_id = planned.workout_id
    left join ratings
        on
            workouts.athlete_id = ratings.athlete_id
            and workouts.workout_id = ratings.workout_id
)

select * from rated
