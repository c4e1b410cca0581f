{{ config(materialized='table') }}

with latest as (
    {{ latest_records(source('raw', 'hevy_workouts')) }}
),

matches as (
    select * from {{ source('raw', 'workout_matches') }}
),

-- The only place where the JSON of a workout is parsed; what it does not name is ignored.
parsed as (
    select
        athlete_id,
        record_id,
        origin,
        from_json(
            payload,
            '{
                "title": "VARCHAR",
                "routine_id": "VARCHAR",
                "start_time": "TIMESTAMPTZ",
                "end_time": "TIMESTAMPTZ",
                "exercises": [{
                    "title": "VARCHAR",
                    "notes": "VARCHAR",
                    "exercise_template_id": "VARCHAR",
                    "superset_id": "INTEGER",
                    "supersets_id": "INTEGER",
                    "sets": [{
                        "type": "VARCHAR",
                        "weight_kg": "DOUBLE",
                        "reps": "INTEGER",
                        "distance_meters": "DOUBLE",
                        "duration_seconds": "INTEGER",
                        "rpe": "DOUBLE",
                        "custom_metric": "DOUBLE"
                    }]
                }]
            }'
        ) as entry
    from latest
    where not is_deleted
),

renamed as (
    select
        athlete_id,
        record_id as workout_id,
        entry.routine_id,
        entry.title,
        origin,
        entry.exercises,
        timezone('UTC', entry.start_time) as started_at,
        timezone('UTC', entry.end_time) as ended_at
    from parsed
),

-- The account knows more of a workout than a file does. What it deleted is not to come back.
counted_once as (
    select renamed.*
    from renamed
    left join matches
        on
            renamed.athlete_id = matches.athlete_id
            and renamed.workout_id = matches.file_record_id
    where matches.file_record_id is null
)

select * from counted_once
