{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'workout', 'inputs': 'int_workouts_rated'},
) }}

with workouts as (
    {{ missing_from('fct_exercise_session', ref('int_workouts_rated')) }}
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

-- A doubted set counts as a set, but its load and repetitions are null.
summed as (
    select
        athlete_id,
        workout_id,
        exercise_key,
        any_value(exercise_version_key) as exercise_version_key,
        any_value(exercise_title order by exercise_index) as exercise_title,
        cast(count(*) as integer) as set_count,
        cast(count(*) filter (where is_working) as integer) as working_set_count,
        cast(count(*) filter (where is_hard) as integer) as hard_set_count,
        cast(count(*) filter (where is_typo_suspect) as integer) as typo_suspect_count,
        cast(sum(reps) filter (where is_working and not is_typo_suspect) as integer) as reps,
        avg(reps) filter (where is_working and not is_typo_suspect) as mean_reps,
        {{ exact_sum('if(is_typo_suspect, null, volume_kg)') }} as volume_kg,
        max(weight_kg) filter (where is_working and not is_typo_suspect) as top_weight_kg,
        max(
            {
                'kg': e1rm_kg,
                'low_kg': e1rm_low_kg,
                'high_kg': e1rm_high_kg,
                'method': e1rm_method,
                'family': {{ e1rm_family('e1rm_method', 'is_e1rm_lower_bound') }},
                'reps': reps,
                'effective_reps': effective_reps
            }
        ) filter (
            where
            e1rm_kg is not null
            and not is_typo_suspect
            and not is_easy
            and not is_e1rm_low_confidence
        ) as best,
        any_value(own_max_kg) as own_max_kg,
        avg(intensity_pct order by intensity_pct) filter (where is_working)
            as mean_intensity_pct,
        max(intensity_pct) filter (where is_working) as top_intensity_pct,
        {{ exact_sum('if(is_working, inol, null)') }} as inol,
        avg(rpe) filter (where is_working) as mean_rpe,
        cast(count(rpe) filter (where is_working) as integer) as rpe_count,
        started_at,
        workout_date,
        week_start_date
    from performed_sets
    group by
        athlete_id, workout_id, exercise_key, started_at, workout_date, week_start_date
),

described as (
    select
        concat_ws('/', athlete_id, workout_id, exercise_key) as exercise_session_key,
        athlete_id,
        workout_id,
        exercise_key,
        exercise_version_key,
        exercise_title,
        set_count,
        working_set_count,
        hard_set_count,
        typo_suspect_count,
        reps,
        mean_reps,
        volume_kg,
        top_weight_kg,
        best.kg as e1rm_kg,
        best.low_kg as e1rm_low_kg,
        best.high_kg as e1rm_high_kg,
        best.method as e1rm_method,
        best.family as e1rm_family,
        best.reps as e1rm_reps,
        best.effective_reps as e1rm_effective_reps,
        own_max_kg,
        mean_intensity_pct,
        top_intensity_pct,
        inol,
        mean_rpe,
        rpe_count,
        started_at,
        workout_date,
        week_start_date
    from summed
)

select * from described
