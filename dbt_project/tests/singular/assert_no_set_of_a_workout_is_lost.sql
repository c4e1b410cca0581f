-- Returns workouts whose number of sets differs between the parsed workout and the facts.
{{ config(meta={'dagster': {'ref': {'name': 'fct_workout'}}}) }}

with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

facts as (
    select * from {{ rows_of_the_last_build(ref('fct_workout')) }}
),

parsed as (
    select
        athlete_id,
        workout_id,
        coalesce(
            list_sum(list_transform(exercises, lambda exercise: len(exercise.sets))), 0
        ) as set_count
    from workouts
)

select
    parsed.athlete_id,
    parsed.workout_id,
    parsed.set_count as parsed_count,
    facts.set_count
from parsed
inner join facts
    on
        parsed.athlete_id = facts.athlete_id
        and parsed.workout_id = facts.workout_id
where parsed.set_count is distinct from facts.set_count
