{#
Differences between a lake and a file. A lake would keep comments, but each needs a catalog change,
and it has none for a view's columns: descriptions are published with the release, which takes them
from this project.
#}

{#
dbt's default queries the columns of each relation twice; ours are declared, and a missing one fails
the build.
#}
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
