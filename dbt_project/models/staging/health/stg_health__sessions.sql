with latest as (
    {{ latest_records(source('raw', 'health_sessions')) }}
),

parsed as (
    select
        athlete_id,
        record_id,
        is_deleted,
        from_json(
            payload,
            '{
                "source": "VARCHAR",
                "session_id": "VARCHAR",
                "started_at": "TIMESTAMP",
                "local_date": "DATE",
                "sport": "VARCHAR",
                "duration_minutes": "DOUBLE",
                "distance_m": "DOUBLE",
                "average_hr": "DOUBLE",
                "max_hr": "DOUBLE",
                "session_rpe": "DOUBLE",
                "vendor_load": "DOUBLE"
            }'
        ) as entry
    from latest
),

renamed as (
    select
        concat_ws('/', athlete_id, record_id) as health_session_key,
        athlete_id,
        entry.session_id,
        entry.source as health_source,
        entry.sport,
        entry.duration_minutes,
        entry.distance_m,
        entry.average_hr,
        entry.max_hr,
        entry.session_rpe,
        entry.vendor_load,
        entry.local_date,
        entry.started_at
    from parsed
    where not is_deleted
)

select * from renamed
