with workouts as (
    select * from {{ ref('int_workouts_planned') }}
),

versions as (
    select * from {{ ref('int_routine_versions_dated') }}
    where published_plan_id is not null
),

plans as (
    select * from {{ ref('stg_coach__plans') }}
),

plan_sets as (
    select * from {{ ref('stg_coach__plan_sets') }}
    where is_easy
),

sets as (
    select * from {{ ref('int_sets_reviewed') }}
    where is_working
),

published as (
    select distinct
        workouts.athlete_id,
        workouts.workout_id,
        plan_sets.exercise_template_id as exercise_key
    from workouts
    inner join versions on workouts.routine_version_key = versions.routine_version_key
    inner join plan_sets on versions.published_plan_id = plan_sets.plan_id
    where workouts.is_plan_known
),

-- An unpublished plan, as after a check-in or in preview, may be followed too.
told as (
    select
        plans.athlete_id,
        plans.plan_id,
        plans.routine_id,
        plans.created_at,
        plan_sets.exercise_template_id as exercise_key,
        count(*) as set_count,
        min(coalesce(plan_sets.weight_kg, 0)) as lightest_kg,
        max(coalesce(plan_sets.weight_kg, 0)) as heaviest_kg
    from plans
    inner join plan_sets on plans.plan_id = plan_sets.plan_id
    where plan_sets.set_type in ('normal', 'failure')
    group by all
),

done as (
    select
        told.athlete_id,
        workouts.workout_id,
        told.plan_id,
        told.exercise_key,
        told.set_count,
        told.lightest_kg,
        told.heaviest_kg,
        count(*) as done_count,
        min(coalesce(sets.weight_kg, 0)) as done_lightest_kg,
        max(coalesce(sets.weight_kg, 0)) as done_heaviest_kg,
        any_value(sets.exercise_type) as exercise_type
    from told
    inner join workouts
        on
            told.athlete_id = workouts.athlete_id
            and told.routine_id = workouts.routine_id
            and told.created_at <= workouts.started_at
            and told.created_at + to_days(cast({{ var('deload.days') }} as integer))
            > workouts.started_at
    inner join sets
        on
            workouts.athlete_id = sets.athlete_id
            and workouts.workout_id = sets.workout_id
            and told.exercise_key = sets.exercise_key
    where
        {{ is_assisted('sets.exercise_type') }}
        or coalesce(sets.weight_kg, 0) >= {{ var('unmarked.load') }} * told.lightest_kg
    group by all
),

-- It was followed if nothing exceeded it; for help, if nothing was less. Sets far below the plan's
-- lightest are warm-ups without a mark.
followed as (
    select distinct
        athlete_id,
        workout_id,
        exercise_key
    from done
    where
        done_count <= set_count
        and if(
            {{ is_assisted('exercise_type') }},
            done_lightest_kg >= lightest_kg - {{ var('align.load_tolerance') }},
            done_heaviest_kg <= heaviest_kg + {{ var('align.load_tolerance') }}
        )
),

eased as (
    select * from published
    union
    select * from followed
)

select * from eased
