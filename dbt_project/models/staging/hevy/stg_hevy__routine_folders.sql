with latest as (
    {{ latest_records(source('raw', 'hevy_routine_folders')) }}
),

parsed as (
    select
        athlete_id,
        record_id,
        is_deleted,
        loaded_at,
        from_json(
            payload,
            '{"title": "VARCHAR", "created_at": "TIMESTAMPTZ"}'
        ) as entry
    from latest
),

renamed as (
    select
        athlete_id,
        record_id as folder_id,
        entry.title,
        is_deleted,
        cast(entry.created_at at time zone 'UTC' as timestamp) as created_at,
        loaded_at
    from parsed
)

select * from renamed
