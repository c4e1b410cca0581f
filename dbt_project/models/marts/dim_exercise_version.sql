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
        from_json(
            templates.payload,
            '{
                "title": "VARCHAR",
                "type": "VARCHAR",
                "equipment": "VARCHAR",
                "equipment_category": "VARCHAR",
                "primary_muscle_group": "VARCHAR",
                "secondary_muscle_groups": ["VARCHAR"],
                "is_custom": "BOOLEAN"
            }'
        ) as entry
    from templates
    semi join changing using (athlete_id, record_id)
),

changes as (
    select * from parsed
    qualify
        entry is distinct from lag(entry) over (
            partition by athlete_id, exercise_key order by loaded_at
        )
),

numbered as (
    select
        exercises.*,
        changes.entry,
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
        if(is_current, title, entry.title) as title,
        if(is_current, exercise_type, entry.type) as exercise_type,
        if(is_current, equipment, coalesce(entry.equipment, entry.equipment_category))
            as equipment,
        if(is_current, primary_muscle_group, entry.primary_muscle_group)
            as primary_muscle_group,
        if(is_current, secondary_muscle_groups, entry.secondary_muscle_groups)
            as secondary_muscle_groups,
        is_current,
        if(version_number = 1, {{ beginning_of_time() }}, known_from) as valid_from,
        valid_to,
        known_from
    from numbered
)

select * from described
