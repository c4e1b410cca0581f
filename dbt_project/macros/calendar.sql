{# The day on which a UTC timestamp falls in a time zone. #}
{% macro local_date(moment, time_zone) -%}
    cast(timezone({{ time_zone }}, timezone('UTC', {{ moment }})) as date)
{%- endmacro %}

{# The time of day in a time zone (h since midnight) of a UTC timestamp. #}
{% macro local_hour(moment, time_zone) -%}
    epoch(cast(timezone({{ time_zone }}, timezone('UTC', {{ moment }})) as time)) / 3600
{%- endmacro %}
