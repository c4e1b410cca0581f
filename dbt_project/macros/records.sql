{# The rows of a raw table known at `as_of`; all without it. #}
{% macro known(moment='loaded_at') -%}
    {%- if var('as_of') -%}
        {{ moment }} <= cast('{{ var("as_of") }}' as timestamp)
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}

{# From when on a model reads what its table may lack: writers that land at the same time need not
commit in the order in which they began, and a landing takes less than a day. #}
{% macro may_lack_since(table) -%}
    (
        select coalesce(max(loaded_at), cast('-infinity' as timestamp)) - interval 1 day
        from {{ table }}
    )
{%- endmacro %}

{#
The latest row of each record of a raw table, deletions included: raw tables only ever grow. The
payloads stay out of the sorting. Given `lacking_in`, a table of such rows whose record is named
`id`, only those that it lacks.
#}
{% macro latest_records(relation, lacking_in=none, id='record_id') -%}
    {%- set everything = "cast('-infinity' as timestamp)" -%}
    {%- set since = may_lack_since(lacking_in) if lacking_in else everything -%}
    select * from {{ relation }}
    semi join (
        select
            athlete_id,
            record_id,
            max(loaded_at) as loaded_at
        from {{ relation }}
        where {{ known() }} and loaded_at >= {{ since }}
        group by athlete_id, record_id
    {%- if lacking_in %}
        except
        select
            athlete_id,
            {{ id }} as record_id,
            loaded_at
        from {{ lacking_in }}
    {%- endif %}
    ) as latest using (athlete_id, record_id, loaded_at)
{%- endmacro %}

{# Position of a set in the athlete's history; sorts in the order of execution. #}
{% macro place_of_set(performed_sets) -%}
    {
        'started_at': {{ performed_sets }}.started_at,
        'workout_id': {{ performed_sets }}.workout_id,
        'exercise_index': {{ performed_sets }}.exercise_index,
        'set_index': {{ performed_sets }}.set_index
    }
{%- endmacro %}
