{# The end of an interval that nothing has ended yet. Intervals are half-open. #}
{% macro end_of_time() -%}
    cast('9999-12-31' as timestamp)
{%- endmacro %}

{# The start of the first interval of a description; no workout began earlier. #}
{% macro beginning_of_time() -%}
    cast('1970-01-01' as timestamp)
{%- endmacro %}

{# The end of an interval: the start of the next one of the same entity. #}
{% macro end_of_interval(starts, partition_by) -%}
    coalesce(
        lead({{ starts }}) over (partition by {{ partition_by }} order by {{ starts }}),
        {{ end_of_time() }}
    )
{%- endmacro %}

{# Whether the version `versions` was in force at `moment`. #}
{% macro is_in_force(versions, moment) -%}
    {{ versions }}.valid_from <= {{ moment }} and {{ moment }} < {{ versions }}.valid_to
{%- endmacro %}

{# The same, or whether it is the first known version of its routine and came after that. #}
{% macro is_in_force_or_first(versions, moment) -%}
    (
        {{ is_in_force(versions, moment) }}
        or ({{ versions }}.version_number = 1 and {{ moment }} < {{ versions }}.valid_from)
    )
{%- endmacro %}
