with source as (
    select * from {{ source('coach', 'session_rpes') }}
    where {{ known('recorded_at') }}
),

renamed as (
    select
        session_rpe_id,
        athlete_id,
        session_rpe,
        recorded_at
    from source
)

select * from renamed
