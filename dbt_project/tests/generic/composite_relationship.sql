{# Returns rows whose combination of values does not exist under the same names in another model. #}
{% test composite_relationship(model, columns, to) %}
with children as (
    select distinct {{ columns | join(', ') }} from {{ model }}
),

found as (
    select distinct children.* from {{ to }} as parents
    inner join children using ({{ columns | join(', ') }})
)

select * from children
except
select * from found
{% endtest %}
