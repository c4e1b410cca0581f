with requests as (
    select * from {{ ref('stg_coach__llm_calls') }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

-- At most one request of a question brings the answer that is taken.
questions as (
    select
        question_id,
        coalesce(
            any_value(concat(provider, ':', model)) filter (where outcome = 'ok'),
            'engine'
        ) as answered_by
    from requests
    group by question_id
),

described as (
    select
        concat_ws('/', requests.athlete_id, requests.llm_call_id) as llm_call_key,
        requests.llm_call_id,
        requests.question_id,
        requests.request_index,
        requests.athlete_id,
        requests.decision_id,
        requests.call_name,
        requests.provider,
        requests.model,
        requests.tier,
        requests.attempt,
        requests.outcome,
        questions.answered_by,
        requests.error,
        requests.feedback,
        requests.prompt_sha256,
        requests.prompt_version,
        requests.input_tokens,
        requests.cached_tokens,
        requests.cache_write_tokens,
        requests.output_tokens,
        requests.reasoning_tokens,
        requests.cost_usd,
        requests.duration_s,
        requests.asked_at,
        {{ local_date('requests.asked_at', "coalesce(athletes.timezone, 'UTC')") }} as asked_date,
        cast(date_trunc('week', asked_date) as date) as week_start_date
    from requests
    inner join questions on requests.question_id = questions.question_id
    left join athletes on requests.athlete_id = athletes.athlete_id
)

select * from described
