{# The day on which a UTC timestamp falls in a time zone. #}
{% macro local_date(moment, time_zone) -%}
    cast(timezone({{ time_zone }}, timezone('UTC', {{ moment }})) as date)
{%- endmacro %}
