with rejected as (
    select * from {{ source('raw', 'quarantine') }}
    where {{ known() }}
),

read_records as (
    {% for entity in [
        'hevy_workouts',
        'hevy_routines',
        'hevy_exercise_templates',
        'hevy_routine_folders',
        'hevy_body_measurements',
        'hevy_users',
        'athlete_profiles',
        'health_days',
        'health_sessions',
    ] -%}
        select
            athlete_id,
            '{{ entity }}' as entity,
            record_id,
            max(loaded_at) as read_at
        from {{ source('raw', entity) }}
        where {{ known() }}
        group by athlete_id, record_id
        {{- '\n\n        union all\n\n' if not loop.last }}
    {% endfor %}
),

-- Deleted by the source since, or missing from a complete read: recorded by a separate row.
deleted as (
    select
        athlete_id,
        entity,
        record_id,
        origin,
        max(loaded_at) as deleted_at
    from rejected
    where reason = 'deleted at the source'
    group by athlete_id, entity, record_id, origin
),

still_unread as (
    select
        concat_ws(
            '/',
            rejected.athlete_id,
            rejected.entity,
            rejected.payload_sha256,
            coalesce(cast(rejected.source_line as varchar), '-'),
            epoch_us(rejected.loaded_at)
        ) as quarantined_record_key,
        rejected.athlete_id,
        rejected.entity,
        rejected.record_id,
        rejected.source_line,
        rejected.origin,
        rejected.reason,
        rejected.loaded_at as rejected_at
    from rejected
    left join deleted
        on
            rejected.athlete_id = deleted.athlete_id
            and rejected.entity = deleted.entity
            and rejected.record_id = deleted.record_id
            and rejected.origin = deleted.origin
    left join read_records
        on
            rejected.athlete_id = read_records.athlete_id
            and rejected.entity = read_records.entity
            and rejected.record_id = read_records.record_id
    where
        rejected.reason <> 'deleted at the source'
        and coalesce(deleted.deleted_at < rejected.loaded_at, true)
        and coalesce(read_records.read_at < rejected.loaded_at, true)
)

select * from still_unread
