{#
Effort of a set. These macros are the only definition of an easy and of a hard set: facts, metrics
and pages read the columns of fct_set that they define.
#}

{#
Repetitions that a set leaves in reserve by the athlete's own maximum: those to failure at the load
by Epley's formula, less those done. Null without a load, repetitions or a maximum.
#}
{% macro reserve_of_maximum(weight_kg, reps, own_max_kg) -%}
    (30 * ({{ own_max_kg }} / nullif({{ weight_kg }}, 0) - 1) - {{ reps }})
{%- endmacro %}

{#
The reason for which a working set or drop set is easy, or null. An RPE decides alone: `rated`, four
or more in reserve. Without one: `deload`, light on purpose; `warm_up`, so light for the athlete's
own maximum that it is a warm-up, which a set to failure is not.
#}
{% macro easy_reason(set_class, set_type, rpe, is_eased, reserve) -%}
    case
        when {{ set_class }} = 'warmup' then null
        when 10 - {{ rpe }} >= {{ var('effort.easy_reserve_min') }} then 'rated'
        when {{ rpe }} is not null then null
        when {{ is_eased }} then 'deload'
        when
            {{ set_type }} <> 'failure'
            and {{ reserve }} >= {{ var('effort.warm_up_reserve_min') }}
            then 'warm_up'
    end
{%- endmacro %}

{#
Whether a set is hard: a working set with a repetition that is not easy, at the RPE of a hard set or
more, or without one. A recorded load of 0 is no load; that of an exercise which is known to need none
is not looked at.
#}
{% macro is_hard_set(set_class, reps, weight_kg, exercise_type, rpe, easy_reason) -%}
    (
        {{ set_class }} = 'working'
        and coalesce({{ reps }} > 0, true)
        and not (
            {{ weight_kg }} is not distinct from 0
            and ({{ exercise_type }} is null or {{ needs_a_load(exercise_type) }})
        )
        and {{ easy_reason }} is null
        and coalesce({{ rpe }} >= {{ var('rpe.hard_set_min') }}, true)
    )
{%- endmacro %}

{# The load of a set relative to the athlete's own maximum (%). #}
{% macro intensity_pct(weight_kg, own_max_kg) -%}
    (100 * {{ weight_kg }} / nullif({{ own_max_kg }}, 0))
{%- endmacro %}

{# The zone of a relative intensity (%), with the bounds of Prilepin's table. #}
{% macro intensity_zone(intensity_pct) -%}
    case
        when {{ intensity_pct }} < 55 then 'below_55'
        when {{ intensity_pct }} < 70 then '55_to_70'
        when {{ intensity_pct }} < 80 then '70_to_80'
        when {{ intensity_pct }} < 90 then '80_to_90'
        when {{ intensity_pct }} >= 90 then 'from_90'
    end
{%- endmacro %}

{#
Intensity number of lifts, repetitions / (100 - intensity in %), by Hristov (2005). From 99 % on a
repetition counts 1, where the formula has no bound.
#}
{% macro inol(reps, intensity_pct) -%}
    ({{ reps }} / if({{ intensity_pct }} > 99, 1, 100 - {{ intensity_pct }}))
{%- endmacro %}

{#
The session RPE in a note of a workout, such as "sRPE 8": the first number from 0 to 10 in its
description and the notes of its exercises, of which each may have one. No letter, digit or
apostrophe is before the s of "sRPE" and no blank after it: "last week's RPE 6" and "10 s RPE 8" are
of single sets.
#}
{% macro noted_session_rpe(entry) -%}
    [
        rpe for rpe in [
            try_cast(
                replace(
                    regexp_extract(
                        note,
                        '(?i)(?:^|[^''’\w])(?:s-?|session[ -]?)rpe\s*[:=]?\s*(\d+(?:[.,]\d+)?)',
                        1
                    ),
                    ',',
                    '.'
                ) as double
            )
            for note in
            list_prepend({{ entry }}.description, [each.notes for each in {{ entry }}.exercises])
        ] if rpe between 0 and 10
    ][1]
{%- endmacro %}
