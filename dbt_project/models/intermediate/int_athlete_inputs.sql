{{ config(materialized='table') }}

with athletes as (
    select * from {{ ref('dim_athlete') }}
),

workouts as (
    select * from {{ ref('int_workouts_judged') }}
),

versions as (
    select * from {{ ref('int_routine_versions_dated') }}
),

catalogues as (
    select * from {{ ref('int_catalogues_digested') }}
),

publications as (
    select * from {{ ref('stg_coach__publications') }}
    where effective_at is not null
),

easy_plans as (
    select distinct
        athlete_id,
        plan_id
    from {{ ref('stg_coach__plan_sets') }}
    where is_easy
),

pieces as (
    select
        athlete_id,
        hash('profile', name, timezone) as piece_hash
    from athletes
    union all
    select
        athlete_id,
        input_hash as piece_hash
    from workouts
    union all
    select
        athlete_id,
        hash(
            routine_version_key,
            payload_sha256,
            published_plan_id,
            is_deleted,
            valid_from,
            valid_to,
            known_from
        ) as piece_hash
    from versions
    union all
    select
        athlete_id,
        catalogue_hash as piece_hash
    from catalogues
    union all
    select
        athlete_id,
        hash('publication', publication_id, plan_id, state, effective_at) as piece_hash
    from publications
    union all
    select
        athlete_id,
        hash('easy plan', plan_id) as piece_hash
    from easy_plans
),

workout_counts as (
    select
        athlete_id,
        count(*) as workout_count
    from workouts
    group by athlete_id
),

digested as (
    select
        pieces.athlete_id,
        coalesce(any_value(workout_counts.workout_count), 0) as workout_count,
        hash(pieces.athlete_id, bit_xor(pieces.piece_hash)) as input_hash
    from pieces
    left join workout_counts on pieces.athlete_id = workout_counts.athlete_id
    group by pieces.athlete_id
)

select * from digested
