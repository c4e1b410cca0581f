with corrections as (
    select * from {{ ref('stg_coach__corrections') }}
),

workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

-- An excluded workout is in no other mart, so its name and day are included here.
named as (
    select
        concat_ws(
            '/',
            corrections.athlete_id,
            corrections.workout_id,
            corrections.exercise_index,
            corrections.set_index
        ) as correction_key,
        corrections.athlete_id,
        corrections.workout_id,
        corrections.exercise_index,
        corrections.set_index,
        corrections.action,
        workouts.title as workout_title,
        {{ local_date('workouts.started_at', "coalesce(profiles.timezone, 'UTC')") }}
            as workout_date,
        workouts.exercises[corrections.exercise_index + 1].title as exercise_title,
        corrections.weight_kg,
        corrections.reps,
        corrections.distance_m,
        corrections.duration_s,
        corrections.custom_metric,
        corrections.reason,
        corrections.corrected_at
    from corrections
    left join workouts
        on
            corrections.athlete_id = workouts.athlete_id
            and corrections.workout_id = workouts.workout_id
    left join profiles on corrections.athlete_id = profiles.athlete_id
)

select * from named
