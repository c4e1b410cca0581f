{#
What a lake does otherwise than a file. It enforces no keys, so tables have none there: the tests of
the models look at them. It would keep comments, but each takes a change of its catalog, and it has
none for a view's columns: what tables mean is told by the release, which takes it from this project.
#}

{# Columns and constraints of a table with a contract. #}
{% macro duckdb__get_table_columns_and_constraints() -%}
    {%- if adapter.is_ducklake(this) -%}
        {%- set columns = adapter.render_raw_columns_constraints(raw_columns=model['columns']) -%}
        ({{ columns | join(', ') }})
    {%- else -%}
        {{ table_columns_and_constraints() }}
    {%- endif -%}
{%- endmacro %}

{# Comments on a relation and its columns. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) -%}
    {%- if not adapter.is_ducklake(relation) -%}
        {{ default__persist_docs(relation, model, for_relation, for_columns) }}
    {%- endif -%}
{%- endmacro %}
