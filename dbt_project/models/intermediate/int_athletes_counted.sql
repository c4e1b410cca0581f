{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_counted') }}
),

counted as (
    select
        athlete_id,
        count(*) as workout_count,
        hash(athlete_id, bit_xor(input_hash)) as input_hash
    from workouts
    group by athlete_id
)

select * from counted
