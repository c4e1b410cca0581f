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

{# A polynomial of x with these coefficients, that of the highest power first. #}
{% macro polynomial(x, coefficients) -%}
    {%- set ns = namespace(text=coefficients[0] | string) -%}
    {%- for each in coefficients[1:] -%}
        {%- set ns.text = '(' ~ ns.text ~ ') * ' ~ x ~ ' + ' ~ each -%}
    {%- endfor -%}
    ({{ ns.text }})
{%- endmacro %}

{#
Points of a total for a body weight (kg). Outside of the weights of a formula its end counts. Sources:
DOTS of BVDK 2019; Wilks 1998; IPF GL of 2020 for three lifts without equipment.
#}
{% macro dots(total_kg, body_kg, sex) -%}
    {{ total_kg }} * 500 / case {{ sex }}
        when 'male' then {{ polynomial(
            'least(greatest(' ~ body_kg ~ ', 40), 210)',
            ['-0.0000010930::double', 0.0007391293, -0.1918759221, 24.0900756, -307.75076]
        ) }}
        when 'female' then {{ polynomial(
            'least(greatest(' ~ body_kg ~ ', 40), 150)',
            ['-0.0000010706::double', 0.0005158568, -0.1126655495, 13.6175032, -57.96288]
        ) }}
    end
{%- endmacro %}

{% macro wilks(total_kg, body_kg, sex) -%}
    {{ total_kg }} * 500 / case {{ sex }}
        when 'male' then {{ polynomial(
            'least(greatest(' ~ body_kg ~ ', 40), 201.9)',
            [
                '-0.00000001291::double', '0.00000701863', -0.00113732, -0.002388645, 16.2606339,
                -216.0475144
            ]
        ) }}
        when 'female' then {{ polynomial(
            'least(greatest(' ~ body_kg ~ ', 26.51), 154.53)',
            [
                '-0.00000009054::double', '0.00004731582', -0.00930733913, 0.82112226871,
                -27.23842536447, 594.31747775582
            ]
        ) }}
    end
{%- endmacro %}

{% macro ipf_gl(total_kg, body_kg, sex) -%}
    case when {{ body_kg }} >= 35 then
        {{ total_kg }} * 100 / case {{ sex }}
            when 'male' then 1199.72839 - 1025.18162 * exp(-0.00921 * {{ body_kg }})
            when 'female' then 610.32796 - 1045.59282 * exp(-0.03048 * {{ body_kg }})
        end
    end
{%- endmacro %}
