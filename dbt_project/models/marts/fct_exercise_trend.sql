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

-- Sets that were light on purpose are no performance.
measured as (
    select performed_sets.*
    from performed_sets
    anti join eased
        on
            performed_sets.athlete_id = eased.athlete_id
            and performed_sets.workout_id = eased.workout_id
            and performed_sets.exercise_key = eased.exercise_key
),

-- The best of an exposure, apart for each family of maxima and zone of repetitions.
maxima as (
    select
        measured.athlete_id,
        measured.exercise_key,
        measured.workout_id,
        measured.started_at,
        measured.workout_date,
        {{ e1rm_family('measured.e1rm_method', 'measured.is_e1rm_lower_bound') }}
            as e1rm_family,
        {{ rep_zone('measured.effective_reps') }} as rep_zone,
        max(measured.e1rm_kg) as e1rm_kg
    from measured
    left join exercises
        on
            measured.athlete_id = exercises.athlete_id
            and measured.exercise_key = exercises.exercise_key
    where
        measured.e1rm_kg is not null
        and not measured.is_e1rm_low_confidence
        and not measured.is_typo_suspect
        and not measured.is_easy
        and {{ can_stall('exercises.exercise_type', 'exercises.primary_muscle_group') }}
    group by all
),

dated as (
    select
        *,
        dense_rank() over exposures as recency,
        first_value(workout_date) over exposures as last_date
    from maxima
    window
        exposures as (
            partition by athlete_id, exercise_key order by started_at desc, workout_id desc
        )
),

-- The series with most of the latest exposures; of equals the newest, then the heaviest.
chosen as (
    select
        athlete_id,
        exercise_key,
        e1rm_family,
        rep_zone
    from dated
    where
        recency <= {{ var('stall.max_exposures') }}
        and workout_date >= last_date - {{ var('stall.window_days') }}
    group by athlete_id, exercise_key, e1rm_family, rep_zone
    qualify row_number() over (
        partition by athlete_id, exercise_key
        order by count(*) desc, max(started_at) desc, rep_zone asc, e1rm_family asc
    ) = 1
),

series as (
    select
        dated.*,
        ln(dated.e1rm_kg) as log_kg,
        dated.workout_date >= dated.last_date - {{ var('stall.window_days') }}
        and row_number() over (
            partition by dated.athlete_id, dated.exercise_key
            order by dated.started_at desc, dated.workout_id desc
        ) <= {{ var('stall.max_exposures') }} as is_in_trend
    from dated
    inner join chosen
        on
            dated.athlete_id = chosen.athlete_id
            and dated.exercise_key = chosen.exercise_key
            and dated.e1rm_family = chosen.e1rm_family
            and dated.rep_zone = chosen.rep_zone
),

-- By exposure, from the middle one. Sums are ordered here, so that all builds agree to the digit.
points as (
    select
        *,
        row_number() over by_time - (count(*) over of_trend + 1) / 2 as turn,
        log_kg - first_value(log_kg) over by_time as log_gain
    from series
    where is_in_trend
    window
        of_trend as (partition by athlete_id, exercise_key),
        by_time as (of_trend order by started_at, workout_id)
),

lines as (
    select
        athlete_id,
        exercise_key,
        sum(turn * turn) as spread,
        avg(log_gain order by turn) as mean_gain,
        sum(turn * log_gain order by turn) / nullif(spread, 0) as slope
    from points
    group by athlete_id, exercise_key
),

fitted as (
    select
        points.athlete_id,
        points.exercise_key,
        points.e1rm_family,
        points.rep_zone,
        cast(count(*) as integer) as exposure_count,
        min(points.workout_date) as window_start_date,
        max(points.workout_date) as window_end_date,
        100 * lines.slope as slope_pct,
        100 * sqrt(
            sum(
                pow(points.log_gain - lines.mean_gain - lines.slope * points.turn, 2)
                order by points.turn
            )
            / nullif(count(*) - 2, 0)
        ) as residual_pct,
        residual_pct / sqrt(lines.spread) as standard_error_pct,
        {{ t_quantile('count(*) - 2') }} * standard_error_pct as margin_pct
    from points
    inner join lines
        on points.athlete_id = lines.athlete_id and points.exercise_key = lines.exercise_key
    group by
        points.athlete_id,
        points.exercise_key,
        points.e1rm_family,
        points.rep_zone,
        lines.spread,
        lines.slope
),

-- Fewer exposures give neither a slope nor a verdict.
judged as (
    select
        *,
        exposure_count >= {{ var('stall.min_exposures') }} as is_enough,
        case
            when not is_enough then 'insufficient'
            when slope_pct + margin_pct < {{ var('stall.slope_threshold') }} then 'stalled'
            else 'not_stalled'
        end as verdict
    from fitted
),

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

-- How the exercise was trained in the exposures of the trend.
effort as (
    select
        performed_sets.athlete_id,
        performed_sets.exercise_key,
        avg(performed_sets.rpe order by performed_sets.rpe) as mean_rpe,
        avg(performed_sets.reps) as mean_reps
    from performed_sets
    inner join series
        on
            performed_sets.athlete_id = series.athlete_id
            and performed_sets.exercise_key = series.exercise_key
            and performed_sets.workout_id = series.workout_id
    where
        series.is_in_trend
        and performed_sets.is_working
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
