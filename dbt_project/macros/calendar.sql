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
