with versions as (
    select * from {{ ref('int_routine_versions_dated') }}
),

routine_versions as (
    select
        routine_version_key,
        athlete_id,
        routine_id,
        payload_sha256,
        published_plan_id,
        title,
        folder_id,
        origin,
        version_number,
        is_deleted,
        is_current,
        valid_from,
        valid_to,
        known_from,
        known_to,
        last_seen_at
    from versions
)

select * from routine_versions
