{{ config(materialized='table') }}

with inputs as (
    select * from {{ ref('int_athlete_inputs') }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

readings as (
    select * from {{ source('raw', 'sync_log') }}
    where entity = 'hevy_workouts' and {{ known('completed_at') }}
),

last_read as (
    select
        athlete_id,
        max(completed_at) as completed_at
    from readings
    group by athlete_id
),

-- Complete weeks only: a read without changes rebuilds an athlete once a week, not every night.
observed as (
    select
        athletes.athlete_id,
        cast(
            date_trunc(
                'week', {{ local_date('last_read.completed_at', 'athletes.timezone') }}
            ) as date
        ) - 1 as last_observed_date
    from athletes
    left join last_read on athletes.athlete_id = last_read.athlete_id
),

digested as (
    select
        inputs.athlete_id,
        inputs.workout_count,
        observed.last_observed_date,
        hash(inputs.input_hash, observed.last_observed_date) as input_hash
    from inputs
    inner join observed on inputs.athlete_id = observed.athlete_id
)

select * from digested
