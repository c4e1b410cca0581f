{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_volume_response', ref('int_athlete_inputs')) }}
),

muscle_groups as (
    select * from {{ ref('dim_muscle_group') }}
    where region is not null
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
    inner join muscle_groups on facts.primary_muscle_group = muscle_groups.muscle_group
),

exposures as (
    select facts.* from {{ ref('fct_exercise_session') }} as facts
    inner join athletes using (athlete_id)
    where facts.e1rm_kg > 0
),

muscle_weeks as (
    select facts.* from {{ ref('fct_muscle_week') }} as facts
    inner join athletes using (athlete_id)
    where facts.volume_band is not null
),

trained as (
    select
        facts.athlete_id,
        min(facts.week_start_date) as first_week,
        max(facts.week_start_date) as last_week
    from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
    group by facts.athlete_id
),

maxima as (
    select
        exposures.athlete_id,
        exposures.exercise_key,
        exposures.e1rm_family,
        exposures.started_at,
        exposures.workout_id,
        exercises.primary_muscle_group as muscle_group,
        exposures.week_start_date
        - cast((exposures.week_start_date - date '1970-01-05') % 56 as integer)
            as period_start_date,
        exposures.week_start_date >= period_start_date + 28 as is_after,
        ln(exposures.e1rm_kg) as log_kg
    from exposures
    inner join exercises
        on
            exposures.athlete_id = exercises.athlete_id
            and exposures.exercise_key = exercises.exercise_key
),

-- Only whole periods count, those with training before and after, so the day of the run does not.
compared as (
    select
        maxima.athlete_id,
        maxima.muscle_group,
        maxima.period_start_date,
        maxima.exercise_key,
        maxima.e1rm_family,
        100 * (
            avg(maxima.log_kg order by maxima.started_at, maxima.workout_id)
            filter (where maxima.is_after)
            - avg(maxima.log_kg order by maxima.started_at, maxima.workout_id)
            filter (where not maxima.is_after)
        ) as gain_pct
    from maxima
    inner join trained on maxima.athlete_id = trained.athlete_id
    where
        maxima.period_start_date >= trained.first_week
        and maxima.period_start_date + 56 <= trained.last_week
    group by
        maxima.athlete_id,
        maxima.muscle_group,
        maxima.period_start_date,
        maxima.exercise_key,
        maxima.e1rm_family
    having
        least(
            count(*) filter (where maxima.is_after),
            count(*) filter (where not maxima.is_after)
        ) >= {{ var('response.min_maxima') }}
),

gains as (
    select
        athlete_id,
        muscle_group,
        period_start_date,
        avg(gain_pct order by exercise_key, e1rm_family) as gain_pct
    from compared
    group by athlete_id, muscle_group, period_start_date
),

-- The sets between the middles of both halves, in which the gain arises.
periods as (
    select
        gains.athlete_id,
        gains.muscle_group,
        gains.period_start_date + 56 as changed_date,
        any_value(gains.gain_pct) as gain_pct,
        coalesce(
            sum(
                muscle_weeks.fractional_set_count order by muscle_weeks.week_start_date
            ), 0
        ) / 4 as weekly_sets
    from gains
    left join muscle_weeks
        on
            gains.athlete_id = muscle_weeks.athlete_id
            and gains.muscle_group = muscle_weeks.muscle_group
            and muscle_weeks.week_start_date between gains.period_start_date + 14
            and gains.period_start_date + 35
    group by gains.athlete_id, gains.muscle_group, gains.period_start_date
),

-- Relative to the first period, so that even sets have no spread at all.
shifted as (
    select
        *,
        weekly_sets - first_value(weekly_sets) over by_time as sets_apart,
        gain_pct - first_value(gain_pct) over by_time as gain_apart
    from periods
    window by_time as (partition by athlete_id, muscle_group order by changed_date)
),

-- Each state of a muscle rests on its periods up to that day.
summed as (
    select
        latest.athlete_id,
        latest.muscle_group,
        latest.changed_date,
        count(*) as period_count,
        min(earlier.weekly_sets) as least_weekly_sets,
        max(earlier.weekly_sets) as most_weekly_sets,
        sum(earlier.sets_apart order by earlier.changed_date) as sets_sum,
        sum(earlier.gain_apart order by earlier.changed_date) as gain_sum,
        sum(pow(earlier.sets_apart, 2) order by earlier.changed_date)
        - pow(sets_sum, 2) / period_count as spread,
        sum(earlier.sets_apart * earlier.gain_apart order by earlier.changed_date)
        - sets_sum * gain_sum / period_count as shared,
        sum(pow(earlier.gain_apart, 2) order by earlier.changed_date)
        - pow(gain_sum, 2) / period_count as gain_spread
    from shifted as latest
    inner join shifted as earlier
        on
            latest.athlete_id = earlier.athlete_id
            and latest.muscle_group = earlier.muscle_group
            and latest.changed_date >= earlier.changed_date
    group by latest.athlete_id, latest.muscle_group, latest.changed_date
),

-- The own line of a muscle; sets that do not vary have none.
fitted as (
    select
        *,
        spread > {{ var('response.min_spread') }} as has_slope,
        if(has_slope, shared / spread, 0) as own_slope_pct,
        gain_spread - own_slope_pct * shared as residual,
        period_count - 1 - if(has_slope, 1, 0) as freedom
    from summed
),

days as (
    select distinct
        athlete_id,
        changed_date
    from fitted
),

-- The state of each muscle on each day on which that of one of them changed.
known as (
    select
        days.athlete_id,
        days.changed_date,
        fitted.muscle_group,
        fitted.period_count,
        fitted.least_weekly_sets,
        fitted.most_weekly_sets,
        fitted.spread,
        fitted.has_slope,
        fitted.own_slope_pct,
        fitted.residual,
        fitted.freedom
    from days
    inner join fitted
        on
            days.athlete_id = fitted.athlete_id
            and days.changed_date >= fitted.changed_date
    qualify
        row_number() over (
            partition by days.athlete_id, days.changed_date, fitted.muscle_group
            order by fitted.changed_date desc
        ) = 1
),

noises as (
    select
        athlete_id,
        changed_date,
        (
            {{ var('response.noise_weight') }} * pow({{ var('response.noise') }}, 2)
            + sum(residual order by muscle_group)
        ) / ({{ var('response.noise_weight') }} + sum(freedom)) as variance
    from known
    group by athlete_id, changed_date
),

weighed as (
    select
        known.*,
        if(
            known.has_slope,
            1 / (pow({{ var('response.sd_muscle') }}, 2) + noises.variance / known.spread),
            0
        ) as weight
    from known
    inner join noises
        on
            known.athlete_id = noises.athlete_id
            and known.changed_date = noises.changed_date
),

-- The part of the slope that all muscles of an athlete share.
shared_slopes as (
    select
        athlete_id,
        changed_date,
        1 / pow({{ var('response.sd_shared') }}, 2) + sum(weight order by muscle_group)
            as shared_precision,
        sum(weight * own_slope_pct order by muscle_group) / shared_precision as shared_slope_pct
    from weighed
    group by athlete_id, changed_date
),

estimated as (
    select
        weighed.*,
        pow({{ var('response.sd_muscle') }}, 2) * weighed.weight as own_share,
        shared_slopes.shared_slope_pct
        + own_share * (weighed.own_slope_pct - shared_slopes.shared_slope_pct) as slope_pct,
        {{ var('response.z_90') }} * sqrt(
            pow({{ var('response.sd_muscle') }}, 2) * (1 - own_share)
            + pow(1 - own_share, 2) / shared_slopes.shared_precision
        ) as margin_pct
    from weighed
    inner join shared_slopes
        on
            weighed.athlete_id = shared_slopes.athlete_id
            and weighed.changed_date = shared_slopes.changed_date
),

described as (
    select
        concat_ws('/', athlete_id, muscle_group, changed_date) as volume_response_key,
        athlete_id,
        muscle_group,
        case
            when
                period_count < {{ var('response.min_periods') }}
                or abs(slope_pct) <= margin_pct
                then 'not_enough_data'
            when slope_pct > 0 then 'more_helps'
            else 'less_helps'
        end as verdict,
        cast(period_count as integer) as period_count,
        least_weekly_sets,
        most_weekly_sets,
        slope_pct,
        slope_pct - margin_pct as lower_pct,
        slope_pct + margin_pct as upper_pct,
        changed_date,
        lead(changed_date) over (
            partition by athlete_id, muscle_group order by changed_date
        ) as next_change_date
    from estimated
)

select * from described
