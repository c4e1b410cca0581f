with latest as (
    {{ latest_records(source('raw', 'athlete_profiles')) }}
),

parsed as (
    select
        athlete_id,
        payload_sha256,
        payload,
        is_deleted,
        from_json(payload, '{"name": "VARCHAR", "timezone": "VARCHAR", "sex": "VARCHAR"}') as entry
    from latest
),

renamed as (
    select
        athlete_id,
        entry.name,
        entry.timezone,
        entry.sex,
        payload_sha256,
        payload
    from parsed
    where not is_deleted
)

select * from renamed
