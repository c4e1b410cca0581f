{#
Whether a planned set was done at least as planned; a set without recorded values was not. Neither
were repetitions at an unknown load, if a load was planned.
#}
{% macro is_as_planned(execution_status, planned_weight_kg, weight_kg) -%}
    coalesce(
        (
            starts_with({{ execution_status }}, 'Target Met')
            or starts_with({{ execution_status }}, 'Overperformed')
        )
        and ({{ planned_weight_kg }} is null or {{ weight_kg }} is not null),
        false
    )
{%- endmacro %}

{# Whether load and repetitions of a prescription or of what came of it imply a maximum. #}
{% macro tells_an_implied_maximum(weight_kg, reps) -%}
    set_class = 'working'
    and not moves_the_body
    and {{ weight_kg }} > 0
    and {{ reps }} between 1 and {{ var('e1rm.hard_max_reps_eff') }}
{%- endmacro %}
