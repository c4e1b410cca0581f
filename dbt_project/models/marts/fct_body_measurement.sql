with account as (
    select * from {{ ref('stg_hevy__body_measurements') }}
),

health as (
    select * from {{ ref('stg_health__days') }}
),

recorded as (
    select
        athlete_id,
        'hevy' as health_source,
        measurement_date,
        weight_kg,
        body_fat_pct
    from account
    union all
    select
        athlete_id,
        health_source,
        health_date as measurement_date,
        weight_kg,
        body_fat_pct
    from health
),

-- Beyond what an adult weighs is a typing error. Files are checked when they are read, an account
-- is not.
possible as (
    select
        athlete_id,
        health_source,
        measurement_date,
        case when weight_kg between 20 and 400 then weight_kg end as weight_kg,
        case when body_fat_pct between 2 and 75 then body_fat_pct end as body_fat_pct
    from recorded
    where measurement_date is not null
),

measured as (
    select * from possible
    where weight_kg is not null or body_fat_pct is not null
),

pairs as (
    select
        later.athlete_id,
        later.health_source,
        later.measurement_date,
        earlier.weight_kg,
        pow(
            1 - {{ var('body.trend_day_weight') }},
            later.measurement_date - earlier.measurement_date
        ) as weight_factor
    from measured as later
    inner join measured as earlier
        on
            later.athlete_id = earlier.athlete_id
            and later.health_source = earlier.health_source
            and earlier.measurement_date
            between later.measurement_date - {{ var('body.trend_back') }}
            and later.measurement_date
    where later.weight_kg is not null and earlier.weight_kg is not null
),

smoothed as (
    select
        athlete_id,
        health_source,
        measurement_date,
        sum(weight_kg * weight_factor) / sum(weight_factor) as trend_weight_kg
    from pairs
    group by athlete_id, health_source, measurement_date
),

fitted as (
    select
        athlete_id,
        health_source,
        measurement_date,
        case
            when
                count(weight_kg) over weeks_to_day >= {{ var('body.change_min_count') }}
                and measurement_date - min(measurement_date) over weeks_to_day
                >= {{ var('body.change_min_days') }}
                then
                    7 * regr_slope(weight_kg, epoch(measurement_date) / 86400) over weeks_to_day
        end as weekly_change_kg
    from measured
    where weight_kg is not null
    window
        weeks_to_day as (
            partition by athlete_id, health_source
            order by measurement_date
            range between interval {{ var('body.change_back') }} day preceding
            and current row
        )
),

-- Digits below the ninth decimal depend on the order of summation.
described as (
    select
        concat_ws(
            '/', measured.athlete_id, measured.health_source, measured.measurement_date
        ) as body_measurement_key,
        measured.athlete_id,
        measured.health_source,
        measured.measurement_date,
        measured.weight_kg,
        measured.body_fat_pct,
        round(smoothed.trend_weight_kg, 9) as trend_weight_kg,
        round(fitted.weekly_change_kg, 6) as weekly_change_kg
    from measured
    left join smoothed
        on
            measured.athlete_id = smoothed.athlete_id
            and measured.health_source = smoothed.health_source
            and measured.measurement_date = smoothed.measurement_date
    left join fitted
        on
            measured.athlete_id = fitted.athlete_id
            and measured.health_source = fitted.health_source
            and measured.measurement_date = fitted.measurement_date
)

select * from described
