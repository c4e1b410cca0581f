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

{#
Value for the comparison of sets of one exercise (kg): more is more work, so help counts as
negative. Without a recorded load it is the body alone, or unknown if the exercise needs a load.
#}
{% macro comparable_load(exercise_type, weight_kg) -%}
    case
        when {{ is_assisted(exercise_type) }} then 0 - abs({{ weight_kg }})
        when
            {{ weight_kg }} is null and {{ needs_a_load(exercise_type) }} then null
        else coalesce({{ weight_kg }}, 0)
    end
{%- endmacro %}

{#
Method of an estimated maximum. Only maxima of one family are compared: without an RPE each is a
lower bound, so the first RPEs would otherwise look like strength.
#}
{% macro e1rm_family(method, is_lower_bound) -%}
    case
        when {{ method }} = 'tested' then 'tested'
        when {{ is_lower_bound }} then 'epley_assumed_failure'
        when {{ method }} = 'epley' then 'epley_rated'
    end
{%- endmacro %}

{# The zone of repetitions in which maxima are compared: formulas err differently in each. #}
{% macro rep_zone(effective_reps) -%}
    if({{ effective_reps }} <= 5, '1-5', '6-10')
{%- endmacro %}

{# Whether an exercise can stall: time, distance and heart make no maximum. Unknown ones can. #}
{% macro can_stall(exercise_type, primary_muscle_group) -%}
    not coalesce(
        contains({{ exercise_type }}, 'duration')
        or contains({{ exercise_type }}, 'distance')
        or {{ primary_muscle_group }} = 'cardio',
        false
    )
{%- endmacro %}
