with plans as (
    select * from {{ source('coach', 'plans') }}
    where {{ known('created_at') }}
),

decisions as (
    select * from {{ source('coach', 'decisions') }}
    where {{ known('decided_at') }}
),

renamed as (
    select
        plans.plan_id,
        plans.decision_id,
        plans.athlete_id,
        plans.routine_id,
        plans.routine_title,
        plans.created_at,
        plans.decided_by,
        decisions.rule_version
    from plans
    left join decisions on plans.decision_id = decisions.decision_id
)

select * from renamed
