{# Whether a planned set was done at least as planned; nothing recorded is not. #}
{% macro is_as_planned(execution_status) -%}
    coalesce(
        starts_with({{ execution_status }}, 'Target Met')
        or starts_with({{ execution_status }}, 'Overperformed'),
        false
    )
{%- endmacro %}
