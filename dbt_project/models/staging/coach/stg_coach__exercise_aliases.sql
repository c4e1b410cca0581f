with latest as (
    {{ latest_records(source('raw', 'athlete_profiles')) }}
),

parsed as (
    select
        athlete_id,
        unnest(
            from_json(
                payload -> '$.exercise_aliases',
                '[{"written_title": "VARCHAR", "title": "VARCHAR"}]'
            )
        ) as entry
    from latest
    where not is_deleted
),

-- Two spellings of one title are one alias; the profile validates that they mean the same.
renamed as (
    select
        athlete_id,
        {{ normalised_title('entry.written_title') }} as normalised_title,
        min(entry.title) as title
    from parsed
    group by athlete_id, {{ normalised_title('entry.written_title') }}
)

select * from renamed
