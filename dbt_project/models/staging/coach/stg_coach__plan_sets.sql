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
        source.reason,
        coalesce(source.is_easy, false) as is_easy,
        source.predicted_reps,
        source.predicted_reps_low,
        source.predicted_reps_high,
        source.success_probability
    from source
    semi join plans using (plan_id)
)

select * from renamed
