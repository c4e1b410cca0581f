with check_ins as (
    select * exclude (pain_list) from {{ ref('stg_coach__check_ins') }}
),

profiles as (
    select * from {{ ref('stg_coach__athlete_profiles') }}
),

dated as (
    select
        concat_ws('/', check_ins.athlete_id, check_ins.check_in_id) as check_in_key,
        check_ins.*,
        {{ local_date('check_ins.checked_in_at', "coalesce(profiles.timezone, 'UTC')") }}
            as check_in_date
    from check_ins
    left join profiles on check_ins.athlete_id = profiles.athlete_id
)

select * from dated
