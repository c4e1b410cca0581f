with templates as (
    select
        *,
        {{ normalised_title('title') }} as normalised_title
    from {{ ref('stg_hevy__exercise_templates') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
),

recorded as (
    select * from {{ ref('int_exercises_used') }}
),

planned as (
    select * from {{ ref('stg_hevy__routine_exercises') }}
),

ids as (
    select
        athlete_id,
        exercise_template_id
    from recorded
    union
    select
        athlete_id,
        exercise_template_id
    from planned
),

meant as (
    select aliases.*
    from aliases
    semi join recorded
        on
            aliases.athlete_id = recorded.athlete_id
            and aliases.normalised_title = recorded.normalised_title
),

titles as (
    select
        athlete_id,
        normalised_title
    from recorded
    union
    select
        athlete_id,
        {{ normalised_title('title') }} as normalised_title
    from meant
),

-- An unused exercise has no effect on any workout.
used as (
    select templates.* from templates
    semi join ids using (athlete_id, exercise_template_id)
    union
    select templates.* from templates
    semi join titles using (athlete_id, normalised_title)
),

entries as (
    select
        athlete_id,
        hash(
            exercise_template_id,
            title,
            exercise_type,
            equipment,
            primary_muscle_group,
            secondary_muscle_groups,
            is_custom,
            is_deleted,
            loaded_at
        ) as entry_hash
    from used
    union all
    select
        athlete_id,
        hash('alias', normalised_title, title) as entry_hash
    from meant
),

digested as (
    select
        athlete_id,
        bit_xor(entry_hash) as catalogue_hash
    from entries
    group by athlete_id
)

select * from digested
