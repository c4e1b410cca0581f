{# The day on which a UTC timestamp falls in a time zone. #}
{% macro local_date(moment, time_zone) -%}
    cast(timezone({{ time_zone }}, timezone('UTC', {{ moment }})) as date)
{%- endmacro %}

{#
The time of day in a time zone of a UTC timestamp, as hours since the hour at which hardly anybody
trains: so times before and after midnight lie side by side.
#}
{% macro hours_into_day(moment, time_zone) -%}
    (
        epoch(cast(timezone({{ time_zone }}, timezone('UTC', {{ moment }})) as time)) / 3600
        + 24 - {{ var('day.begins_at') }}
    ) % 24
{%- endmacro %}

{#
The Monday of an athlete's last week with complete knowledge of workouts: that of the last workout,
or of the last complete week that was read from the account, if that is later.
#}
{% macro last_observed_week(workouts, athletes) -%}
    greatest(
        max({{ workouts }}.week_start_date),
        cast(date_trunc('week', any_value({{ athletes }}.last_observed_date)) as date)
    )
{%- endmacro %}
