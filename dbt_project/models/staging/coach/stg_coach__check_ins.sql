with source as (
    select * from {{ source('coach', 'check_ins') }}
    where {{ known('checked_in_at') }}
),

worded as (
    select
        check_in_id,
        athlete_id,
        checked_in_at,
        energy,
        soreness,
        minutes as available_minutes,
        list_sort(from_json(pain, '[{"part": "VARCHAR", "level": "VARCHAR"}]')) as pain_list,
        nullif(array_to_string(list_sort(from_json(deload, '["VARCHAR"]')), ', '), '') as deloads
    from source
)

select
    *,
    nullif(
        array_to_string([each['part'] || ': ' || each['level'] for each in pain_list], ', '), ''
    ) as pains
from worded
