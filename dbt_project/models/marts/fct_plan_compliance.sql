-- depends_on: {{ ref('int_workouts_planned') }}
{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'workout', 'inputs': 'int_workouts_planned'},
) }}

with compared as (
    select * from {{ ref('int_sets_compared') }}
),

keyed as (
    select
        case
            when planned_set_index is not null
                then concat_ws(
                    '/',
                    athlete_id,
                    workout_id,
                    'planned',
                    planned_exercise_index,
                    planned_set_index
                )
            else concat_ws(
                '/',
                athlete_id,
                workout_id,
                'performed',
                performed_exercise_index,
                performed_set_index
            )
        end as plan_compliance_key,
        {{ set_key('compared', 'performed_exercise_index', 'performed_set_index') }} as set_key,
        athlete_id,
        workout_id,
        routine_id,
        routine_version_key,
        plan_basis,
        exercise_key,
        exercise_title,
        occurrence,
        planned_exercise_index,
        planned_set_index,
        performed_exercise_index,
        performed_set_index,
        set_class,
        planned_set_type,
        performed_set_type,
        planned_weight_kg,
        planned_reps_low,
        planned_reps_high,
        planned_duration_s,
        planned_distance_m,
        planned_custom_metric,
        weight_kg,
        reps,
        duration_s,
        distance_m,
        custom_metric,
        rpe,
        is_typo_suspect,
        is_confirmed,
        diff_weight_kg,
        diff_reps,
        diff_duration_s,
        diff_custom_metric,
        amrap_extra,
        execution_status,
        substitution_exercise_key,
        target_count,
        coalesce(
            is_plan_known
            and set_class = 'working'
            and target_count > 0
            and is_typo_suspect is distinct from true,
            false
        ) as counts_for_adherence,
        is_plan_known,
        is_possibly_superseded,
        started_at,
        workout_date,
        week_start_date
    from compared
),

adhered as (
    select
        *,
        case
            when counts_for_adherence
                then {{ is_as_planned('execution_status', 'planned_weight_kg', 'weight_kg') }}
        end as is_met
    from keyed
)

select * from adhered
