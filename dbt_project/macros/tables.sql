{# A model that was a view and is a table now, or the other way round. #}
{% macro drop_another_type(relation) -%}
    {%- set present = load_cached_relation(relation) -%}
    {%- if present is not none and present.type != relation.type -%}
        {%- do adapter.drop_relation(present) -%}
    {%- endif -%}
{%- endmacro %}

{# The statements that replace a table by the rows of a query. #}
{% macro replace_table(relation, query) -%}
    {% if config.get('contract').enforced %}
        {% do check_contract(query) %}
        create or replace table {{ relation }} {{ get_table_columns_and_constraints() }};
        {{ insert_rows(relation, query) }}
    {% else %}
        create or replace table {{ relation }} as ({{ query }});
    {% endif %}
    {{ comments_on(relation) }}
{%- endmacro %}

{# dbt's own check queries the database twice, to name the difference; most nights there is none. #}
{% macro check_contract(query) -%}
    {% set declared = {} %}
    {% for column in model.columns.values() %}
        {% do declared.update({column.name: column.data_type}) %}
    {% endfor %}
    {% set found = {} %}
    {% for column in adapter.get_column_schema_from_query(query) %}
        {% do found.update({column.name: column.dtype | lower}) %}
    {% endfor %}
    {% if found != declared %}{% do get_assert_columns_equivalent(query) %}{% endif %}
{%- endmacro %}

{# The statements that add the rows of a query to a table. #}
{% macro add_rows(relation, query) -%}
    {% set key = config.get('unique_key', []) %}
    {% if key %}
        create or replace temp table arrived as ({{ query }});
        delete from {{ relation }} as present using arrived
        where {{ are_equal('present', 'arrived', key) }};
        {{ insert_rows(relation, 'from arrived') }}
        drop table arrived;
    {% else %}
        {{ insert_rows(relation, query) }}
    {% endif %}
{%- endmacro %}

{% macro insert_rows(relation, query) -%}
    insert into {{ relation }} by name ({{ query }});
{%- endmacro %}

{# The condition that two rows agree in columns. #}
{% macro are_equal(one, other, columns) -%}
    {%- for column in columns -%}
        {{ one }}.{{ column }} = {{ other }}.{{ column }}{{ ' and ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#
The columns of a table with a contract, without its keys. Tests check the keys, and the release
declares them: to replace the rows of an index takes ten times as long as to replace the rows.
#}
{% macro duckdb__get_table_columns_and_constraints() -%}
    {%- set columns = adapter.render_raw_columns_constraints(raw_columns=model['columns']) -%}
    ({{ columns | join(', ') }})
{%- endmacro %}
