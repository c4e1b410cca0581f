{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_exercise_trend', ref('int_athlete_inputs')) }}
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

false_alarms as (
    select * from {{ ref('stall_false_alarms') }}
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
),

eased as (
    select facts.* from {{ ref('int_exercises_eased') }} as facts
    inner join athletes using (athlete_id)
),

trained as (
    select
        athlete_id,
        exercise_key,
        max(started_at) as last_trained_at,
        max(workout_date) as last_trained_date
    from performed_sets
    group by athlete_id, exercise_key
),

{{ best_of_exposures() }}

dated as (
    select
        *,
        dense_rank() over latest_first as recency,
        first_value(workout_date) over latest_first as last_date
    from maxima
    window
        latest_first as (
            partition by athlete_id, exercise_key order by exposure_number desc
        )
),

{{ judge_trends('dated', ['athlete_id', 'exercise_key']) }}

-- Noise and drift are those of all lifters, scaled by the residual of this trend. Around a line
-- through n points of a series of independent steps the mean square is their variance times
-- (n + 2) / 15.
unsteady as (
    select
        *,
        exposure_count - 2 as freedom,
        {{ var('stall.usual_weight') }} as usual_weight,
        pow({{ var('stall.usual_noise') }}, 2)
        + pow({{ var('stall.usual_drift') }}, 2) * (exposure_count + 2) / 15 as usual_spread,
        sqrt(
            (freedom * pow(residual_pct, 2) / usual_spread + usual_weight)
            / (freedom + usual_weight)
        ) as spread_share,
        if(freedom > usual_weight, 'own', 'all_lifters') as false_alarm_basis,
        {{ var('stall.usual_noise') }} * spread_share as noise_pct,
        {{ var('stall.usual_drift') }} * spread_share as drift_pct
    from judged
    where is_enough
),

nodes as (
    select
        *,
        lag(noise_pct) over by_noise as noise_before_pct,
        lead(noise_pct) over by_noise as noise_after_pct,
        lag(drift_pct) over by_drift as drift_before_pct,
        lead(drift_pct) over by_drift as drift_after_pct,
        max(exposure_count) over () as most_exposures
    from false_alarms
    window
        by_noise as (partition by exposure_count, drift_pct order by noise_pct),
        by_drift as (partition by exposure_count, noise_pct order by drift_pct)
),

alarming as (
    select
        unsteady.athlete_id,
        unsteady.exercise_key,
        sum(
            nodes.false_alarm_rate
            * {{ share_of_node(
                'unsteady.noise_pct',
                'nodes.noise_before_pct',
                'nodes.noise_pct',
                'nodes.noise_after_pct',
            ) }}
            * {{ share_of_node(
                'unsteady.drift_pct',
                'nodes.drift_before_pct',
                'nodes.drift_pct',
                'nodes.drift_after_pct',
            ) }}
            order by nodes.noise_pct, nodes.drift_pct
        ) as false_alarm_rate
    from unsteady
    inner join nodes
        on least(unsteady.exposure_count, nodes.most_exposures) = nodes.exposure_count
    group by unsteady.athlete_id, unsteady.exercise_key
),

exposures as (
    select
        athlete_id,
        exercise_key,
        unnest(workout_ids) as workout_id
    from judged
),

-- How the exercise was trained in the exposures of the trend.
effort as (
    select
        performed_sets.athlete_id,
        performed_sets.exercise_key,
        avg(performed_sets.rpe order by performed_sets.rpe) as mean_rpe,
        avg(performed_sets.reps) as mean_reps
    from performed_sets
    inner join exposures
        on
            performed_sets.athlete_id = exposures.athlete_id
            and performed_sets.exercise_key = exposures.exercise_key
            and performed_sets.workout_id = exposures.workout_id
    where
        performed_sets.is_working
        and not performed_sets.is_typo_suspect
    group by performed_sets.athlete_id, performed_sets.exercise_key
),

described as (
    select
        concat_ws('/', trained.athlete_id, trained.exercise_key) as exercise_trend_key,
        trained.athlete_id,
        trained.exercise_key,
        judged.verdict,
        case
            when judged.verdict <> 'stalled' then null
            when effort.mean_rpe >= {{ var('stall.fix_rpe_min') }} then 'high_effort'
            when effort.mean_reps <= {{ var('stall.fix_low_reps') }} then 'low_reps'
            when judged.verdict = 'stalled' then 'other'
        end as plateau_reason,
        judged.e1rm_family,
        judged.rep_zone,
        judged.exposure_count,
        if(judged.is_enough, judged.slope_pct, null) as slope_pct,
        if(judged.is_enough, judged.standard_error_pct, null) as standard_error_pct,
        judged.slope_pct - judged.margin_pct as lower_pct,
        judged.slope_pct + judged.margin_pct as upper_pct,
        if(judged.is_enough, judged.residual_pct, null) as residual_pct,
        alarming.false_alarm_rate,
        unsteady.false_alarm_basis,
        unsteady.noise_pct,
        unsteady.drift_pct,
        effort.mean_rpe,
        effort.mean_reps,
        judged.window_start_date,
        judged.window_end_date,
        trained.last_trained_at,
        trained.last_trained_date
    from trained
    left join judged
        on trained.athlete_id = judged.athlete_id and trained.exercise_key = judged.exercise_key
    left join unsteady
        on trained.athlete_id = unsteady.athlete_id and trained.exercise_key = unsteady.exercise_key
    left join alarming
        on trained.athlete_id = alarming.athlete_id and trained.exercise_key = alarming.exercise_key
    left join effort
        on trained.athlete_id = effort.athlete_id and trained.exercise_key = effort.exercise_key
)

select * from described
