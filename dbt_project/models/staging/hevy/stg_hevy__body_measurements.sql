with latest as (
    {{ latest_records(source('raw', 'hevy_body_measurements')) }}
),

parsed as (
    select
        athlete_id,
        record_id,
        is_deleted,
        from_json(
            payload,
            '{"date": "DATE", "weight_kg": "DOUBLE", "fat_percent": "DOUBLE"}'
        ) as entry
    from latest
),

renamed as (
    select
        athlete_id,
        entry.weight_kg,
        entry.fat_percent as body_fat_pct,
        entry.date as measurement_date
    from parsed
    where not is_deleted
)

select * from renamed
