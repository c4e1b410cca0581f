{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
    where not is_deleted
),

matches as (
    select * from {{ source('raw', 'workout_matches') }}
    where {{ known() }}
),

corrections as (
    select * from {{ ref('stg_coach__corrections') }}
),

profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

catalogues as (
    select * from {{ ref('int_catalogues_digested') }}
),

-- The account's record of a workout is more complete than a file's. A deleted one must not return.
counted_once as (
    select workouts.*
    from workouts
    anti join matches
        on
            workouts.athlete_id = matches.athlete_id
            and workouts.workout_id = matches.file_record_id
    anti join corrections
        on
            workouts.athlete_id = corrections.athlete_id
            and workouts.workout_id = corrections.workout_id
            and corrections.action = 'exclude_workout'
),

-- Days need a time zone: UTC until a profile names one.
zoned as (
    select
        counted_once.*,
        catalogues.catalogue_hash,
        coalesce(profiles.timezone, 'UTC') as zone_name,
        time_bucket(interval '15 minutes', counted_once.started_at) as quarter_start
    from counted_once
    left join profiles on counted_once.athlete_id = profiles.athlete_id
    left join catalogues on counted_once.athlete_id = catalogues.athlete_id
),

-- In no zone does a day begin within a quarter of an hour. A lookup per workout took three quarters
-- of this model's time.
quarters as (
    select
        zone_name,
        quarter_start,
        {{ local_date('quarter_start', 'zone_name') }} as workout_date
    from zoned
    group by zone_name, quarter_start
),

dated as (
    select
        zoned.*,
        quarters.workout_date
    from zoned
    inner join quarters
        on
            zoned.zone_name = quarters.zone_name
            and zoned.quarter_start = quarters.quarter_start
),

digested as (
    select
        athlete_id,
        workout_id,
        routine_id,
        title,
        origin,
        exercise_count,
        started_at,
        ended_at,
        workout_date,
        cast(date_trunc('week', workout_date) as date) as week_start_date,
        hash(
            athlete_id, workout_id, payload_sha256, catalogue_hash, workout_date
        ) as input_hash
    from dated
)

select * from digested
