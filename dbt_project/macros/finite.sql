{# How many of the rows of a mart that nobody tested yet have a number that is NaN or infinite. #}
{% macro rows_without_end(mart) -%}
    select
        '{{ mart.identifier }}' as mart,
        count(*) as row_count
    from {{ untested_rows(mart) }} as latest
    where
        false
    {%- for column in (adapter.get_columns_in_relation(mart) if execute else []) %}
        {%- if column.dtype == 'DOUBLE' %}
                or not isfinite({{ column.name }})
        {%- endif %}
    {%- endfor %}
    having count(*) > 0
{%- endmacro %}
