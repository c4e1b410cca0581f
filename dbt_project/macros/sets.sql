{# The key of a performed set: null without a place of the set. #}
{% macro set_key(sets, exercise_index, set_index) -%}
    case
        when {{ sets }}.{{ set_index }} is not null
            then concat_ws(
                '/',
                {{ sets }}.athlete_id,
                {{ sets }}.workout_id,
                {{ sets }}.{{ exercise_index }},
                {{ sets }}.{{ set_index }}
            )
    end
{%- endmacro %}

{# The class of each set of a list, in its order. #}
{% macro set_classes(performed_sets) -%}
    list_transform({{ performed_sets }}, lambda one: {{ set_class('one.type') }})
{%- endmacro %}

{# How many sets of the same class come up to a place (from 1) of a list of classes. #}
{% macro number_in_class(classes, place) -%}
    cast(
        len(
            list_filter(
                {{ classes }}[:{{ place }}], lambda one: one = {{ classes }}[{{ place }}]
            )
        ) as integer
    )
{%- endmacro %}

{# How many sets of the same class as at a place (from 1) a list of classes has. #}
{% macro count_of_class(classes, place) -%}
    cast(
        len(list_filter({{ classes }}, lambda one: one = {{ classes }}[{{ place }}])) as integer
    )
{%- endmacro %}
