with exercises as (
    select * from {{ ref('stg_hevy__exercises') }}
),

unnested as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        exercise_template_id,
        superset_id,
        exercise_title,
        exercise_notes,
        started_at,
        unnest(performed_sets) as performed_set,
        generate_subscripts(performed_sets, 1) - 1 as set_index
    from exercises
),

renamed as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        cast(set_index as integer) as set_index,
        exercise_template_id,
        superset_id,
        exercise_title,
        exercise_notes,
        performed_set.type as set_type,
        performed_set.weight_kg,
        performed_set.reps,
        performed_set.distance_meters as distance_m,
        performed_set.duration_seconds as duration_s,
        -- The scale ends at 10: more is a typing error, and would make a hard set look easier.
        case when performed_set.rpe <= 10 then performed_set.rpe end as rpe,
        performed_set.custom_metric,
        started_at
    from unnested
)

select * from renamed
