{{ config(
    materialized='incremental',
    incremental_strategy='append',
    post_hook="{{ remember_rules() }}"
) }}

with source as (
    select * from {{ source('raw', 'hevy_routines') }}
    where
        {{ known() }}
        {% if is_incremental() %}
            and loaded_at > coalesce(
                (select max(this.loaded_at) from {{ this }} as this), cast('-infinity' as timestamp)
            )
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
        origin,
        entry.exercises,
        is_deleted,
        vendor_updated_at as updated_at,
        loaded_at
    from parsed
)

select * from renamed
