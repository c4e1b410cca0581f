with performed_sets as (
    select * from {{ ref('stg_hevy__sets') }}
),

identified as (
    select * from {{ ref('int_exercises_identified') }}
),

exercises as (
    select * from {{ ref('dim_exercise') }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

typed as (
    select
        performed_sets.*,
        identified.exercise_key,
        identified.occurrence,
        performed_sets.set_type in ('normal', 'failure') as is_working,
        {{ moves_the_body('exercises.exercise_type') }} as moves_the_body,
        performed_sets.reps + coalesce(10 - performed_sets.rpe, 0) as effective_reps,
        {{ local_date('performed_sets.started_at', 'athletes.timezone') }} as workout_date
    from performed_sets
    inner join identified
        on
            performed_sets.athlete_id = identified.athlete_id
            and performed_sets.workout_id = identified.workout_id
            and performed_sets.exercise_index = identified.exercise_index
    left join exercises
        on
            identified.athlete_id = exercises.athlete_id
            and identified.exercise_key = exercises.exercise_key
    left join athletes on performed_sets.athlete_id = athletes.athlete_id
),

-- The recorded load is not what was lifted where the body is part of it. Else:
-- Epley with repetitions in reserve counted as repetitions. A single at its limit is a maximum by
-- itself, and far from the limit the formula diverges.
measured as (
    select
        concat_ws('/', athlete_id, workout_id, exercise_index, set_index) as set_key,
        athlete_id,
        workout_id,
        exercise_index,
        set_index,
        exercise_key,
        exercise_template_id,
        exercise_title,
        occurrence,
        superset_id,
        set_type,
        is_working,
        weight_kg,
        reps,
        distance_m,
        duration_s,
        rpe,
        custom_metric,
        case when is_working and not moves_the_body then weight_kg * reps end as volume_kg,
        case
            when set_type = 'warmup' or moves_the_body or weight_kg <= 0 then null
            when reps = 1 and coalesce(rpe >= {{ var('e1rm.tested_single_rpe_min') }}, true)
                then weight_kg
            when reps >= 1 and effective_reps between 1 and {{ var('e1rm.hard_max_reps_eff') }}
                then weight_kg * (30 + effective_reps) / 30
        end as e1rm_kg,
        started_at,
        workout_date
    from typed
)

select * from measured
