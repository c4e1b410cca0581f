with performed as (
    select * from {{ ref('int_sets_performed') }}
),

planned as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

built_in as (
    select * from {{ ref('stg_hevy__built_in_exercises') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

body_load_words as (
    select * from {{ ref('body_load_words') }}
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

-- An alias does not name the exercise.
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

known as (
    select
        coalesce(templates.athlete_id, latest_use.athlete_id) as athlete_id,
        coalesce(templates.exercise_template_id, latest_use.exercise_key) as exercise_key,
        latest_use.exercise_title,
        templates.* exclude (athlete_id)
    from templates
    full join latest_use
        on
            templates.athlete_id = latest_use.athlete_id
            and templates.exercise_template_id = latest_use.exercise_key
),

named as (
    {{ body_load_types('known', 'body_load_words') }}
),

-- The athlete's own catalogue, otherwise the built-in one, otherwise the written title.
described as (
    select
        concat_ws('/', known.athlete_id, known.exercise_key) as athlete_exercise_key,
        known.athlete_id,
        known.exercise_key,
        case
            when not starts_with(known.exercise_key, 'title:') then known.exercise_key
        end as exercise_template_id,
        coalesce(known.title, built_in.title, known.exercise_title) as title,
        {{ known_exercise_type(
            'known.exercise_type', 'built_in.exercise_type', 'named.exercise_type'
        ) }} as exercise_type,
        coalesce(known.equipment, built_in.equipment) as equipment,
        coalesce(known.primary_muscle_group, built_in.primary_muscle_group)
            as primary_muscle_group,
        coalesce(known.secondary_muscle_groups, built_in.secondary_muscle_groups)
            as secondary_muscle_groups,
        coalesce(known.is_custom, if(built_in.title is not null, false, null)) as is_custom
    from known
    left join built_in on known.exercise_key = built_in.exercise_template_id
    left join named on known.exercise_key = named.exercise_key
)

select * from described
