{# Returns rows whose combination of values does not exist under the same names in another model. #}
{% test composite_relationship(model, columns, to) %}
select {{ columns | join(', ') }} from {{ model }}
except
select {{ columns | join(', ') }} from {{ to }}
{% endtest %}
