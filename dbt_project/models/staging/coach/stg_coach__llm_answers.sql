with source as (
    select * from {{ source('coach', 'llm_answers') }}
    where {{ known('answered_at') }}
),

renamed as (
    select
        decision_id,
        engine_decision_id,
        athlete_id,
        decided_by,
        prompt_version,
        is_shadow,
        answered_at
    from source
)

select * from renamed
