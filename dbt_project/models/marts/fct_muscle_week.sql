{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athletes_observed'}
) }}

with athletes as (
    {{ missing_from('fct_muscle_week', ref('int_athletes_observed')) }}
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
    where facts.set_class <> 'warmup'
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

aimed as (
    select facts.* from {{ ref('bridge_exercise_muscle') }} as facts
    inner join athletes using (athlete_id)
),

muscle_groups as (
    select * from {{ ref('dim_muscle_group') }}
),

trained as (
    select
        athlete_id,
        exercise_key,
        week_start_date,
        cast(count(*) filter (where is_hard) as double)
        + count(*) filter (where set_class = 'drop') * {{ var('volume.dropset') }} as set_count,
        count(*) filter (where is_assumed_hard) as assumed_count
    from performed_sets
    group by athlete_id, exercise_key, week_start_date
),

summed as (
    select
        trained.athlete_id,
        aimed.muscle_group,
        trained.week_start_date,
        sum(trained.set_count * aimed.set_weight) as fractional_set_count,
        sum(trained.set_count) filter (where aimed.is_primary) as direct_set_count,
        sum(trained.set_count) filter (where not aimed.is_primary) as indirect_set_count,
        sum(trained.assumed_count * aimed.set_weight) as assumed_set_count
    from trained
    inner join aimed
        on
            trained.athlete_id = aimed.athlete_id
            and trained.exercise_key = aimed.exercise_key
    group by trained.athlete_id, aimed.muscle_group, trained.week_start_date
),

last_weeks as (
    select
        workouts.athlete_id,
        {{ last_observed_week('workouts', 'athletes') }} as last_week
    from workouts
    inner join athletes on workouts.athlete_id = athletes.athlete_id
    group by workouts.athlete_id
),

-- All weeks from the muscle group's first to the last observed: an average needs those without.
weeks as (
    select
        summed.athlete_id,
        summed.muscle_group,
        cast(
            unnest(
                range(
                    min(summed.week_start_date),
                    any_value(last_weeks.last_week) + interval 1 day,
                    interval 7 day
                )
            ) as date
        ) as week_start_date
    from summed
    inner join last_weeks on summed.athlete_id = last_weeks.athlete_id
    group by summed.athlete_id, summed.muscle_group
),

filled as (
    select
        weeks.athlete_id,
        weeks.muscle_group,
        weeks.week_start_date,
        muscle_groups.landmark_muscle,
        muscle_groups.landmark_version,
        muscle_groups.mv,
        muscle_groups.mev,
        muscle_groups.mav_low,
        muscle_groups.mav_high,
        muscle_groups.mrv,
        muscle_groups.region,
        coalesce(summed.fractional_set_count, 0) as fractional_set_count,
        coalesce(summed.direct_set_count, 0) as direct_set_count,
        coalesce(summed.indirect_set_count, 0) as indirect_set_count,
        summed.assumed_set_count / nullif(summed.fractional_set_count, 0) as assumed_hard_share
    from weeks
    left join summed
        on
            weeks.athlete_id = summed.athlete_id
            and weeks.muscle_group = summed.muscle_group
            and weeks.week_start_date = summed.week_start_date
    left join muscle_groups on weeks.muscle_group = muscle_groups.muscle_group
),

-- Groups with common landmarks are held against them together.
compared as (
    select
        *,
        case
            when landmark_muscle is not null
                then sum(direct_set_count) over (
                    partition by athlete_id, landmark_muscle, week_start_date
                )
        end as landmark_set_count,
        lag(fractional_set_count) over (
            partition by athlete_id, muscle_group
            order by week_start_date
        ) as fractional_set_count_before
    from filled
),

banded as (
    select
        concat_ws(
            '/', compared.athlete_id, compared.muscle_group, compared.week_start_date
        ) as muscle_week_key,
        compared.athlete_id,
        compared.muscle_group,
        compared.week_start_date,
        compared.fractional_set_count,
        compared.direct_set_count,
        compared.indirect_set_count,
        compared.assumed_hard_share,
        100
        * (compared.fractional_set_count / nullif(compared.fractional_set_count_before, 0) - 1)
            as change_pct,
        case
            when compared.region is null then null
            when compared.fractional_set_count < {{ var('volume.low_below') }} then 'low'
            when compared.fractional_set_count < {{ var('volume.high_from') }} then 'effective'
            when compared.fractional_set_count <= {{ var('volume.check_above') }} then 'high'
            else 'check_recovery'
        end as volume_band,
        compared.landmark_muscle,
        compared.landmark_set_count,
        case
            when compared.landmark_muscle is null then null
            when compared.landmark_set_count < compared.mv then 'below_mv'
            when compared.landmark_set_count < compared.mev then 'mv_to_mev'
            when compared.landmark_set_count < compared.mav_low then 'mev_to_mav'
            when compared.landmark_set_count <= compared.mav_high then 'in_mav'
            when compared.landmark_set_count <= compared.mrv then 'mav_to_mrv'
            else 'above_mrv'
        end as landmark_band,
        compared.landmark_version
    from compared
)

select * from banded
