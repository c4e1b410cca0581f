with source as (
    select * from {{ source('coach', 'check_ins') }}
    where {{ known('checked_in_at') }}
),

typed as (
    select
        check_in_id,
        athlete_id,
        checked_in_at,
        energy,
        soreness,
        minutes,
        from_json(pain, '[{"part": "VARCHAR", "level": "VARCHAR"}]') as pains,
        from_json(deload, '["VARCHAR"]') as deloads
    from source
)

select * from typed
