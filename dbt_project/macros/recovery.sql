{#
The week up to a day and the days before that week, for each source, metric and method of `measured`,
which has the columns athlete_id, health_source, metric, hrv_method, a date and compared_value. No day
is in both windows, so that a bad week does not hide itself.

date_column      the day
baseline_from    days before the day; the first of the baseline
baseline_to      days before the day; the last of the baseline
columns          expressions over `week_to_day` or `weeks_before`, by name
#}
{% macro week_and_baseline(measured, date_column, baseline_from, baseline_to, columns={}) -%}
    select
        *,
        count(*) over week_to_day as week_day_count,
        avg(compared_value) over week_to_day as week_average,
    {%- for name, expression in columns.items() %}
        {{ expression }} as {{ name }},
    {%- endfor %}
        count(*) over weeks_before as baseline_day_count,
        avg(compared_value) over weeks_before as baseline_average,
        -- Equal values have no spread; the comparison is exact where the deviation may not be.
        case
            when max(compared_value) over weeks_before > min(compared_value) over weeks_before
                then stddev_samp(compared_value) over weeks_before
        end as baseline_spread
    from {{ measured }}
    window
        week_to_day as (
            partition by athlete_id, health_source, metric, hrv_method
            order by {{ date_column }}
            range between interval {{ var('recovery.week_back') }} day preceding
            and current row
        ),
        weeks_before as (
            partition by athlete_id, health_source, metric, hrv_method
            order by {{ date_column }}
            range between interval {{ baseline_from }} day preceding
            and interval {{ baseline_to }} day preceding
        )
{%- endmacro %}

{#
The values of stg_health__days as rows, each with the value that is compared: heart rate variability on
a logarithmic scale, on which its spread is symmetric.

days         the relation
date_column  name of the day in the result
metrics      columns of the values, by the name of the metric in the result
#}
{% macro measured_signals(days, date_column, metrics) -%}
    {% for metric, column in metrics.items() -%}
        select
            athlete_id,
            health_source,
            '{{ metric }}' as metric,
            {{ 'hrv_method' if column == 'hrv_ms' else 'cast(null as varchar) as hrv_method' }},
            health_date as {{ date_column }},
            {{ column }} as metric_value,
            {{ 'ln(hrv_ms)' if column == 'hrv_ms' else column }} as compared_value
        from {{ days }}
        where {{ column }} is not null
        {{- '\n\n        union all\n\n' if not loop.last }}
    {% endfor %}
{%- endmacro %}
