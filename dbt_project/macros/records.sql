{# The latest row of each record of a raw table, deletions included: raw tables only ever grow. #}
{% macro latest_records(relation) -%}
    select * from {{ relation }}
    qualify row_number() over (partition by athlete_id, record_id order by loaded_at desc) = 1
{%- endmacro %}
