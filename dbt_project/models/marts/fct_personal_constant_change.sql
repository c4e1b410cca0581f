{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_personal_constant_change', ref('int_athlete_inputs')) }}
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
    where facts.is_working and not facts.is_typo_suspect
),

{{ loaded_sets() }}

{{ load_changes() }}

-- Each rise by its step, with the number and the median of those up to it.
rises as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        workout_date,
        {{ step('change_kg') }} as step_kg,
        row_number() over uses as use_count,
        median(change_kg) over uses as change_kg
    from changes
    where change_kg > {{ var('align.load_tolerance') }}
    window
        uses as (
            partition by athlete_id, exercise_key, {{ step('change_kg') }}
            order by started_at, workout_id
            rows between unbounded preceding and current row
        )
),

-- A step is learned at its last required use, and counts if no smaller one was known.
learned as (
    select
        *,
        min(step_kg) over (
            partition by athlete_id, exercise_key
            order by started_at, workout_id
            rows between unbounded preceding and 1 preceding
        ) as known_step_kg
    from rises
    where use_count = {{ var('increment.learn_min_uses') }}
    qualify step_kg < known_step_kg or known_step_kg is null
),

{{ timed_workouts() }}

paced as (
    select
        *,
        median(minutes) over latest as pace,
        count(*) over latest as workout_count
    from timed
    window
        latest as (
            partition by athlete_id
            order by started_at, workout_id
            rows between {{ rows_before(var('duration.window')) }} preceding and current row
        )
),

constants as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        workout_date,
        'increment' as constant_name,
        'kg' as unit,
        change_kg as constant_value,
        use_count as observation_count
    from learned
    union all
    select
        athlete_id,
        cast(null as varchar) as exercise_key,
        workout_id,
        started_at,
        workout_date,
        'minutes_a_set' as constant_name,
        'min' as unit,
        pace as constant_value,
        workout_count as observation_count
    from paced
    where workout_count >= {{ var('duration.personal_min_n') }}
),

changed as (
    select
        *,
        lag(constant_value) over by_time as previous_value
    from constants
    window
        by_time as (
            partition by athlete_id, constant_name, exercise_key order by started_at, workout_id
        )
    qualify constant_value is distinct from previous_value
),

described as (
    select
        concat_ws('/', athlete_id, constant_name, workout_id, exercise_key)
            as personal_constant_change_key,
        concat_ws('/', athlete_id, constant_name, exercise_key) as personal_constant_key,
        athlete_id,
        exercise_key,
        constant_name,
        workout_id,
        unit,
        constant_value,
        previous_value,
        cast(observation_count as integer) as observation_count,
        workout_date as changed_date,
        lead(workout_date) over (
            partition by athlete_id, constant_name, exercise_key order by started_at, workout_id
        ) as next_change_date
    from changed
)

select * from described
