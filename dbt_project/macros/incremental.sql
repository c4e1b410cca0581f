{#
How facts stay equal to a full rebuild while a build touches only what changed.

A fact declares its unit, a workout or an athlete, in `meta.unit`, and where the state of its inputs
is told: a model with one row per unit and an `input_hash` over everything that the unit's rows are
made of. `state.<fact>` remembers with which input each unit was built. A build first forgets the
units whose input is another one now or is gone, then appends those that are missing, and notes
them: all in the fact's own transaction, or, where there is much, in batches that bound the memory.
So nothing depends on clocks or on the order of arrival, and a build that was killed, skipped or
partial is made good by the next one.

Models read a large fact with an inner join on the units that they build, each of which is there
once: it lets DuckDB skip what it need not read, which a semi join does not.
#}

{# The unit of a fact. The project is not known yet while it is parsed. #}
{% macro unit_of(fact) -%}
    {% for node in (graph.get('nodes', {}).values() if execute else []) if node.name == fact %}
        {{ return(node.config.meta.unit) }}
    {% endfor %}
    {{ return('athlete') }}
{%- endmacro %}

{# The columns that identify a unit. #}
{% macro unit_columns(fact) -%}
    {{ return(['athlete_id', 'workout_id'] if unit_of(fact) == 'workout' else ['athlete_id']) }}
{%- endmacro %}

{# At the start of each run: the tables in which facts remember. #}
{% macro create_states() %}
create schema if not exists state;
create table if not exists state.rules (model varchar primary key, rules varchar not null);
{% for fact in graph.get('nodes', {}).values() if fact.config.meta.unit is defined %}
create table if not exists state.{{ fact.name }} (
    {{ unit_columns(fact.name) | join(' varchar, ') }} varchar,
    input_hash ubigint,
    built_at timestamptz
);
{% endfor %}
{% endmacro %}

{# Before a build: drop the rows of units whose input changed or is gone. #}
{% macro forget_changed(inputs) %}
    {% set units = unit_columns(this.identifier) | join(', ') %}
    {% set is_stale %}
        not exists (select 1 from {{ inputs }} as inputs where inputs.input_hash = built.input_hash)
    {% endset %}
    {% if is_incremental() %}
        delete from {{ this }} as fact
        using (
            select {{ units }} from state.{{ this.identifier }} as built where {{ is_stale }}
        ) as stale
        where {% for unit in unit_columns(this.identifier) %}
            fact.{{ unit }} = stale.{{ unit }} {{ 'and' if not loop.last }}
        {% endfor %};
        delete from state.{{ this.identifier }} as built where {{ is_stale }};
    {% else %}
        delete from state.{{ this.identifier }};
    {% endif %}
{% endmacro %}

{# The units of `inputs` that a fact lacks. #}
{% macro all_missing_from(fact, inputs) -%}
    select * from {{ inputs }} as inputs
    where not exists (
        select 1 from state.{{ fact }} as built
        where built.input_hash = inputs.input_hash
    )
{%- endmacro %}

{# Of these a batch: what a fact builds at a time. #}
{% macro missing_from(fact, inputs) -%}
    {{ all_missing_from(fact, inputs) }}
    order by {{ unit_columns(fact) | join(', ') }}
    limit {{ var('batch.' ~ unit_of(fact)) }}
{%- endmacro %}

{# After a batch: note the units that it added. #}
{% macro remember_built(inputs) %}
    insert into state.{{ this.identifier }}
    select {{ unit_columns(this.identifier) | join(', ') }}, input_hash, now()
    from ({{ missing_from(this.identifier, inputs) }});
    {{ remember_rules() }}
{% endmacro %}

{# After the first batch, which is all of an ordinary night: the others, each in its transaction. #}
{% macro build_rest(inputs) %}
    {% if execute %}
        {% set missing = run_query(
            'select count(*) from (' ~ all_missing_from(this.identifier, inputs) ~ ')'
        ).rows[0][0] | int %}
        {% for _ in range(0, missing, var('batch.' ~ unit_of(this.identifier))) %}
            begin;
            insert into {{ this }} by name {{ model.compiled_code }};
            {{ remember_built(inputs) }}
            commit;
        {% endfor %}
    {% endif %}
{% endmacro %}

{# After a build: note the rules that a model was built with. #}
{% macro remember_rules() %}
    insert or replace into state.rules values ('{{ this.identifier }}', '{{ rules_version() }}');
{% endmacro %}

{# A digest of all SQL, macros, seeds and constants: another one rebuilds every fact. #}
{% macro rules_version() %}
    {% set parts = [] %}
    {% if execute %}
        {% for node in graph.nodes.values() | sort(attribute='unique_id')
            if node.resource_type in ('model', 'seed') %}
            {% do parts.append(node.checksum.checksum) %}
        {% endfor %}
        {% for name in context[project_name] | sort %}
            {% do parts.append(context[project_name][name].macro.macro_sql) %}
        {% endfor %}
    {% endif %}
    {{ return(local_md5(tojson(constants()) ~ parts | join('\n'))) }}
{% endmacro %}

{# dbt asks this before it builds an incremental model or a seed. #}
{% macro should_full_refresh() %}
    {% set asked = config.get('full_refresh') %}
    {% if asked is none %}{% set asked = flags.FULL_REFRESH %}{% endif %}
    {% if asked or not execute or model.config.materialized != 'incremental' %}
        {{ return(asked) }}
    {% endif %}
    {% set built_with = run_query(
        "select rules from state.rules where model = '" ~ this.identifier ~ "'"
    ) %}
    {{ return(built_with.rows | length == 0 or built_with.rows[0][0] != rules_version()) }}
{% endmacro %}

{# The rows that the last batch added to a fact, for a data test: older ones were tested before. #}
{% macro rows_of_the_last_build(relation) -%}
    (
        select facts.* from {{ relation }} as facts
        inner join (
            select {{ unit_columns(relation.identifier) | join(', ') }}
            from state.{{ relation.identifier }}
            where built_at = (select max(built_at) from state.{{ relation.identifier }})
        ) as built using ({{ unit_columns(relation.identifier) | join(', ') }})
    )
{%- endmacro %}

{# dbt asks this what a data test is to look at: `where: rows_of_the_last_build` means just that. #}
{% macro get_where_subquery(relation) -%}
    {%- set where = config.get('where') -%}
    {%- if not where -%}{{ return(relation) }}{%- endif -%}
    {%- if where == 'rows_of_the_last_build' -%}
        {{ return(rows_of_the_last_build(relation) ~ ' as dbt_subquery') }}
    {%- endif -%}
    {{ return('(select * from ' ~ relation ~ ' where ' ~ where ~ ') as dbt_subquery') }}
{%- endmacro %}
