{# Returns the rows that break a rule of the model; `macros/rules.sql` describes the rules. #}
{% test rules(
    model, key=[], unique=[], not_null=[], accepted_values={}, within={}, finite=false,
    references=[], versions=[]
) -%}
    {{ config(fail_calc='coalesce(sum(row_count), 0)') }}
    {{ broken_rules(
        model, key, unique, not_null, accepted_values, within, finite, references, versions
    ) }}
{%- endtest %}
