-- Returns classes of sets of one exercise in which both a planned and a performed set stayed alone:
-- equal counts pair fully, so only a surplus may.
with compliance as (
    select * from {{ untested_rows(ref('fct_plan_compliance')) }}
)

select
    athlete_id,
    workout_id,
    exercise_key,
    occurrence,
    set_class
from compliance
where plan_basis is not null and (performed_set_index is null or planned_set_index is null)
group by athlete_id, workout_id, exercise_key, occurrence, set_class
having bool_or(performed_set_index is null) and bool_or(planned_set_index is null)
