{# What of a raw table was known at the time that `as_of` names; everything without it. #}
{% macro known(moment='loaded_at') -%}
    {%- if var('as_of') -%}
        {{ moment }} <= cast('{{ var("as_of") }}' as timestamp)
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}

{#
The latest row of each record of a raw table, deletions included: raw tables only ever grow. The
payloads stay out of the sorting; given `newer_than`, a table, only what was landed after it is read.
#}
{% macro latest_records(relation, newer_than=none) -%}
    {%- set since -%}
        {%- if newer_than -%}
            coalesce((select max(loaded_at) from {{ newer_than }}), cast('-infinity' as timestamp))
        {%- else -%}
            cast('-infinity' as timestamp)
        {%- endif -%}
    {%- endset -%}
    select * from {{ relation }}
    semi join (
        select
            athlete_id,
            record_id,
            max(loaded_at) as loaded_at
        from {{ relation }}
        where {{ known() }} and loaded_at > {{ since }}
        group by athlete_id, record_id
    ) as latest using (athlete_id, record_id, loaded_at)
{%- endmacro %}

{# Where a set stands in the athlete's history: such places sort in the order of doing. #}
{% macro place_of_set(performed_sets) -%}
    {
        'started_at': {{ performed_sets }}.started_at,
        'workout_id': {{ performed_sets }}.workout_id,
        'exercise_index': {{ performed_sets }}.exercise_index,
        'set_index': {{ performed_sets }}.set_index
    }
{%- endmacro %}
