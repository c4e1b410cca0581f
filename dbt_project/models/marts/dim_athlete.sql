with profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

workouts as (
    select * from {{ ref('int_athletes_counted') }}
),

routines as (
    select * from {{ ref('stg_hevy__routine_versions') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

athletes as (
    select athlete_id from profiles
    union
    select athlete_id from workouts
    union
    select athlete_id from routines
    union
    select athlete_id from templates
),

-- Days need a time zone: UTC until a profile names one.
described as (
    select
        athletes.athlete_id as athlete_key,
        athletes.athlete_id,
        profiles.name,
        coalesce(profiles.timezone, 'UTC') as timezone,
        profiles.sex
    from athletes
    left join profiles on athletes.athlete_id = profiles.athlete_id
)

select * from described
