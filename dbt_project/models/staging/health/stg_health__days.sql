with latest as (
    {{ latest_records(source('raw', 'health_days')) }}
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
                "day": "DATE",
                "sleep_minutes": "DOUBLE",
                "hrv_ms": "DOUBLE",
                "hrv_method": "VARCHAR",
                "resting_hr": "DOUBLE",
                "readiness": "DOUBLE",
                "weight_kg": "DOUBLE",
                "body_fat_pct": "DOUBLE"
            }'
        ) as entry
    from latest
),

renamed as (
    select
        concat_ws('/', athlete_id, record_id) as health_day_key,
        athlete_id,
        entry.source as health_source,
        entry.hrv_method,
        entry.sleep_minutes,
        entry.hrv_ms,
        entry.resting_hr,
        entry.readiness,
        entry.weight_kg,
        entry.body_fat_pct,
        entry.day as health_date
    from parsed
    where not is_deleted
)

select * from renamed
