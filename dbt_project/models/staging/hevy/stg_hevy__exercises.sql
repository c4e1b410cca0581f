with templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
    where not is_deleted
),

keyed as (
    select
        concat_ws('/', athlete_id, exercise_template_id) as exercise_template_key,
        athlete_id,
        exercise_template_id,
        title,
        exercise_type,
        equipment,
        primary_muscle_group,
        secondary_muscle_groups,
        is_custom
    from templates
)

select * from keyed
