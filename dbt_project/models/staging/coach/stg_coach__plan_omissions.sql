with source as (
    select * from {{ source('coach', 'plans') }}
    where {{ known('created_at') }}
),

slots as (
    select
        plan_id,
        unnest(cast(json_extract(plan, '$.slots') as json[])) as slot
    from source
),

renamed as (
    select
        plan_id,
        cast(slot ->> '$.exercise_index' as integer) as exercise_index,
        slot ->> '$.exercise_template_id' as exercise_template_id,
        slot ->> '$.exercise_title' as exercise_title,
        cast(slot ->> '$.occurrence' as integer) as occurrence,
        cast(slot ->> '$.superset_id' as integer) as superset_id,
        cast(slot ->> '$.rest_s' as integer) as rest_s,
        slot ->> '$.notes' as exercise_notes
    from slots
    where json_array_length(slot, '$.sets') = 0
)

select * from renamed
