-- depends_on: {{ ref('int_workouts_counted') }}
{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'workout', 'inputs': 'int_workouts_counted'},
) }}

with exercises as (
    select * from {{ ref('int_exercises_identified') }}
),

unnested as (
    select
        exercises.* exclude (performed_sets),
        {{ set_classes('exercises.performed_sets') }} as classes,
        unnest(exercises.performed_sets) as performed_set,
        generate_subscripts(exercises.performed_sets, 1) as place
    from exercises
),

typed as (
    select
        unnested.athlete_id,
        unnested.workout_id,
        unnested.exercise_index,
        cast(unnested.place - 1 as integer) as set_index,
        unnested.exercise_key,
        unnested.exercise_template_id,
        unnested.exercise_title,
        unnested.occurrence,
        unnested.superset_id,
        unnested.performed_set.type as set_type,
        unnested.classes[unnested.place] as set_class,
        {{ number_in_class('unnested.classes', 'unnested.place') }} as set_number,
        {{ count_of_class('unnested.classes', 'unnested.place') }} as class_set_count,
        unnested.performed_set.weight_kg,
        unnested.performed_set.reps,
        unnested.performed_set.distance_meters as distance_m,
        unnested.performed_set.duration_seconds as duration_s,
        -- The scale ends at 10: more is a typing error, and would make a hard set look easier.
        case
            when unnested.performed_set.rpe <= 10 then unnested.performed_set.rpe
        end as rpe,
        unnested.performed_set.custom_metric,
        unnested.exercise_type,
        {{ moves_the_body('unnested.exercise_type') }} as moves_the_body,
        unnested.started_at,
        unnested.workout_date,
        unnested.week_start_date
    from unnested
),

-- The recorded load is not what was lifted where the body is part of it.
rated as (
    select
        *,
        {{ effective_reps('reps', 'rpe') }} as effective_reps,
        coalesce(
            set_class <> 'warmup'
            and not moves_the_body
            and weight_kg > 0
            and reps >= 1
            and {{ effective_reps('reps', 'rpe') }}
            between 1 and {{ var('e1rm.hard_max_reps_eff') }},
            false
        ) as tells_a_maximum
    from typed
),

-- A single at its limit is a maximum by itself, and far from the limit the formula diverges.
estimated as (
    select
        * exclude (moves_the_body, tells_a_maximum),
        case when set_class <> 'warmup' and not moves_the_body then weight_kg * reps end
            as volume_kg,
        case
            when not tells_a_maximum then null
            when reps = 1 and rpe >= {{ var('e1rm.tested_single_rpe_min') }} then 'tested'
            when tells_a_maximum then 'epley'
        end as e1rm_method,
        case
            when not tells_a_maximum then null
            when reps = 1 and rpe >= {{ var('e1rm.tested_single_rpe_min') }} then weight_kg
            when tells_a_maximum then {{ epley_max('weight_kg', 'effective_reps') }}
        end as e1rm_kg
    from rated
)

select * from estimated
