with templates as (
    select * from {{ ref('stg_hevy__exercise_templates') }}
),

aliases as (
    select * from {{ ref('stg_coach__exercise_aliases') }}
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
            is_deleted
        ) as entry_hash
    from templates
    union all
    select
        athlete_id,
        hash('alias', normalised_title, title) as entry_hash
    from aliases
),

digested as (
    select
        athlete_id,
        bit_xor(entry_hash) as catalogue_hash
    from entries
    group by athlete_id
)

select * from digested
