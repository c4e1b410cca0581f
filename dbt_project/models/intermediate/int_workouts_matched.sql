with athletes as (
    {{ missing_from('int_workouts_planned', ref('int_athlete_inputs')) }}
),

workouts as (
    select facts.* from {{ ref('int_workouts_judged') }} as facts
    inner join athletes using (athlete_id)
),

versions as (
    select facts.* from {{ ref('int_routine_versions_dated') }} as facts
    inner join athletes using (athlete_id)
),

performed_exercises as (
    select facts.* from {{ ref('int_sets_performed') }} as facts
    inner join athletes using (athlete_id)
),

planned_sets as (
    select * from {{ ref('int_routine_sets_targeted') }}
),

unplanned as (
    select workouts.*
    from workouts
    anti join versions
        on
            workouts.athlete_id = versions.athlete_id
            and workouts.routine_id = versions.routine_id
),

performed as (
    select
        unplanned.athlete_id,
        unplanned.workout_id,
        nullif({{ normalised_title('unplanned.title') }}, '') as normalised_title,
        unplanned.started_at,
        list(distinct performed_exercises.exercise_key) as exercise_keys
    from unplanned
    inner join performed_exercises
        on
            unplanned.athlete_id = performed_exercises.athlete_id
            and unplanned.workout_id = performed_exercises.workout_id
    group by
        unplanned.athlete_id, unplanned.workout_id, unplanned.title, unplanned.started_at
),

planned as (
    select
        versions.athlete_id,
        versions.routine_id,
        versions.routine_version_key,
        versions.version_number,
        versions.valid_from,
        versions.valid_to,
        nullif({{ normalised_title('versions.title') }}, '') as normalised_title,
        -- Of several habits with one title, an import numbers the others: "Workout (2)".
        case
            when starts_with(versions.routine_id, 'csv-')
                then
                    regexp_replace(
                        {{ normalised_title('versions.title') }}, ' \([0-9]+\)$', ''
                    )
        end as unnumbered_title,
        list(distinct planned_sets.exercise_key) as exercise_keys
    from versions
    inner join planned_sets
        on versions.routine_version_key = planned_sets.routine_version_key
    where not versions.is_deleted
    group by all
),

compared as (
    select
        performed.athlete_id,
        performed.workout_id,
        planned.routine_id,
        planned.routine_version_key,
        planned.valid_from <= performed.started_at as is_in_force,
        abs(date_diff('microsecond', planned.valid_from, performed.started_at)) as distance_us,
        coalesce(
            performed.normalised_title in (planned.normalised_title, planned.unnumbered_title),
            false
        ) as is_title_equal,
        len(list_intersect(performed.exercise_keys, planned.exercise_keys)) as common_count,
        len(performed.exercise_keys) + len(planned.exercise_keys) as key_count
    from performed
    inner join planned
        on
            performed.athlete_id = planned.athlete_id
            and {{ is_in_force_or_first('planned', 'performed.started_at') }}
),

-- Common exercises as a share of all that occur in either.
scored as (
    select
        *,
        round(
            {{ var('match.title') }} * cast(is_title_equal as integer)
            + (1 - {{ var('match.title') }}) * common_count / (key_count - common_count),
            6
        ) as similarity
    from compared
),

-- Versions in force precede later ones, then the most similar, then the nearest.
matched as (
    select
        athlete_id,
        workout_id,
        routine_version_key,
        is_in_force,
        similarity
    from scored
    where similarity >= {{ var('match.minimum') }}
    qualify row_number() over (
        partition by athlete_id, workout_id
        order by is_in_force desc, similarity desc, distance_us asc, routine_id asc
    ) = 1
)

select * from matched
