{{ config(materialized='incremental', unique_key=['athlete_id', 'workout_id']) }}

with latest as (
    {{ latest_records(
        source('raw', 'hevy_workouts'), lacking_in=this if is_incremental(), id='workout_id'
    ) }}
),

-- The only place where the JSON of a workout is parsed; what it does not name is ignored.
parsed as (
    select
        athlete_id,
        record_id,
        payload_sha256,
        origin,
        is_deleted,
        loaded_at,
        from_json(
            payload,
            '{
                "title": "VARCHAR",
                "routine_id": "VARCHAR",
                "start_time": "TIMESTAMPTZ",
                "end_time": "TIMESTAMPTZ",
                "description": "VARCHAR",
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
),

renamed as (
    select
        athlete_id,
        record_id as workout_id,
        payload_sha256,
        entry.routine_id,
        entry.title,
        origin,
        entry.exercises,
        coalesce(cast(len(entry.exercises) as integer), 0) as exercise_count,
        {{ noted_session_rpe('entry') }} as session_rpe,
        is_deleted,
        timezone('UTC', entry.start_time) as started_at,
        timezone('UTC', entry.end_time) as ended_at,
        loaded_at
    from parsed
)

select * from renamed
