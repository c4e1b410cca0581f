{# A title as it is compared: lower case, trimmed, runs of blanks as one. #}
{% macro normalised_title(title) -%}
    lower(trim(regexp_replace({{ title }}, '\s+', ' ', 'g')))
{%- endmacro %}

{# Assisted exercises log the help: less of it is more load. Hevy's type has two spellings. #}
{% macro is_assisted(exercise_type) -%}
    coalesce(contains({{ exercise_type }}, 'assisted'), false)
{%- endmacro %}

{#
Whether a title contains a word of the seed body_load_words; `word` is the name of its row. Equal to
hevy_connector/body_load.py.
#}
{% macro names_body_load(title, word) -%}
    contains(
        {{ words_of(title) }},
        case {{ word }}.place
            when 'whole' then ' ' || strip_accents({{ word }}.word) || ' '
            when 'start' then ' ' || strip_accents({{ word }}.word)
            else strip_accents({{ word }}.word)
        end
    )
    and not coalesce(
        regexp_matches({{ words_of(title) }}, strip_accents({{ word }}.unless)), false
    )
{%- endmacro %}

{# The words of a title in lower case without accents, each between blanks. #}
{% macro words_of(title) -%}
    ' ' || trim(
        regexp_replace(strip_accents(lower({{ title }})), '[^\pL\pN]+', ' ', 'g')
    ) || ' '
{%- endmacro %}

{# The exercise types of keys without a catalogue's entry whose title names help or added weight. #}
{% macro body_load_types(keyed, words) -%}
    select
        titles.exercise_key,
        min(words.exercise_type) as exercise_type
    from (
        select distinct exercise_key from {{ keyed }}
        where starts_with(exercise_key, 'title:')
    ) as titles
    inner join {{ words }} as words
        on {{ names_body_load("substr(titles.exercise_key, 7)", 'words') }}
    group by titles.exercise_key
{%- endmacro %}

{#
The exercise type: from the athlete's own catalogue, otherwise from the built-in one. If neither has
it, the type that the title names; other types are unknown.
#}
{% macro known_exercise_type(own_type, built_in_type, named_type) -%}
    coalesce({{ own_type }}, {{ built_in_type }}, {{ named_type }})
{%- endmacro %}

{# Whether an exercise needs a load: all of it is recorded. Of an unknown type that is unknown. #}
{% macro needs_a_load(exercise_type) -%}
    (
        coalesce(starts_with({{ exercise_type }}, 'weight_'), false)
        or coalesce({{ exercise_type }} = 'short_distance_weight', false)
    )
{%- endmacro %}

{# Whether the body is part of the load, with weight added or help taken off: both spellings. #}
{% macro moves_the_body(exercise_type) -%}
    coalesce(starts_with({{ exercise_type }}, 'bodyweight_'), false)
{%- endmacro %}

{# Planned and performed sets are compared inside one class. An unknown type has none. #}
{% macro set_class(set_type) -%}
    case
        when {{ set_type }} = 'warmup' then 'warmup'
        when {{ set_type }} in ('normal', 'failure') then 'working'
        when {{ set_type }} = 'dropset' then 'drop'
    end
{%- endmacro %}

{# The exercise of Hevy's catalogue in a payload; `equipment` has an old and a new name. #}
{% macro catalogue_entry(payload) -%}
    from_json(
        {{ payload }},
        '{
            "title": "VARCHAR",
            "type": "VARCHAR",
            "equipment": "VARCHAR",
            "equipment_category": "VARCHAR",
            "primary_muscle_group": "VARCHAR",
            "secondary_muscle_groups": ["VARCHAR"],
            "is_custom": "BOOLEAN"
        }'
    )
{%- endmacro %}
