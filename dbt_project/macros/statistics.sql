{#
The quantile of Student's t that holds with the confidence of a stall, one-sided: to ten digits, for
the degrees of freedom of 8 to 16 exposures; `check_constants` refuses others.
#}
{% macro t_quantile(freedom) -%}
    case
        when {{ freedom }} = 6 then 0.9057032852
        when {{ freedom }} = 7 then 0.8960296443
        when {{ freedom }} = 8 then 0.8888895178
        when {{ freedom }} = 9 then 0.8834038597
        when {{ freedom }} = 10 then 0.8790578286
        when {{ freedom }} = 11 then 0.8755299781
        when {{ freedom }} = 12 then 0.8726092916
        when {{ freedom }} = 13 then 0.8701515340
        when {{ freedom }} = 14 then 0.8680547816
    end
{%- endmacro %}

{# The quantile of the normal distribution that an 80 % interval reaches to on both sides. #}
{% macro z_of_80() -%}
    1.2815515655
{%- endmacro %}

{# The probability that of `count` tosses of a coin just `heads` show heads. #}
{% macro probability_of_heads(heads, count) -%}
    exp(
        lgamma({{ count }} + 1) - lgamma({{ heads }} + 1) - lgamma({{ count }} - {{ heads }} + 1)
        - {{ count }} * ln(2)
    )
{%- endmacro %}

{#
Weight of a node of a table for a value near it: 1 at the node, 0 at its neighbours, linear in
between. Beyond the ends of the table the last node counts alone.
#}
{% macro share_of_node(value, before, node, after) -%}
    greatest(
        if(
            {{ value }} <= {{ node }},
            coalesce(({{ value }} - {{ before }}) / ({{ node }} - {{ before }}), 1),
            coalesce(({{ after }} - {{ value }}) / ({{ after }} - {{ node }}), 1)
        ),
        0
    )
{%- endmacro %}

{#
Difference from stated to true repetitions in reserve, from a normal prior and observations of known
spread: the precision of the mean, and the mean.
#}
{% macro rpe_bias_precision(observation_count) -%}
    (
        1 / pow({{ var('rir.calib_prior_sd') }}, 2)
        + {{ observation_count }} / pow({{ var('rir.calib_obs_sd') }}, 2)
    )
{%- endmacro %}

{% macro rpe_bias_mean(observation_count, mean_error) -%}
    (
        {{ var('rir.calib_prior_mean') }} / pow({{ var('rir.calib_prior_sd') }}, 2)
        + {{ observation_count }} * coalesce({{ mean_error }}, 0)
        / pow({{ var('rir.calib_obs_sd') }}, 2)
    ) / {{ rpe_bias_precision(observation_count) }}
{%- endmacro %}

{#
A sum that does not depend on the order of adding, which differs from build to build: in millionths.
Amounts that no such decimal holds are mistakes; they are added as they are.
#}
{% macro exact_sum(amount) -%}
    if(
        max(abs({{ amount }})) < 1e20,
        cast(sum(try_cast({{ amount }} as decimal(38, 6))) as double),
        sum({{ amount }})
    )
{%- endmacro %}
