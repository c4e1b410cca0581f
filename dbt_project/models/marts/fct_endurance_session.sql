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

described as (
    select
        dated.health_session_key as endurance_session_key,
        dated.athlete_id,
        dated.health_source,
        dated.session_id,
        dated.sport,
        dated.session_date,
        dated.started_at,
        dated.duration_minutes,
        dated.distance_m,
        dated.average_hr,
        dated.max_hr,
        dated.session_rpe,
        round(dated.session_load, 9) as session_load,
        dated.vendor_load,
        repeated.same_session_key,
        repeated.same_session_key is null as is_counted,
        cast(coalesce(lifted.workout_count, 0) as integer) as lifting_workout_count,
        cast(coalesce(lifted.hard_set_count, 0) as integer) as lifting_hard_set_count,
        case when lifted.athlete_id is null then 0 else round(lifted.session_load, 9) end
            as lifting_session_load
    from dated
    left join repeated on dated.health_session_key = repeated.health_session_key
    left join lifted
        on
            dated.athlete_id = lifted.athlete_id
            and dated.session_date = lifted.workout_date
)

select * from described
