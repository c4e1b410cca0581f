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

{# dbt's own asks the database twice for each relation which columns it has; ours are declared, and
one that is not there fails the build. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) -%}
    {% set comments = comments_on(relation) %}
    {% if comments %}
        {% call statement('comments', auto_begin=false) %}{{ comments }}{% endcall %}
    {% endif %}
{%- endmacro %}

{# The statements for the comments on the relation of a model and on its columns. #}
{% macro comments_on(relation) -%}
    {% if not adapter.is_ducklake(relation) %}
        {% if config.persist_relation_docs() and model.description %}
            {{ alter_relation_comment(relation, model.description) }}
        {% endif %}
        {% for column in model.columns.values()
            if config.persist_column_docs() and column.description %}
            comment on column {{ relation }}.{{ column.name }}
            is {{ duckdb_escape_comment(column.description) }};
        {% endfor %}
    {% endif %}
{%- endmacro %}
