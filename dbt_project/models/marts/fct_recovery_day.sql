with days as (
    select * from {{ ref('stg_health__days') }}
),

-- Heart rate variability is compared on a logarithmic scale, on which its spread is symmetric.
measured as (
    {% for metric in ['hrv_ms', 'resting_hr', 'sleep_minutes', 'readiness'] -%}
        select
            athlete_id,
            health_source,
            '{{ metric }}' as metric,
            {{ "hrv_method" if metric == 'hrv_ms' else "cast(null as varchar) as hrv_method" }},
            health_date as recovery_date,
            {{ metric }} as metric_value,
            {{ 'ln(hrv_ms)' if metric == 'hrv_ms' else metric }} as compared_value
        from days
        where {{ metric }} is not null
        {{- '\n\n        union all\n\n' if not loop.last }}
    {% endfor %}
),

-- No day is in both the week and the baseline, so that a bad week does not hide itself.
summed as (
    select
        *,
        count(*) over week_to_day as week_day_count,
        avg(compared_value) over week_to_day as week_average,
        count(*) over weeks_before as baseline_day_count,
        avg(compared_value) over weeks_before as baseline_average,
        -- Equal values have no spread; the comparison is exact where the deviation may not be.
        case
            when max(compared_value) over weeks_before > min(compared_value) over weeks_before
                then stddev_samp(compared_value) over weeks_before
        end as baseline_spread
    from measured
    window
        week_to_day as (
            partition by athlete_id, health_source, metric, hrv_method
            order by recovery_date
            range between interval {{ var('recovery.week_back') }} day preceding
            and current row
        ),
        weeks_before as (
            partition by athlete_id, health_source, metric, hrv_method
            order by recovery_date
            range between interval {{ var('recovery.baseline_from') }} day preceding
            and interval {{ var('recovery.baseline_to') }} day preceding
        )
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
