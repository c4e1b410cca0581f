with check_ins as (
    select * from {{ ref('stg_coach__check_ins') }}
),

profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

worded as (
    select
        check_in_id,
        athlete_id,
        checked_in_at,
        energy,
        soreness,
        -- The worse of the two; one that is unsaid is passed over.
        least(energy, 6 - soreness) as readiness,
        minutes as available_minutes,
        array_to_string(
            list_sort([each['part'] || ': ' || each['level'] for each in pains]), ', '
        ) as pains,
        array_to_string(list_sort(deloads), ', ') as deloads
    from check_ins
),

told as (
    select
        worded.check_in_id,
        worded.athlete_id,
        worded.checked_in_at,
        {{ local_date('worded.checked_in_at', "coalesce(profiles.timezone, 'UTC')") }}
            as check_in_date,
        worded.energy,
        worded.soreness,
        worded.readiness,
        worded.available_minutes,
        nullif(worded.pains, '') as pains,
        nullif(worded.deloads, '') as deloads
    from worded
    left join profiles on worded.athlete_id = profiles.athlete_id
)

select * from told
