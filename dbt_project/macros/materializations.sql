{#
Materializations. dbt's own build a second relation, rename twice and drop; DuckDB and DuckLake
replace a view or a table in one transaction, which takes half the time. Hooks, grants and indexes
are not supported: no model has any.
#}

{% materialization view, adapter='duckdb' -%}
    {%- set target_relation = this.incorporate(type='view') -%}
    {%- do drop_another_type(target_relation) -%}
    {%- call statement('main', auto_begin=false) -%}
        create or replace view {{ target_relation }} as (
            {{ sql }}
        );
        {{ comments_on(target_relation) }}
    {%- endcall -%}
    {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{% materialization table, adapter='duckdb' -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- do drop_another_type(target_relation) -%}
    {%- set replacement = replace_table(target_relation, sql) -%}
    {%- call statement('main') -%}{{ replacement }}{%- endcall -%}
    {%- do adapter.commit() -%}
    {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{# An incremental table. With a `unique_key`, new rows replace those with the same key. #}
{% materialization incremental, adapter='duckdb' -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set is_rebuilt = is_rebuilt_as_a_whole() -%}
    {%- do drop_another_type(target_relation) -%}
    {%- call statement('main') -%}
        {% if is_rebuilt -%}
            {{ replace_table(target_relation, sql) }} {{ remember_rules() }}
        {%- else -%}
            {{ add_rows(target_relation, sql) }} {{ comments_on(target_relation) }}
        {%- endif %}
    {%- endcall -%}
    {%- do adapter.commit() -%}
    {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{# A fact: units whose inputs have another hash are deleted, and the rows of due units appended. #}
{% materialization incremental_by_hash, adapter='duckdb' -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set is_rebuilt = is_rebuilt_as_a_whole() -%}
    {%- do drop_another_type(target_relation) -%}
    {%- set inputs = ref(model.config.meta.inputs) -%}
    {%- call statement('forget') -%}{{ forget_changed(inputs, is_rebuilt) }}{%- endcall -%}
    {%- set due_count, rest_weight = count_due(inputs) -%}
    {%- if is_rebuilt -%}
        {%- set change = replace_table(target_relation, sql) ~ remember_rules() -%}
    {%- elif due_count -%}
        {%- set change = add_rows(target_relation, sql) ~ comments_on(target_relation) -%}
    {%- endif -%}
    {%- if change -%}
        {%- call statement('main') -%}{{ change }} {{ remember_built() }}{%- endcall -%}
    {%- else -%}
        {%- call noop_statement('main', 'Nothing is due.') -%}{%- endcall -%}
    {%- endif -%}
    {%- do adapter.commit() -%}
    {%- if rest_weight -%}
        {%- call statement('rest', auto_begin=false) -%}
            {{ build_rest(inputs, rest_weight) }}
        {%- endcall -%}
    {%- endif -%}
    {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}
