with source as (
    select * from {{ ref('built_in_exercises') }}
),

renamed as (
    select
        id as exercise_template_id,
        title,
        {{ normalised_title('title') }} as normalised_title,
        type as exercise_type,
        equipment,
        primary_muscle_group,
        if(secondary_muscle_groups is null, [], string_split(secondary_muscle_groups, ' '))
            as secondary_muscle_groups
    from source
)

select * from renamed
