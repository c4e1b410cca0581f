{#
Incremental facts that stay equal to a full rebuild, although a build touches only changed units.

A fact is materialized as `incremental_by_hash`. It declares its unit, a workout or an athlete, in
`meta.unit`, and the model with the state of its inputs in `meta.inputs`: one row per unit and an
`input_hash` over all inputs of the unit's rows. `state.<fact>` stores the input hash with which
each unit was built. A build first deletes the units with a changed or deleted input and marks
missing units as due; it appends their rows, and records the time: all in the fact's own
transaction, or, for many units, in batches that limit the memory. So nothing depends on clocks or
on the order of arrival, and a build that was killed, skipped or partial is completed by the next
one.

A unit is tested until a build in which all tests of the fact passed: a failure stays in the scope
of the tests until it is fixed.

Models read a large fact with an inner join on the units that they build, each of which occurs once:
DuckDB then skips irrelevant row groups, which it does not for a semi join.
#}

{# The unit of a fact. The project name is undefined during parsing. #}
{% macro unit_of(fact) -%}
    {{ return(graph.nodes['model.' ~ project_name ~ '.' ~ fact].config.meta.unit if execute) }}
{%- endmacro %}

{# The columns that identify a unit. #}
{% macro unit_columns(fact) -%}
    {{ return(['athlete_id', 'workout_id'] if unit_of(fact) == 'workout' else ['athlete_id']) }}
{%- endmacro %}

{# The models with a stored state of their inputs. #}
{% macro facts() %}
    {% set found = [] %}
    {% for node in graph.get('nodes', {}).values() if node.config.meta.unit is defined %}
        {% do found.append(node) %}
    {% endfor %}
    {{ return(found) }}
{% endmacro %}

{#
At the start of each run: the tables in which facts remember. `built_from` has the sources of the
last complete build; it stays empty if this run does not end well.
#}
{% macro create_states() %}
create schema if not exists state;
create table if not exists state.rules (model varchar, rules varchar not null);
create table if not exists state.built_from (source_name varchar, digest varchar not null);
delete from state.built_from;
{% for fact in facts() %}
create table if not exists state.{{ fact.name }} (
    {{ unit_columns(fact.name) | join(' varchar, ') }} varchar,
    input_hash ubigint,
    built_at timestamptz,
    is_tested boolean
);
alter table state.{{ fact.name }} add column if not exists is_tested boolean;
{% endfor %}
{% endmacro %}

{#
Before a build: delete the rows of units with a changed or deleted input, and mark units as due.
#}
{% macro forget_changed(inputs, is_rebuilt) %}
    {% set units = unit_columns(this.identifier) | join(', ') %}
    {% if not is_rebuilt %}
        create or replace temp table stale as
        select {{ units }} from state.{{ this.identifier }} as built
        where
            built_at is null
            or not exists (
                select 1 from {{ inputs }} as inputs where inputs.input_hash = built.input_hash
            );
        delete from {{ this }} as fact using stale
        where {{ are_one_unit('fact', 'stale') }};
        delete from state.{{ this.identifier }} as built using stale
        where {{ are_one_unit('built', 'stale') }};
    {% else %}
        delete from state.{{ this.identifier }};
    {% endif %}
    {{ note_due(inputs) }}
{% endmacro %}

{% macro are_one_unit(one, other) -%}
    {{ are_equal(one, other, unit_columns(this.identifier)) }}
{%- endmacro %}

{# The units that a fact lacks, and how many workouts each weighs in a batch. #}
{% macro lacking(inputs) %}
    select
        {{ unit_columns(this.identifier) | join(', ') }},
        input_hash,
        {{ '1' if unit_of(this.identifier) == 'workout' else 'workout_count + 1' }} as weight
    from {{ inputs }} as inputs
    where not exists (
        select 1 from state.{{ this.identifier }} as built
        where built.input_hash = inputs.input_hash
    )
{% endmacro %}

{# Of the units that a fact lacks, those that it builds next. #}
{% macro note_due(inputs) %}
    insert into state.{{ this.identifier }}
    select {{ unit_columns(this.identifier) | join(', ') }}, input_hash, null, false
    from ({{ lacking(inputs) }})
    qualify
        sum(weight) over (order by {{ unit_columns(this.identifier) | join(', ') }}) - weight
        < {{ var('batch.workouts') }};
{% endmacro %}

{# The inputs of the units that a fact builds now; in a unit test of dbt, of all. #}
{% macro missing_from(fact, inputs) -%}
    select inputs.* from {{ inputs }} as inputs
    {%- if execute and model.resource_type != 'unit_test' %}
    inner join state.{{ fact }} as due using ({{ unit_columns(fact) | join(', ') }})
    where due.built_at is null
    {%- endif %}
{%- endmacro %}

{# How many units a fact builds now, and how much the others weigh that it lacks. #}
{% macro count_due(inputs) %}
    {% set counted = run_query(
        'select (select count(*) from state.' ~ this.identifier ~ ' where built_at is null), '
        ~ '(select cast(coalesce(sum(weight), 0) as bigint) from (' ~ lacking(inputs) ~ '))'
    ) %}
    {{ return((counted.rows[0][0] | int, counted.rows[0][1] | int)) }}
{% endmacro %}

{# After a batch: note that its units are built. #}
{% macro remember_built() %}
    update state.{{ this.identifier }} set built_at = now() where built_at is null;
{% endmacro %}

{# After the first batch, which is all of an ordinary night: the others, each in its transaction. #}
{% macro build_rest(inputs, weight) %}
    {# A batch is full only when it weighs no less. #}
    {% for _ in range(0, weight, var('batch.workouts')) %}
        begin;
        {{ note_due(inputs) }}
        insert into {{ this }} by name {{ model.compiled_code }};
        {{ remember_built() }}
        commit;
    {% endfor %}
{% endmacro %}

{# The rules of the project, noted once a run: they take long to digest. #}
{% macro note_rules() %}
    merge into state.rules using (
        select '' as model, '{{ rules_version() }}' as rules
    ) as new using (model)
    when matched then update set rules = new.rules
    when not matched then insert by name;
{% endmacro %}

{# After a table was built as a whole: note that it follows the rules of the project. #}
{% macro remember_rules() %}
    merge into state.rules using (
        select '{{ this.identifier }}' as model, rules from state.rules where model = ''
    ) as new using (model)
    when matched then update set rules = new.rules
    when not matched then insert by name;
{% endmacro %}

{# A digest of all SQL, contracts, macros, seeds and constants: another one rebuilds every fact. #}
{% macro rules_version() %}
    {% set parts = [] %}
    {% if execute %}
        {% for node in graph.nodes.values() | sort(attribute='unique_id')
            if node.resource_type in ('model', 'seed') %}
            {% do parts.append(node.checksum.checksum) %}
            {% for column in node.columns.values() if column.constraints %}
                {% do parts.append(column.name ~ column.constraints) %}
            {% endfor %}
        {% endfor %}
        {% for name in context[project_name] | sort %}
            {% do parts.append(context[project_name][name].macro.macro_sql) %}
        {% endfor %}
    {% endif %}
    {{ return(local_md5(tojson(constants()) ~ parts | join('\n'))) }}
{% endmacro %}

{# Called by dbt before it builds an incremental model or a seed. #}
{% macro should_full_refresh() %}
    {% set asked = config.get('full_refresh') %}
    {% if asked is none %}{% set asked = flags.FULL_REFRESH %}{% endif %}
    {% if asked or not execute or 'incremental' not in model.config.materialized %}
        {{ return(asked) }}
    {% endif %}
    {% set equal = run_query(
        "select 1 from state.rules as built semi join state.rules as present"
        ~ " on built.rules = present.rules and present.model = ''"
        ~ " where built.model = '" ~ this.identifier ~ "'"
    ) %}
    {{ return(equal.rows | length == 0) }}
{% endmacro %}

{# Whether the table of an incremental model is replaced; dbt itself asks only for `incremental`. #}
{% macro is_rebuilt_as_a_whole() %}
    {% set present = load_cached_relation(this) %}
    {{ return(should_full_refresh() or present is none or not present.is_table) }}
{% endmacro %}

{# The rows of a fact that no build has tested yet, for a data test. #}
{% macro untested_rows(relation) -%}
    (
        select facts.* from {{ relation }} as facts
        inner join (
            select {{ unit_columns(relation.identifier) | join(', ') }}
            from state.{{ relation.identifier }}
            where not is_tested
        ) as untested using ({{ unit_columns(relation.identifier) | join(', ') }})
    )
{%- endmacro %}

{# Called by dbt for the scope of a data test: `where: untested_rows` selects this. #}
{% macro get_where_subquery(relation) -%}
    {%- set where = config.get('where') -%}
    {%- if not where -%}{{ return(relation) }}{%- endif -%}
    {%- if where == 'untested_rows' -%}
        {{ return(untested_rows(relation) ~ ' as dbt_subquery') }}
    {%- endif -%}
    {{ return('(select * from ' ~ relation ~ ' where ' ~ where ~ ') as dbt_subquery') }}
{%- endmacro %}

{# At the end of each run: what passed all tests of its fact need not be tested again. #}
{% macro note_tested(results) %}
    {% if execute %}
        {% set passed = [] %}
        {% for result in results if result.status in ('pass', 'warn') %}
            {% do passed.append(result.node.unique_id) %}
        {% endfor %}
        {% for fact in facts() %}
            {% set untested = [] %}
            {% for node in graph.nodes.values()
                if node.resource_type == 'test' and fact.unique_id in node.depends_on.nodes
                and node.unique_id not in passed %}
                {% do untested.append(node.name) %}
            {% endfor %}
            {% if not untested %}
update state.{{ fact.name }} set is_tested = true where not is_tested;
            {% endif %}
        {% endfor %}
    {% endif %}
{% endmacro %}
