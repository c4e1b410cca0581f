with source as (
    select * from {{ source('coach', 'llm_calls') }}
    where {{ known('asked_at') }}
),

renamed as (
    select
        llm_call_id,
        question_id,
        request_index,
        athlete_id,
        decision_id,
        call_name,
        provider,
        model,
        tier,
        attempt,
        outcome,
        error,
        cast(feedback as varchar[]) as feedback,
        prompt_sha256,
        prompt_version,
        input_tokens,
        cached_tokens,
        cache_write_tokens,
        output_tokens,
        reasoning_tokens,
        cast(cost_usd as double) as cost_usd,
        duration_s,
        asked_at
    from source
)

select * from renamed
