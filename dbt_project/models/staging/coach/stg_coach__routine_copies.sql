with source as (
    select * from {{ source('coach', 'publications') }}
    where
        written_routine_id is not null
        and {{ known('coalesce(effective_at, finished_at, staged_at)') }}
),

renamed as (
    select
        athlete_id,
        written_routine_id as routine_id,
        max_by(routine_id, publication_number) as original_routine_id
    from source
    group by athlete_id, written_routine_id
)

select * from renamed
