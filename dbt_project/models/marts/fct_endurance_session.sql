{% set strength = [
    'weight_training', 'strength_training', 'traditional_strength_training',
    'functional_strength_training'
] %}

with sessions as (
    select * from {{ ref('stg_health__sessions') }}
    where sport not in {{ "('" ~ strength | join("', '") ~ "')" }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

workouts as (
    select * from {{ ref('fct_workout') }}
),

resting as (
    select
        athlete_id,
        health_source,
        health_date,
        resting_hr
    from {{ ref('stg_health__days') }}
    where resting_hr is not null
),

dated as (
    select
        sessions.health_session_key,
        sessions.athlete_id,
        sessions.session_id,
        sessions.health_source,
        sessions.sport,
        sessions.duration_minutes,
        sessions.distance_m,
        sessions.average_hr,
        sessions.max_hr,
        sessions.session_rpe,
        sessions.vendor_load,
        sessions.started_at,
        athletes.sex,
        sessions.session_rpe * sessions.duration_minutes as session_load,
        sessions.started_at
        + to_microseconds(cast(coalesce(sessions.duration_minutes, 0) * 60e6 as bigint))
            as ended_at,
        coalesce(
            sessions.local_date,
            {{ local_date('sessions.started_at', "coalesce(athletes.timezone, 'UTC')") }}
        ) as session_date,
        -- Of two recordings the one with more counts.
        row_number() over (
            partition by sessions.athlete_id
            order by
                sessions.session_rpe is null,
                sessions.vendor_load is null,
                sessions.average_hr is null,
                sessions.health_source asc,
                sessions.session_id asc
        ) as preference
    from sessions
    left join athletes on sessions.athlete_id = athletes.athlete_id
),

-- Two sources that overlap for most of the longer session recorded the same one.
repeated as (
    select
        other_recording.health_session_key,
        arg_min(kept.health_session_key, kept.preference) as same_session_key
    from dated as other_recording
    inner join dated as kept
        on
            other_recording.athlete_id = kept.athlete_id
            and other_recording.health_source <> kept.health_source
            and other_recording.preference > kept.preference
            and other_recording.ended_at > kept.started_at
            and other_recording.started_at < kept.ended_at
    where
        epoch(least(other_recording.ended_at, kept.ended_at))
        - epoch(greatest(other_recording.started_at, kept.started_at))
        >= {{ var('endurance.same_session_overlap') }}
        * 60 * greatest(other_recording.duration_minutes, kept.duration_minutes)
    group by other_recording.health_session_key
),

lifted as (
    select
        athlete_id,
        workout_date,
        count(*) as workout_count,
        sum(hard_set_count) as hard_set_count,
        -- The load of a day is unknown if that of one of its workouts is.
        case when count(session_load) = count(*) then {{ exact_sum('session_load') }} end
            as session_load
    from workouts
    group by athlete_id, workout_date
),

-- Of several sources the one with most days, since they measure differently.
resting_of_source as (
    select
        dated.health_session_key,
        resting.health_source,
        count(*) as day_count,
        avg(resting.resting_hr order by resting.health_date) as resting_hr
    from dated
    inner join resting
        on
            dated.athlete_id = resting.athlete_id
            and resting.health_date
            between dated.session_date - {{ var('endurance.resting_back') }} and dated.session_date
    group by dated.health_session_key, resting.health_source
    having count(*) >= {{ var('recovery.week_min_days') }}
),

resting_before as (
    select * from resting_of_source
    qualify
        row_number() over (
            partition by health_session_key order by day_count desc, health_source asc
        ) = 1
),

highest_before as (
    select
        dated.health_session_key,
        max(earlier.max_hr) as highest_hr
    from dated
    inner join dated as earlier
        on
            dated.athlete_id = earlier.athlete_id
            and earlier.session_date
            between dated.session_date - {{ var('endurance.highest_back') }} and dated.session_date
    group by dated.health_session_key
    having count(earlier.max_hr) >= {{ var('endurance.highest_min_sessions') }}
),

-- The share of the heart rate's reserve needs measured ends, and nothing beyond them.
reserved as (
    select
        dated.*,
        resting_before.resting_hr,
        highest_before.highest_hr,
        (dated.average_hr - resting_before.resting_hr)
        / nullif(highest_before.highest_hr - resting_before.resting_hr, 0) as reserve_share
    from dated
    left join resting_before on dated.health_session_key = resting_before.health_session_key
    left join highest_before on dated.health_session_key = highest_before.health_session_key
),

exerted as (
    select
        *,
        case
            when duration_minutes is null then 'duration'
            when average_hr is null then 'average_hr'
            when resting_hr is null then 'resting_hr'
            when highest_hr is null then 'highest_hr'
            when sex is null then 'sex'
            when reserve_share is null or reserve_share not between 0 and 1 then 'plausible_hr'
        end as trimp_lacks,
        {{ banister_trimp('duration_minutes', 'reserve_share', 'sex') }} as trimp
    from reserved
),

described as (
    select
        exerted.health_session_key as endurance_session_key,
        exerted.athlete_id,
        exerted.health_source,
        exerted.session_id,
        exerted.sport,
        exerted.session_date,
        exerted.started_at,
        exerted.duration_minutes,
        exerted.distance_m,
        exerted.average_hr,
        exerted.max_hr,
        exerted.session_rpe,
        round(exerted.session_load, 9) as session_load,
        exerted.vendor_load,
        round(exerted.resting_hr, 9) as resting_hr,
        exerted.highest_hr,
        case when exerted.trimp_lacks is null then round(exerted.trimp, 9) end as trimp,
        exerted.trimp_lacks,
        case
            when exerted.session_load is not null then 'session_rpe'
            when exerted.trimp_lacks is null then 'trimp'
            when exerted.vendor_load is not null then 'vendor'
        end as load_method,
        repeated.same_session_key,
        repeated.same_session_key is null as is_counted,
        cast(coalesce(lifted.workout_count, 0) as integer) as lifting_workout_count,
        cast(coalesce(lifted.hard_set_count, 0) as integer) as lifting_hard_set_count,
        case when lifted.athlete_id is null then 0 else round(lifted.session_load, 9) end
            as lifting_session_load
    from exerted
    left join repeated on exerted.health_session_key = repeated.health_session_key
    left join lifted
        on
            exerted.athlete_id = lifted.athlete_id
            and exerted.session_date = lifted.workout_date
)

select * from described
