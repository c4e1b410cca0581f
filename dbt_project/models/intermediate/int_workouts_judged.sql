{{ config(materialized='table') }}

with workouts as (
    select * from {{ ref('int_workouts_counted') }}
),

judged_sets as (
    select * from {{ ref('int_sets_judged') }}
),

exertions as (
    select * from {{ ref('int_workouts_exerted') }}
),

athlete_versions as (
    select * from {{ ref('dim_athlete_version') }}
),

judgements as (
    select
        athlete_id,
        workout_id,
        list(
            hash(exercise_index, set_index, is_typo_suspect, is_confirmed)
            order by exercise_index, set_index
        ) as set_hashes
    from judged_sets
    group by athlete_id, workout_id
),

judged as (
    select
        workouts.* exclude (input_hash),
        athlete_versions.athlete_version_key,
        exertions.session_rpe,
        exertions.session_rpe_source,
        hash(
            workouts.input_hash,
            judgements.set_hashes,
            exertions.session_rpe,
            exertions.session_rpe_source,
            athlete_versions.athlete_version_key
        ) as input_hash
    from workouts
    left join judgements
        on
            workouts.athlete_id = judgements.athlete_id
            and workouts.workout_id = judgements.workout_id
    left join exertions
        on
            workouts.athlete_id = exertions.athlete_id
            and workouts.workout_id = exertions.workout_id
    left join athlete_versions
        on
            workouts.athlete_id = athlete_versions.athlete_id
            and {{ is_in_force('athlete_versions', 'workouts.started_at') }}
)

select * from judged
