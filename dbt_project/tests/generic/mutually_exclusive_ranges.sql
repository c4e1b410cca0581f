{# Returns versions whose half-open interval is empty or overlaps the next one of the same entity;
   with `contiguous` also those that leave a gap before it. #}
{% test mutually_exclusive_ranges(model, partition_by, lower, upper, contiguous=false) %}
with versions as (
    select
        {{ partition_by }},
        {{ lower }} as starts,
        {{ upper }} as ends,
        lead({{ lower }}) over (partition by {{ partition_by }} order by {{ lower }}) as next_starts
    from {{ model }}
)

select * from versions
where
    ends <= starts
    or next_starts < ends
    {% if contiguous %}
        or next_starts > ends
    {% endif %}
{% endtest %}
