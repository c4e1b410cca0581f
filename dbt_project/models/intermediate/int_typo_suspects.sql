{{ config(materialized='incremental', meta={'unit': 'athlete', 'inputs': 'int_athletes_counted'}) }}

with athletes as (
    {{ missing_from('int_typo_suspects', ref('int_athletes_counted')) }}
),

performed_sets as (
    select facts.* from {{ ref('int_sets_performed') }} as facts
    inner join athletes using (athlete_id)
    where facts.e1rm_kg is not null
),

-- One row per exercise and workout: the exposure. Drop sets are light on purpose and tell nothing.
exposures as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        max(e1rm_kg) as best_e1rm_kg
    from performed_sets
    where set_class = 'working'
    group by athlete_id, exercise_key, workout_id, started_at
),

-- Known on the day: only exposures before, and at least a few of them.
expected as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        case
            when count(*) over earlier >= {{ var('typo.min_others') }}
                then median(best_e1rm_kg) over earlier
        end as median_e1rm_kg
    from exposures
    window
        earlier as (
            partition by athlete_id, exercise_key
            order by started_at, workout_id
            rows between {{ var('typo.window') }} preceding and 1 preceding
        )
),

suspects as (
    select
        performed_sets.athlete_id,
        performed_sets.workout_id,
        performed_sets.exercise_index,
        performed_sets.set_index,
        expected.median_e1rm_kg
    from performed_sets
    inner join expected
        on
            performed_sets.athlete_id = expected.athlete_id
            and performed_sets.exercise_key = expected.exercise_key
            and performed_sets.workout_id = expected.workout_id
    where
        performed_sets.e1rm_kg > {{ var('typo.hi') }} * expected.median_e1rm_kg
        or (
            performed_sets.set_class = 'working'
            and performed_sets.e1rm_kg < {{ var('typo.lo') }} * expected.median_e1rm_kg
        )
)

select * from suspects
