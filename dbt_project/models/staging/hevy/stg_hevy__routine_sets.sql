with exercises as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

unnested as (
    select
        athlete_id,
        routine_id,
        exercise_index,
        exercise_template_id,
        loaded_at,
        unnest(planned_sets) as planned_set,
        generate_subscripts(planned_sets, 1) - 1 as set_index
    from exercises
),

renamed as (
    select
        athlete_id,
        routine_id,
        exercise_index,
        cast(set_index as integer) as set_index,
        exercise_template_id,
        planned_set.type as set_type,
        planned_set.weight_kg,
        planned_set.reps,
        planned_set.rep_range.start as rep_range_start,
        planned_set.rep_range.end as rep_range_end,
        planned_set.duration_seconds as duration_s,
        planned_set.distance_meters as distance_m,
        planned_set.custom_metric,
        loaded_at
    from unnested
)

select * from renamed
