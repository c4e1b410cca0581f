with source as (
    select * from {{ source('coach', 'publications') }}
    where {{ known('coalesce(effective_at, finished_at, staged_at)') }}
),

renamed as (
    select
        publication_id,
        -- A rollback to content without a plan has none.
        nullif(plan_id, '') as plan_id,
        athlete_id,
        -- The written routine, which may be a copy of the plan's.
        coalesce(written_routine_id, routine_id) as routine_id,
        published_sha256,
        state,
        coalesce(effective_at, case when state = 'unchanged' then finished_at end) as effective_at
    from source
)

select * from renamed
