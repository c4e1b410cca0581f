with aligned as (
    select * from {{ ref('int_sets_aligned') }}
),

exercises as (
    select * from {{ ref('dim_exercise') }}
),

substitutions as (
    select * from {{ ref('int_exercises_substituted') }}
),

typed as (
    select
        aligned.*,
        {{ is_assisted('exercises.exercise_type') }} as is_assisted
    from aligned
    left join exercises
        on
            aligned.athlete_id = exercises.athlete_id
            and aligned.exercise_key = exercises.exercise_key
),

linked as (
    select
        typed.*,
        substitutions.substitution_exercise_key
    from typed
    left join substitutions
        on
            typed.athlete_id = substitutions.athlete_id
            and typed.workout_id = substitutions.workout_id
            and typed.exercise_key = substitutions.exercise_key
            and typed.occurrence = substitutions.occurrence
),

-- A difference is null without a target or without a record. Loads converted from pounds carry
-- binary noise, which the rounding removes.
measured as (
    select
        *,
        round(
            if(is_assisted, abs(planned_weight_kg) - abs(weight_kg), weight_kg - planned_weight_kg),
            6
        ) as diff_weight_kg,
        case
            when reps > planned_reps_high then reps - planned_reps_high
            when reps < planned_reps_low then reps - planned_reps_low
            when reps is not null and coalesce(planned_reps_low, planned_reps_high) is not null
                then 0
        end as diff_reps,
        duration_s - planned_duration_s as diff_duration_s,
        round(custom_metric - planned_custom_metric, 6) as diff_custom_metric,
        case
            when planned_reps_high is null and reps >= planned_reps_low
                then reps - planned_reps_low
        end as amrap_extra,
        case
            when planned_set_index is not null
                then
                    cast(planned_weight_kg is not null as integer)
                    + cast(coalesce(planned_reps_low, planned_reps_high) is not null as integer)
                    + cast(planned_duration_s is not null as integer)
                    + cast(planned_custom_metric is not null as integer)
        end as target_count
    from linked
),

tolerant as (
    select
        *,
        case
            when abs(diff_weight_kg) <= {{ var('align.load_tolerance') }} then 0
            else diff_weight_kg
        end as load_excess
    from measured
),

-- The first matching row decides; a null difference matches none. A planned but unrecorded load
-- excludes a match: the other values do not show that the target was met.
named as (
    select
        *,
        case
            when not is_plan_known then null
            when performed_set_index is null then 'Skipped'
            when planned_set_index is null then 'Unplanned'
            when
                target_count > 0
                and coalesce(diff_weight_kg, diff_reps, diff_duration_s, diff_custom_metric) is null
                then null
            when load_excess > 0 and diff_reps > 0 then 'Overperformed: Heavier & More Reps'
            when load_excess > 0 and diff_reps < 0 then 'Mixed: Heavier but Fewer Reps'
            when load_excess > 0 then 'Overperformed: Heavier'
            when load_excess < 0 and diff_reps > 0 then 'Mixed: Lighter but More Reps'
            when load_excess < 0 then 'Underperformed: Lighter'
            when diff_reps > 0 then 'Overperformed: More Reps'
            when diff_reps < 0 then 'Underperformed: Fewer Reps'
            when diff_duration_s > 0 then 'Overperformed: Longer Duration'
            when diff_duration_s < 0 then 'Underperformed: Shorter Duration'
            when diff_custom_metric > 0 then 'Overperformed: Higher Custom Metric'
            when diff_custom_metric < 0 then 'Underperformed: Lower Custom Metric'
            when planned_weight_kg is null then 'Target Met: Free/Bodyweight'
            when load_excess is not null then 'Target Met'
        end as execution_status
    from tolerant
)

select * from named
