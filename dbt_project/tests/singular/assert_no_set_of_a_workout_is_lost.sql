-- Returns workouts whose number of sets differs between the parsed workout and the facts.
{{ config(meta={'dagster': {'ref': {'name': 'fct_workout'}}}) }}

with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

facts as (
    select * from {{ untested_rows(ref('fct_workout')) }}
),

paired as (
    select
        facts.athlete_id,
        facts.workout_id,
        facts.set_count,
        workouts.exercises
    from workouts
    inner join facts
        on
            workouts.athlete_id = facts.athlete_id
            and workouts.workout_id = facts.workout_id
),

counted as (
    select
        athlete_id,
        workout_id,
        set_count,
        coalesce(list_sum(list_transform(exercises, lambda exercise: len(exercise.sets))), 0)
            as parsed_count
    from paired
)

select * from counted
where parsed_count is distinct from set_count
