-- Returns rows with a status that contradicts the presence of a plan, of a planned or a performed
-- set, or of a target, and warm-ups or unplanned sets that count for adherence.
with compliance as (
    select * from {{ untested_rows(ref('fct_plan_compliance')) }}
)

select * from compliance
where
    (not is_plan_known and execution_status is not null)
    or ((plan_basis is null) <> (routine_version_key is null))
    or (is_plan_known <> coalesce(plan_basis in ('routine', 'matched'), false))
    or (
        coalesce(execution_status = 'Skipped', false)
        <> (is_plan_known and performed_set_index is null)
    )
    or (
        coalesce(execution_status = 'Unplanned', false)
        <> (is_plan_known and planned_set_index is null)
    )
    or (
        target_count = 0
        and execution_status not in ('Target Met: Free/Bodyweight', 'Skipped')
    )
    or (target_count is null) <> (planned_set_index is null)
    or (counts_for_adherence and (set_class <> 'working' or planned_set_index is null))
