{# How many of the rows that a mart's last build added have a number that is NaN or infinite. #}
{% macro rows_without_end(mart) -%}
    select
        '{{ mart.identifier }}' as mart,
        count(*) as row_count
    from {{ rows_of_the_last_build(mart) }} as latest
    where
        false
    {%- for column in (adapter.get_columns_in_relation(mart) if execute else []) %}
        {%- if column.dtype == 'DOUBLE' %}
                or not isfinite({{ column.name }})
        {%- endif %}
    {%- endfor %}
    having count(*) > 0
{%- endmacro %}
