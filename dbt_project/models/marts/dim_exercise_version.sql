with exercises as (
    select * from {{ ref('dim_exercise') }}
),

templates as (
    select * from {{ source('raw', 'hevy_exercise_templates') }}
    where {{ known() }} and not is_deleted
),

landed as (
    select
        athlete_id,
        record_id,
        min(loaded_at) as first_loaded_at,
        count(*) as landing_count
    from templates
    group by athlete_id, record_id
),

-- Most exercises never change: dim_exercise describes them, without parsing them again.
changing as (
    select * from landed
    where landing_count > 1
),

parsed as (
    select
        templates.athlete_id,
        templates.record_id as exercise_key,
        templates.loaded_at,
        {{ catalogue_entry('templates.payload') }} as entry
    from templates
    semi join changing using (athlete_id, record_id)
),

renamed as (
    select
        athlete_id,
        exercise_key,
        loaded_at,
        entry.title,
        entry.type as exercise_type,
        coalesce(entry.equipment, entry.equipment_category) as equipment,
        entry.primary_muscle_group,
        entry.secondary_muscle_groups
    from parsed
),

changes as (
    select * from renamed
    qualify
        (title, exercise_type, equipment, primary_muscle_group, secondary_muscle_groups)
        is distinct from
        lag((title, exercise_type, equipment, primary_muscle_group, secondary_muscle_groups)) over (
            partition by athlete_id, exercise_key order by loaded_at
        )
),

numbered as (
    select
        exercises.athlete_exercise_key,
        exercises.athlete_id,
        exercises.exercise_key,
        -- What an entry lacks is described by other sources, as in dim_exercise.
        coalesce(changes.title, exercises.title) as title,
        coalesce(changes.exercise_type, exercises.exercise_type) as exercise_type,
        coalesce(changes.equipment, exercises.equipment) as equipment,
        coalesce(changes.primary_muscle_group, exercises.primary_muscle_group)
            as primary_muscle_group,
        coalesce(changes.secondary_muscle_groups, exercises.secondary_muscle_groups)
            as secondary_muscle_groups,
        coalesce(changes.loaded_at, landed.first_loaded_at) as known_from,
        cast(
            row_number() over (
                partition by exercises.athlete_id, exercises.exercise_key
                order by changes.loaded_at
            ) as integer
        ) as version_number,
        {{ end_of_interval(
            'changes.loaded_at', 'exercises.athlete_id, exercises.exercise_key'
        ) }} as valid_to,
        valid_to = {{ end_of_time() }} as is_current
    from exercises
    left join landed
        on
            exercises.athlete_id = landed.athlete_id
            and exercises.exercise_key = landed.record_id
    left join changes
        on
            exercises.athlete_id = changes.athlete_id
            and exercises.exercise_key = changes.exercise_key
),

described as (
    select
        concat_ws('/', athlete_id, exercise_key, version_number) as exercise_version_key,
        athlete_id,
        exercise_key,
        athlete_exercise_key,
        version_number,
        title,
        exercise_type,
        equipment,
        primary_muscle_group,
        secondary_muscle_groups,
        is_current,
        if(version_number = 1, {{ beginning_of_time() }}, known_from) as valid_from,
        valid_to,
        known_from
    from numbered
)

select * from described
