with check_ins as (
    select * from {{ ref('stg_coach__check_ins') }}
),

dated as (
    select * from {{ ref('fct_check_in') }}
),

reported as (
    select
        athlete_id,
        check_in_id,
        unnest(pain_list) as pain
    from check_ins
),

-- A part that is named twice in a check-in hurts as much as the worst of both.
worst as (
    select
        athlete_id,
        check_in_id,
        pain.part as body_part,
        arg_max(pain.level, list_position(['mild', 'moderate', 'severe'], pain.level)) as severity
    from reported
    group by athlete_id, check_in_id, pain.part
)

select
    concat_ws('/', dated.check_in_key, worst.body_part) as check_in_pain_key,
    dated.check_in_key,
    worst.athlete_id,
    dated.checked_in_at,
    dated.check_in_date,
    worst.body_part,
    worst.severity
from worst
inner join dated
    on
        worst.athlete_id = dated.athlete_id
        and worst.check_in_id = dated.check_in_id
