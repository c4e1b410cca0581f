{# Repetitions that failure would have taken: done plus in reserve (10 - RPE); as done without. #}
{% macro effective_reps(reps, rpe) -%}
    cast({{ reps }} + coalesce(10 - {{ rpe }}, 0) as double)
{%- endmacro %}

{# Epley's one-repetition maximum (kg) of a set taken to failure; one repetition is the maximum. #}
{% macro epley_max(load_kg, effective_reps) -%}
    case when {{ effective_reps }} = 1 then {{ load_kg }}
        else {{ load_kg }} * (1 + {{ effective_reps }} / 30)
    end
{%- endmacro %}

{# Half the width of the 80 % band around an estimated maximum, as a share of it: a prior. #}
{% macro e1rm_band(effective_reps) -%}
    case
        when {{ effective_reps }} <= 5 then {{ var('e1rm.band80_le5') }}
        when {{ effective_reps }} <= 8 then {{ var('e1rm.band80_6_8') }}
        when {{ effective_reps }} <= {{ var('e1rm.max_reps_eff') }} then {{ var('e1rm.band80_9_10') }}
        else {{ var('e1rm.band80_11_12') }}
    end / 100.0
{%- endmacro %}
