with missing as (
    {{ missing_from('fct_plan_compliance', ref('int_workouts_planned')) }}
),

workouts as (
    select * from missing
    where is_plan_known
),

performed_sets as (
    select facts.* from {{ ref('int_sets_reviewed') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

planned_sets as (
    select * from {{ ref('int_routine_sets_targeted') }}
),

exercises as (
    select * from {{ ref('dim_exercise') }}
),

performed as (
    select
        athlete_id,
        workout_id,
        exercise_key,
        occurrence,
        min(exercise_index) as exercise_index
    from performed_sets
    group by athlete_id, workout_id, exercise_key, occurrence
),

planned as (
    select
        workouts.athlete_id,
        workouts.workout_id,
        planned_sets.exercise_key,
        planned_sets.occurrence,
        min(planned_sets.exercise_index) as exercise_index
    from workouts
    inner join planned_sets
        on workouts.routine_version_key = planned_sets.routine_version_key
    group by
        workouts.athlete_id,
        workouts.workout_id,
        planned_sets.exercise_key,
        planned_sets.occurrence
),

-- Exercises with planned sets and no performed one, and the reverse.
one_sided as (
    select
        planned.*,
        true as is_planned
    from planned
    anti join performed using (athlete_id, workout_id, exercise_key, occurrence)
    union all
    select
        performed.*,
        false as is_planned
    from performed
    anti join planned using (athlete_id, workout_id, exercise_key, occurrence)
),

-- Of one muscle group the first of the ones was done instead of the first of the others.
placed as (
    select
        one_sided.*,
        exercises.primary_muscle_group,
        row_number() over (
            partition by
                one_sided.athlete_id,
                one_sided.workout_id,
                exercises.primary_muscle_group,
                one_sided.is_planned
            order by one_sided.exercise_index
        ) as place
    from one_sided
    inner join exercises
        on
            one_sided.athlete_id = exercises.athlete_id
            and one_sided.exercise_key = exercises.exercise_key
            and exercises.primary_muscle_group is not null
),

substituted as (
    select
        placed.athlete_id,
        placed.workout_id,
        placed.exercise_key,
        placed.occurrence,
        counterparts.exercise_key as substitution_exercise_key
    from placed
    inner join placed as counterparts
        on
            placed.athlete_id = counterparts.athlete_id
            and placed.workout_id = counterparts.workout_id
            and placed.primary_muscle_group = counterparts.primary_muscle_group
            and placed.is_planned <> counterparts.is_planned
            and placed.place = counterparts.place
)

select * from substituted
