{# A title as it is compared: lower case, trimmed, runs of blanks as one. #}
{% macro normalised_title(title) -%}
    lower(trim(regexp_replace({{ title }}, '\s+', ' ', 'g')))
{%- endmacro %}

{# Assisted exercises log the help: less of it is more load. Hevy's type has two spellings. #}
{% macro is_assisted(exercise_type) -%}
    coalesce(contains({{ exercise_type }}, 'assisted'), false)
{%- endmacro %}

{#
The exercise type: from the athlete's own catalogue, otherwise from the built-in one. If neither has
it, a title that contains "(assisted)" means help; other types are unknown.
#}
{% macro known_exercise_type(own_type, built_in_type, exercise_key) -%}
    coalesce(
        {{ own_type }},
        {{ built_in_type }},
        case
            when
                starts_with({{ exercise_key }}, 'title:')
                and contains({{ exercise_key }}, '(assisted)')
                then 'bodyweight_assisted'
        end
    )
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
