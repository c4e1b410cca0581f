with source as (
    select * from {{ source('coach', 'corrections') }}
    where {{ known('corrected_at') }}
),

-- The latest correction of a workout or a set counts.
latest as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        set_index,
        action,
        weight_kg,
        reps,
        distance_m,
        duration_s,
        custom_metric,
        reason,
        corrected_at
    from source
    qualify row_number() over (
        partition by athlete_id, workout_id, exercise_index, set_index
        order by corrected_at desc, correction_id desc
    ) = 1
)

select * from latest
