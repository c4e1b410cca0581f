with days as (
    select * from {{ ref('stg_health__days') }}
),

check_ins as (
    select * from {{ ref('fct_check_in') }}
),

measured as (
    {{ measured_signals('days', 'readiness_date', {
        'hrv': 'hrv_ms',
        'resting_hr': 'resting_hr',
        'sleep': 'sleep_minutes',
    }) }}
),

summed as (
    {{ week_and_baseline(
        'measured',
        'readiness_date',
        var('readiness.baseline_from'),
        var('readiness.baseline_to'),
        {
            'short_minutes':
                'sum(greatest(' ~ var('readiness.sleep_need')
                ~ ' - compared_value, 0)) over week_to_day',
        }
    ) }}
),

banded as (
    select
        *,
        case
            when
                week_day_count >= {{ var('recovery.week_min_days') }}
                and baseline_day_count >= {{ var('readiness.baseline_min_days') }}
                then baseline_spread * case
                    when metric = 'hrv' then {{ var('readiness.hrv_sds') }}
                    when metric = 'resting_hr' then {{ var('readiness.resting_hr_sds') }}
                end
        end as half_band
    from summed
),

judged as (
    select
        *,
        baseline_average - half_band as usual_low,
        baseline_average + half_band as usual_high,
        case
            when metric = 'sleep' and week_day_count < {{ var('recovery.week_min_days') }}
                then 'not_enough_data'
            when metric = 'sleep'
                then if(
                    compared_value <= {{ var('readiness.short_night') }}
                    or short_minutes >= {{ var('readiness.sleep_debt') }},
                    'low',
                    'usual'
                )
            when half_band is null then 'not_enough_data'
            when week_average < baseline_average - half_band then 'low'
            when week_average > baseline_average + half_band then 'high'
            else 'usual'
        end as state
    from banded
),

-- Of several sources of a day, one with a verdict, then rMSSD, then the longest baseline.
chosen as (
    select * from judged
    qualify
        row_number() over (
            partition by athlete_id, readiness_date, metric
            order by
                state = 'not_enough_data',
                coalesce(hrv_method = 'sdnn', false),
                baseline_day_count desc,
                week_day_count desc,
                health_source asc,
                hrv_method asc
        ) = 1
),

widened as (
    select
        athlete_id,
        readiness_date,
        max(hrv_method) as hrv_method,
        {%- for signal in ['hrv', 'resting_hr'] %}
            {%- for column in [
                'health_source', 'week_day_count', 'week_average', 'baseline_day_count',
                'baseline_average', 'baseline_spread', 'usual_low', 'usual_high', 'state'
            ] %}
                max({{ column }}) filter (where metric = '{{ signal }}')
                    as {{ signal }}_{{ column }},
            {%- endfor %}
        {%- endfor %}
        {%- for column in [
            'health_source', 'week_day_count', 'compared_value', 'short_minutes', 'state'
        ] %}
            max({{ column }}) filter (where metric = 'sleep') as sleep_{{ column }},
        {%- endfor %}
        count(*) filter (where state <> 'not_enough_data') as judged_count,
        count(*) filter (
            where if(metric = 'resting_hr', state = 'high', state = 'low')
        ) as worse_count
    from chosen
    group by athlete_id, readiness_date
),

-- The latest energy and soreness of a day count, as for the plans.
felt as (
    select
        athlete_id,
        check_in_date,
        arg_max(energy, checked_in_at) as energy,
        arg_max(6 - soreness, checked_in_at) as freshness
    from check_ins
    group by athlete_id, check_in_date
),

with_check_in as (
    select
        widened.* exclude (judged_count, worse_count),
        least(felt.energy, felt.freshness) as check_in_score,
        widened.judged_count + if(check_in_score is null, 0, 1) as judged_count,
        widened.worse_count
        + if(check_in_score <= {{ var('readiness.low_max') }}, 1, 0) as worse_count
    from widened
    left join felt
        on
            widened.athlete_id = felt.athlete_id
            and widened.readiness_date = felt.check_in_date
),

-- Digits below the ninth decimal depend on the order of summation in a window.
described as (
    select
        concat_ws('/', athlete_id, readiness_date) as readiness_day_key,
        athlete_id,
        readiness_date,
        case
            when judged_count < {{ var('readiness.min_signals') }} then 'not_enough_data'
            when worse_count >= {{ var('readiness.min_signals') }} then 'lowered'
            when worse_count > 0 then 'mixed'
            else 'usual'
        end as readiness,
        cast(judged_count as integer) as judged_count,
        cast(worse_count as integer) as worse_count,
        hrv_method,
        {%- for signal in ['hrv', 'resting_hr'] %}
            {{ signal }}_health_source as {{ signal }}_source,
            cast({{ signal }}_week_day_count as integer) as {{ signal }}_week_day_count,
            round({{ signal }}_week_average, 9) as {{ signal }}_week_mean,
            cast({{ signal }}_baseline_day_count as integer) as {{ signal }}_baseline_day_count,
            round({{ signal }}_baseline_average, 9) as {{ signal }}_baseline_mean,
            round({{ signal }}_baseline_spread, 9) as {{ signal }}_baseline_sd,
            round({{ signal }}_usual_low, 9) as {{ signal }}_usual_low,
            round({{ signal }}_usual_high, 9) as {{ signal }}_usual_high,
            coalesce({{ signal }}_state, 'not_enough_data') as {{ signal }}_state,
        {%- endfor %}
        sleep_health_source as sleep_source,
        cast(sleep_week_day_count as integer) as sleep_week_day_count,
        sleep_compared_value as sleep_minutes,
        cast({{ var('readiness.sleep_need') }} as double) as sleep_need_minutes,
        round(sleep_short_minutes, 9) as sleep_debt_minutes,
        coalesce(sleep_state, 'not_enough_data') as sleep_state,
        cast(check_in_score as integer) as check_in_score,
        case
            when check_in_score is null then 'not_enough_data'
            when check_in_score <= {{ var('readiness.low_max') }} then 'low'
            else 'usual'
        end as check_in_state
    from with_check_in
)

select * from described
