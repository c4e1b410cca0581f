with performed as (
    select * from {{ ref('fct_exercise_session') }}
),

planned as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

used as (
    select
        athlete_id,
        exercise_key,
        exercise_title,
        started_at as used_at
    from performed
    union all
    select
        athlete_id,
        exercise_template_id as exercise_key,
        exercise_title,
        loaded_at as used_at
    from planned
),

titles as (
    select
        athlete_id,
        exercise_key,
        exercise_title,
        max(used_at) as used_at
    from used
    group by athlete_id, exercise_key, exercise_title
),

-- A title that stands for another one does not name the exercise.
latest_use as (
    select
        titles.athlete_id,
        titles.exercise_key,
        titles.exercise_title
    from titles
    left join aliases
        on
            titles.athlete_id = aliases.athlete_id
            and starts_with(titles.exercise_key, 'title:')
            and {{ normalised_title('titles.exercise_title') }} = aliases.normalised_title
    qualify row_number() over (
        partition by titles.athlete_id, titles.exercise_key
        order by
            aliases.title is not null,
            titles.used_at desc,
            titles.exercise_title asc
    ) = 1
),

described as (
    select
        coalesce(templates.athlete_id, latest_use.athlete_id) as athlete_id,
        coalesce(templates.exercise_template_id, latest_use.exercise_key) as exercise_key,
        case
            when templates.exercise_template_id is not null then templates.exercise_template_id
            when not starts_with(latest_use.exercise_key, 'title:') then latest_use.exercise_key
        end as exercise_template_id,
        coalesce(templates.title, latest_use.exercise_title) as title,
        templates.exercise_type,
        templates.equipment,
        templates.primary_muscle_group,
        templates.secondary_muscle_groups,
        templates.is_custom
    from templates
    full join latest_use
        on
            templates.athlete_id = latest_use.athlete_id
            and templates.exercise_template_id = latest_use.exercise_key
)

select * from described
