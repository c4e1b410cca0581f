-- Returns workouts in which a planned or a performed set is missing from the comparison, or is in
-- it twice.
{{ config(meta={'dagster': {'ref': {'name': 'fct_plan_compliance'}}}) }}

with workouts as (
    select distinct
        athlete_id,
        workout_id,
        routine_version_key
    from {{ untested_rows(ref('fct_plan_compliance')) }}
),

planned_sets as (
    select * from {{ ref('int_routine_sets_targeted') }}
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

compliance as (
    select facts.* from {{ ref('fct_plan_compliance') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

planned as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        count(*) as planned_count
    from workouts
    inner join planned_sets
        on workouts.routine_version_key = planned_sets.routine_version_key
    group by workouts.athlete_id, workouts.workout_id
),

performed as (
    select
        athlete_id,
        workout_id,
        count(*) as performed_count
    from performed_sets
    group by athlete_id, workout_id
),

compared as (
    select
        athlete_id,
        workout_id,
        count(*) as row_count,
        count(planned_set_index) as planned_count,
        count(performed_set_index) as performed_count,
        count(*) filter (where planned_set_index is null) as unplanned_count
    from compliance
    group by athlete_id, workout_id
),

counted as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        coalesce(planned.planned_count, 0) as planned_count,
        coalesce(performed.performed_count, 0) as performed_count,
        coalesce(compared.planned_count, 0) as compared_planned_count,
        coalesce(compared.performed_count, 0) as compared_performed_count,
        coalesce(compared.unplanned_count, 0) as unplanned_count,
        coalesce(compared.row_count, 0) as row_count
    from workouts
    left join planned
        on
            workouts.athlete_id = planned.athlete_id
            and workouts.workout_id = planned.workout_id
    left join performed
        on
            workouts.athlete_id = performed.athlete_id
            and workouts.workout_id = performed.workout_id
    left join compared
        on
            workouts.athlete_id = compared.athlete_id
            and workouts.workout_id = compared.workout_id
)

select * from counted
where
    compared_planned_count <> planned_count
    or compared_performed_count <> performed_count
    or row_count <> planned_count + unplanned_count
