with check_ins as (
    select * from {{ ref('stg_coach__check_ins') }}
),

profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

dated as (
    select
        check_ins.*,
        {{ local_date('check_ins.checked_in_at', "coalesce(profiles.timezone, 'UTC')") }}
            as check_in_date
    from check_ins
    left join profiles on check_ins.athlete_id = profiles.athlete_id
)

select * from dated
