{{ config(materialized='incremental', meta={'unit': 'workout', 'inputs': 'int_workouts_judged'}) }}

with workouts as (
    {{ missing_from('fct_set', ref('int_workouts_judged')) }}
),

performed_sets as (
    select facts.* from {{ ref('int_sets_performed') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

judged_sets as (
    select * from {{ ref('int_sets_judged') }}
),

measured as (
    select
        concat_ws(
            '/',
            performed_sets.athlete_id,
            performed_sets.workout_id,
            performed_sets.exercise_index,
            performed_sets.set_index
        ) as set_key,
        performed_sets.athlete_id,
        performed_sets.workout_id,
        performed_sets.exercise_index,
        performed_sets.set_index,
        performed_sets.exercise_key,
        performed_sets.exercise_template_id,
        performed_sets.exercise_title,
        performed_sets.occurrence,
        performed_sets.superset_id,
        performed_sets.set_type,
        performed_sets.set_class,
        performed_sets.set_number,
        performed_sets.class_set_count,
        performed_sets.set_class = 'working' as is_working,
        performed_sets.set_class = 'working'
        and coalesce(performed_sets.reps > 0, true)
        and coalesce(performed_sets.rpe >= {{ var('rpe.hard_set_min') }}, true) as is_hard,
        performed_sets.set_class = 'working'
        and coalesce(performed_sets.reps > 0, true)
        and performed_sets.rpe is null as is_assumed_hard,
        coalesce(judged_sets.is_typo_suspect, false) as is_typo_suspect,
        judged_sets.is_confirmed,
        performed_sets.weight_kg,
        performed_sets.reps,
        performed_sets.distance_m,
        performed_sets.duration_s,
        performed_sets.rpe,
        performed_sets.custom_metric,
        performed_sets.volume_kg,
        performed_sets.effective_reps,
        performed_sets.e1rm_method,
        performed_sets.e1rm_kg,
        performed_sets.e1rm_kg * (1 - {{ e1rm_band('performed_sets.effective_reps') }})
            as e1rm_low_kg,
        performed_sets.e1rm_kg * (1 + {{ e1rm_band('performed_sets.effective_reps') }})
            as e1rm_high_kg,
        case
            when performed_sets.e1rm_kg is not null
                then performed_sets.rpe is null
        end as is_e1rm_lower_bound,
        case
            when performed_sets.e1rm_kg is not null
                then performed_sets.effective_reps > {{ var('e1rm.max_reps_eff') }}
        end as is_e1rm_low_confidence,
        performed_sets.started_at,
        performed_sets.workout_date,
        performed_sets.week_start_date
    from performed_sets
    left join judged_sets
        on
            performed_sets.athlete_id = judged_sets.athlete_id
            and performed_sets.workout_id = judged_sets.workout_id
            and performed_sets.exercise_index = judged_sets.exercise_index
            and performed_sets.set_index = judged_sets.set_index
)

select * from measured
