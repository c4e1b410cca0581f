{{ config(materialized='incremental', unique_key=['athlete_id', 'exercise_template_id']) }}

with latest as (
    {{ latest_records(
        source('raw', 'hevy_exercise_templates'),
        lacking_in=this if is_incremental(),
        id='exercise_template_id'
    ) }}
),

-- A deleted custom exercise still describes the sets that were done with it, so it stays.
parsed as (
    select
        athlete_id,
        record_id,
        is_deleted,
        loaded_at,
        {{ catalogue_entry('payload') }} as entry
    from latest
),

renamed as (
    select
        athlete_id,
        record_id as exercise_template_id,
        entry.title,
        entry.type as exercise_type,
        coalesce(entry.equipment, entry.equipment_category) as equipment,
        entry.primary_muscle_group,
        entry.secondary_muscle_groups,
        entry.is_custom,
        is_deleted,
        loaded_at
    from parsed
)

select * from renamed
