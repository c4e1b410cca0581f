{# `loaded` from `performed_sets` and `exercises`: the working sets with comparable loads. #}
{% macro loaded_sets() -%}
loaded as (
    select
        performed_sets.athlete_id,
        performed_sets.exercise_key,
        performed_sets.workout_id,
        performed_sets.exercise_index,
        performed_sets.set_index,
        performed_sets.set_type,
        performed_sets.reps,
        performed_sets.rpe,
        performed_sets.started_at,
        performed_sets.workout_date,
        {{ comparable_load('exercises.exercise_type', 'performed_sets.weight_kg') }} as load_kg
    from performed_sets
    left join exercises
        on
            performed_sets.athlete_id = exercises.athlete_id
            and performed_sets.exercise_key = exercises.exercise_key
),
{%- endmacro %}

{# `changes` from `loaded`, from each exposure of an exercise to the next. #}
{% macro load_changes() -%}
-- The working load of an exposure is its heaviest.
exposures as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        workout_date,
        max(load_kg) as load_kg
    from loaded
    where load_kg is not null
    group by athlete_id, exercise_key, workout_id, started_at, workout_date
),

changes as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        workout_date,
        load_kg - lag(load_kg) over (
            partition by athlete_id, exercise_key order by started_at, workout_id
        ) as change_kg
    from exposures
),
{%- endmacro %}

{# A change of load as a step, to a tenth of a kilogram: converted pounds differ by grams. #}
{% macro step(change_kg) -%}
    round(round({{ change_kg }}, 2), 1)
{%- endmacro %}

{# `timed` from `workouts`: the minutes a set of each workout with a credible duration. #}
{% macro timed_workouts() -%}
-- Shorter or longer ones were stopped too late or too early by hand.
timed as (
    select
        athlete_id,
        workout_id,
        started_at,
        workout_date,
        duration_s / 60 / set_count as minutes
    from workouts
    where
        duration_s between
        {{ var('duration.min_minutes') }} * 60 and {{ var('duration.max_minutes') }} * 60
        and set_count >= {{ var('duration.min_sets') }}
),
{%- endmacro %}

{# How many rows precede the current one in a window of `count` rows. #}
{% macro rows_before(count) -%}
    {{ [count | int - 1, 0] | max }}
{%- endmacro %}
