with source as (
    select * from {{ source('coach', 'plan_sets') }}
),

plans as (
    select * from {{ ref('stg_coach__plans') }}
),

renamed as (
    select
        source.plan_id,
        source.athlete_id,
        source.exercise_index,
        source.set_index,
        source.exercise_template_id,
        source.exercise_title,
        source.set_type,
        source.weight_kg,
        source.reps,
        source.rep_range_start,
        source.rep_range_end,
        source.duration_s,
        source.distance_m,
        source.custom_metric,
        source.rule,
        source.reason
    from source
    semi join plans using (plan_id)
)

select * from renamed
