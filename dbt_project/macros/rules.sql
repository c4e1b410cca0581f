{#
The rules of a model, all tested by one query: dbt spends more on a test than the database does.

key              the columns that identify a row: no two rows agree in all of them; for a second test
                 of the same model none
unique           more lists of columns; no two rows agree in all of one list
not_null         columns of a table without a contract; with one they are constraints
accepted_values  by column the values that it may have; null always passes
within           by column the least and the greatest value; null always passes
finite           no column of type double is NaN or infinite
references       columns that exist in the model `to`, called `named` there if not the same; null
                 passes where it is a single column
versions         the intervals [`from`, `to`) of the same `of` leave no gap and do not overlap

A row of the result is a rule that is broken: its kind, its columns, one key of the rows that break
it, and how many these are.
#}
{% macro broken_rules(
    model, key, unique, not_null, accepted_values, within, finite, references, versions
) -%}
    {%- set conditions = broken_conditions(not_null, accepted_values, within, finite) -%}
    {%- set columns = key + conditions | map(attribute='column') | list -%}
    {%- set selects = [] -%}
    {%- for group in ([key] if key else []) + unique -%}
        {%- do columns.extend(group) -%}
        {%- do selects.append(rows_not_unique(group)) -%}
    {%- endfor -%}
    {%- if conditions -%}
        {%- do selects.append(rows_breaking(key, conditions)) -%}
    {%- endif -%}
    {%- for reference in references -%}
        {%- do columns.extend(reference['columns']) -%}
        {%- do selects.append(
            rows_without_parent(
                key,
                reference['columns'],
                reference['to'],
                reference.get('named', reference['columns'])
            )
        ) -%}
    {%- endfor -%}
    {%- for each in versions -%}
        {%- do columns.extend(each['of'] + [each['from'], each['to']]) -%}
        {%- do selects.append(versions_apart(key, each['of'], each['from'], each['to'])) -%}
    {%- endfor -%}
    with tested as (select {{ columns | unique | join(', ') }} from {{ model }})
    {{ selects | join('\nunion all\n') }}
{%- endmacro %}

{# The rules that look at one column of one row, each with the condition of a row that breaks it. #}
{% macro broken_conditions(not_null, accepted_values, within, finite) -%}
    {%- set found = [] -%}
    {%- for column in not_null -%}
        {%- do found.append({'rule': 'not_null', 'column': column, 'sql': column ~ ' is null'}) -%}
    {%- endfor -%}
    {%- for column, values in accepted_values.items() -%}
        {%- do found.append({
            'rule': 'accepted_values',
            'column': column,
            'sql': column ~ " not in ('" ~ values | join("', '") ~ "')"
        }) -%}
    {%- endfor -%}
    {%- for column, ends in within.items() -%}
        {%- do found.append({
            'rule': 'within',
            'column': column,
            'sql': column ~ ' not between ' ~ ends[0] ~ ' and ' ~ ends[1]
        }) -%}
    {%- endfor -%}
    {%- for column in (columns_of_type('double') if finite else []) -%}
        {%- do found.append({
            'rule': 'finite', 'column': column, 'sql': 'not isfinite(' ~ column ~ ')'
        }) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}

{# Rows that break conditions, in one pass over the table. #}
{% macro rows_breaking(key, conditions) -%}
    {%- set broken = [] -%}
    {%- for each in conditions -%}
        {%- do broken.append(
            'case when ' ~ each.sql ~ " then {'rule': '" ~ each.rule ~ "', 'column_names': '"
            ~ each.column ~ "', 'row_key': " ~ row_key(key + [each.column]) ~ '} end'
        ) -%}
    {%- endfor -%}
    select
        broken.rule,
        broken.column_names,
        broken.row_key,
        1 as row_count
    from (
        select unnest([{{ broken | join(', ') }}]) as broken
        from tested
        where {{ conditions | map(attribute='sql') | join(' or ') }}
    )
    where broken is not null
{%- endmacro %}

{% macro rows_not_unique(columns) -%}
    select
        'unique' as rule,
        '{{ columns | join(", ") }}' as column_names,
        {{ row_key(columns) }} as row_key,
        count(*) as row_count
    from tested
    group by {{ columns | join(', ') }}
    having count(*) > 1
{%- endmacro %}

{% macro rows_without_parent(key, columns, to, named) -%}
    {%- set equal = [] -%}
    {%- for column in columns -%}
        {%- do equal.append('tested.' ~ column ~ ' = parents.' ~ named[loop.index0]) -%}
    {%- endfor -%}
    select
        'references' as rule,
        '{{ columns | join(", ") }}' as column_names,
        {{ row_key(key + columns) }} as row_key,
        1 as row_count
    from tested
    where
        {{ columns[0] ~ ' is not null' if columns | length == 1 else 'true' }}
        and not exists (select 1 from {{ to }} as parents where {{ equal | join(' and ') }})
{%- endmacro %}

{% macro versions_apart(key, of, starts, ends) -%}
    select
        'versions' as rule,
        '{{ starts }}, {{ ends }}' as column_names,
        {{ row_key(key + [starts, ends]) }} as row_key,
        1 as row_count
    from tested
    qualify
        {{ ends }} <= {{ starts }}
        or lead({{ starts }}) over (partition by {{ of | join(', ') }} order by {{ starts }})
        <> {{ ends }}
{%- endmacro %}

{# What identifies a row for people, as in {'athlete_id': ada, 'set_index': 3}. #}
{% macro row_key(columns) -%}
    cast({
    {%- for column in columns | unique -%}
        '{{ column }}': {{ column }}{{ ', ' if not loop.last }}
    {%- endfor -%}
    } as varchar)
{%- endmacro %}

{# The columns of a type in the contract of the model that a test is about. #}
{% macro columns_of_type(type) -%}
    {%- set found = [] -%}
    {%- for column in (graph.nodes[model.attached_node].columns.values() if execute else [])
        if column.data_type == type -%}
        {%- do found.append(column.name) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
