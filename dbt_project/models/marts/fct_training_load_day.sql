{{ config(
    materialized='incremental',
    meta={'unit': 'athlete', 'inputs': 'int_athletes_observed'}
) }}

{% set block_days = 1024 %}

with athletes as (
    {{ missing_from('fct_training_load_day', ref('int_athletes_observed')) }}
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

trained as (
    select
        athlete_id,
        workout_date as date_day,
        count(*) as workout_count,
        sum(hard_set_count) as training_load
    from workouts
    group by athlete_id, workout_date
),

-- Up to the last day with complete knowledge of workouts.
spans as (
    select
        trained.athlete_id,
        unnest(
            range(
                min(trained.date_day),
                greatest(max(trained.date_day), any_value(athletes.last_observed_date))
                + interval 1 day,
                interval 1 day
            )
        ) as date_day
    from trained
    inner join athletes on trained.athlete_id = athletes.athlete_id
    group by trained.athlete_id
),

-- A day without a workout is a rest day: its load is a known 0.
days as (
    select
        spans.athlete_id,
        cast(spans.date_day as date) as date_day,
        cast(coalesce(trained.workout_count, 0) as integer) as workout_count,
        cast(coalesce(trained.training_load, 0) as double) as training_load,
        row_number() over (
            partition by spans.athlete_id
            order by spans.date_day
        ) as day_number
    from spans
    left join trained
        on
            spans.athlete_id = trained.athlete_id
            and cast(spans.date_day as date) = trained.date_day
),

placed as (
    select
        *,
        (day_number - 1) // {{ block_days }} as block,
        (day_number - 1) % {{ block_days }} as place
    from days
),

smoothed as (
    select
        *,
        {{ load_of_block('training_load', var('display.ctl_days')) }} as block_ctl,
        {{ load_of_block('training_load', var('display.atl_days')) }} as block_atl
    from placed
),

block_ends as (
    select * from smoothed
    where place = {{ block_days }} - 1
),

carried as (
    select
        smoothed.*,
        {{ load_with_block_before(
            'smoothed.block_ctl', 'block_ends.block_ctl', 'smoothed.place', var('display.ctl_days')
        ) }} as ctl,
        {{ load_with_block_before(
            'smoothed.block_atl', 'block_ends.block_atl', 'smoothed.place', var('display.atl_days')
        ) }} as atl
    from smoothed
    left join block_ends
        on
            smoothed.athlete_id = block_ends.athlete_id
            and smoothed.block = block_ends.block + 1
),

weighed as (
    select
        *,
        coalesce(lag(ctl) over days_before - lag(atl) over days_before, 0) as tsb,
        case when day_number >= 7 then sum(training_load) over week_before end as weekly_load,
        -- Equal loads have no spread; the comparison is exact where the deviation may not be.
        case
            when
                day_number >= 7
                and max(training_load) over week_before > min(training_load) over week_before
                then
                    avg(training_load) over week_before
                    / stddev_samp(training_load) over week_before
        end as monotony
    from carried
    window
        days_before as (partition by athlete_id order by day_number),
        week_before as (
            partition by athlete_id
            order by day_number
            rows between 6 preceding and current row
        )
),

-- Digits below the ninth decimal depend on the order of summation in a window.
described as (
    select
        athlete_id,
        date_day,
        cast(date_trunc('week', date_day) as date) as week_start_date,
        workout_count,
        training_load,
        'hard_sets' as load_method,
        weekly_load,
        round(monotony, 9) as monotony,
        round(weekly_load * monotony, 9) as strain,
        round(ctl, 9) as ctl,
        round(atl, 9) as atl,
        round(tsb, 9) as tsb,
        pow(1 - {{ smoothing(var('display.ctl_days')) }}, day_number)
        >= {{ var('display.warm_up_weight') }} as is_warming_up,
        '2/(N+1)' as lambda_convention
    from weighed
)

select * from described
