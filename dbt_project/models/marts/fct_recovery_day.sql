with days as (
    select * from {{ ref('stg_health__days') }}
),

measured as (
    {{ measured_signals('days', 'recovery_date', {
        'hrv_ms': 'hrv_ms',
        'resting_hr': 'resting_hr',
        'sleep_minutes': 'sleep_minutes',
        'readiness': 'readiness',
    }) }}
),

summed as (
    {{ week_and_baseline(
        'measured',
        'recovery_date',
        var('recovery.baseline_from'),
        var('recovery.baseline_to')
    ) }}
),

trusted as (
    select
        *,
        case
            when week_day_count >= {{ var('recovery.week_min_days') }} then week_average
        end as week_mean,
        case
            when baseline_day_count >= {{ var('recovery.baseline_min_days') }}
                then baseline_average
        end as baseline_mean,
        case
            when baseline_day_count >= {{ var('recovery.baseline_min_days') }}
                then baseline_spread
        end as baseline_sd
    from summed
),

-- Digits below the ninth decimal depend on the order of summation in a window.
described as (
    select
        concat_ws('/', athlete_id, health_source, recovery_date, metric) as recovery_day_key,
        athlete_id,
        health_source,
        metric,
        hrv_method,
        recovery_date,
        metric_value,
        round(compared_value, 9) as compared_value,
        cast(week_day_count as integer) as week_day_count,
        round(week_mean, 9) as week_mean,
        cast(baseline_day_count as integer) as baseline_day_count,
        round(baseline_mean, 9) as baseline_mean,
        round(baseline_sd, 9) as baseline_sd,
        round(compared_value - baseline_mean, 9) as deviation,
        round((compared_value - baseline_mean) / baseline_sd, 9) as deviation_sds,
        round((week_mean - baseline_mean) / baseline_sd, 9) as week_deviation_sds
    from trusted
)

select * from described
