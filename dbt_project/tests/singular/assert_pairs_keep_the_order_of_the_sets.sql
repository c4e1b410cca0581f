-- Returns pairs whose performed set comes before that of an earlier planned set of the same class.
with compliance as (
    select * from {{ untested_rows(ref('fct_plan_compliance')) }}
    where planned_set_index is not null and performed_set_index is not null
),

followed as (
    select
        plan_compliance_key,
        performed_set_index,
        lead(performed_set_index) over (
            partition by athlete_id, workout_id, exercise_key, occurrence, set_class
            order by planned_set_index
        ) as next_performed_set_index
    from compliance
)

select * from followed
where next_performed_set_index <= performed_set_index
