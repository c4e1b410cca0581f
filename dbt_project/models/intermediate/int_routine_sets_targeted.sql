{{ config(materialized='table') }}

with exercises as (
    select * from {{ ref('int_routine_exercises_identified') }}
),

planned_sets as (
    select * from {{ ref('stg_hevy__routine_sets') }}
),

-- A range takes precedence over a fixed number; either end may be open.
targeted as (
    select
        exercises.routine_version_key,
        exercises.exercise_index,
        planned_sets.set_index,
        exercises.exercise_key,
        exercises.exercise_title,
        exercises.occurrence,
        planned_sets.set_type,
        {{ set_class('planned_sets.set_type') }} as set_class,
        cast(row_number() over class_sets as integer) as set_number,
        cast(
            count(*) over (
                partition by
                    exercises.routine_version_key,
                    exercises.exercise_index,
                    {{ set_class('planned_sets.set_type') }}
            ) as integer
        ) as class_set_count,
        planned_sets.weight_kg,
        case
            when planned_sets.rep_range_start is null and planned_sets.rep_range_end is null
                then planned_sets.reps
            else planned_sets.rep_range_start
        end as reps_low,
        case
            when planned_sets.rep_range_start is null and planned_sets.rep_range_end is null
                then planned_sets.reps
            else planned_sets.rep_range_end
        end as reps_high,
        planned_sets.duration_s,
        planned_sets.distance_m,
        planned_sets.custom_metric
    from exercises
    inner join planned_sets
        on
            exercises.athlete_id = planned_sets.athlete_id
            and exercises.routine_id = planned_sets.routine_id
            and exercises.known_from = planned_sets.loaded_at
            and exercises.exercise_index = planned_sets.exercise_index
    window
        class_sets as (
            partition by
                exercises.routine_version_key,
                exercises.exercise_index,
                {{ set_class('planned_sets.set_type') }}
            order by planned_sets.set_index
        )
)

select * from targeted
