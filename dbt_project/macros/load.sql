{# The weight of a day in an exponentially weighted mean over N days: 2 / (N + 1). #}
{% macro smoothing(days) -%}
    (2.0 / ({{ days }} + 1))
{%- endmacro %}

{#
Exponentially weighted load, x_t = x_(t-1) + lambda * (load_t - x_(t-1)) from 0, without recursion.

Days of known load lie in blocks, `place` counting from 0 in each. Within a block the sum over its days of
lambda * load_s * (1 - lambda)^(t - s) is a window over loads divided by a power of their place;
`load_of_block` is that, and `load_with_block_before` adds what is left of the end of the block
before. A block of 1,024 days is short enough for the power to be a double, and long enough for
older blocks to weigh nothing (1e-21), for N from 4 to 45 days.
#}
{% macro load_of_block(load, days) -%}
    {{ smoothing(days) }} * pow(1 - {{ smoothing(days) }}, place) * sum(
        {{ load }} * pow(1 - {{ smoothing(days) }}, -place)
    ) over (partition by athlete_id, load_method, block order by place)
{%- endmacro %}

{% macro load_with_block_before(of_block, at_end_before, place, days) -%}
    {{ of_block }}
    + coalesce({{ at_end_before }} * pow(1 - {{ smoothing(days) }}, {{ place }} + 1), 0)
{%- endmacro %}

{#
Training impulse by Banister: minutes * share * weight, share of the reserve of the heart rate that
the session used (Banister 1991; weights of Morton 1990, J Appl Physiol 69:1171). Null without a sex.
#}
{% macro banister_trimp(minutes, share, sex) -%}
    {{ minutes }} * {{ share }} * case {{ sex }}
        when 'male' then 0.64 * exp(1.92 * {{ share }})
        when 'female' then 0.86 * exp(1.67 * {{ share }})
    end
{%- endmacro %}
