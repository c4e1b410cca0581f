{{ config(materialized='incremental') }}

with source as (
    select landed.* from {{ source('raw', 'hevy_routines') }} as landed
    {% if is_incremental() %}
        anti join {{ this }} as present
            on
                landed.athlete_id = present.athlete_id
                and landed.record_id = present.routine_id
                and landed.loaded_at = present.loaded_at
    {% endif %}
    where
        {{ known('landed.loaded_at') }}
        {% if is_incremental() %}
            and landed.loaded_at >= {{ may_lack_since(this) }}
        {% endif %}
),

-- The only place where the JSON of a routine is parsed; what it does not name is ignored.
parsed as (
    select
        athlete_id,
        record_id,
        payload_sha256,
        origin,
        vendor_updated_at,
        loaded_at,
        is_deleted,
        from_json(
            payload,
            '{
                "title": "VARCHAR",
                "folder_id": "VARCHAR",
                "exercises": [{
                    "title": "VARCHAR",
                    "notes": "VARCHAR",
                    "exercise_template_id": "VARCHAR",
                    "superset_id": "INTEGER",
                    "supersets_id": "INTEGER",
                    "rest_seconds": "INTEGER",
                    "sets": [{
                        "type": "VARCHAR",
                        "weight_kg": "DOUBLE",
                        "reps": "INTEGER",
                        "rep_range": {"start": "INTEGER", "end": "INTEGER"},
                        "distance_meters": "DOUBLE",
                        "duration_seconds": "INTEGER",
                        "custom_metric": "DOUBLE"
                    }]
                }]
            }'
        ) as entry
    from source
),

renamed as (
    select
        athlete_id,
        record_id as routine_id,
        payload_sha256,
        entry.title,
        entry.folder_id,
        origin,
        entry.exercises,
        is_deleted,
        vendor_updated_at as updated_at,
        loaded_at
    from parsed
)

select * from renamed
