with workouts as (
    select * from {{ ref('fct_workout') }}
),

routine_versions as (
    select * from {{ ref('dim_routine_version') }}
),

publications as (
    select * from {{ ref('stg_coach__publications') }}
),

readings as (
    select * from {{ source('raw', 'sync_log') }}
    where {{ known('completed_at') }}
),

-- A day in an athlete's time zone is at most one away from the same moment's day in UTC.
needed as (
    select
        min(week_start_date) as first_day,
        max(week_start_date) + 6 as last_day
    from workouts
    union all
    select
        min(cast(valid_from as date)) - 1 as first_day,
        max(cast(valid_from as date)) + 1 as last_day
    from routine_versions
    union all
    select
        min(cast(effective_at as date)) - 1 as first_day,
        max(cast(effective_at as date)) + 1 as last_day
    from publications
    union all
    select
        min(cast(completed_at as date)) - 1 as first_day,
        max(cast(completed_at as date)) + 1 as last_day
    from readings
),

days as (
    select
        cast(
            unnest(
                range(
                    date_trunc('year', min(first_day)),
                    date_trunc('year', max(last_day)) + interval 1 year,
                    interval 1 day
                )
            ) as date
        ) as date_day
    from needed
),

described as (
    select
        cast(date_day as varchar) as date_key,
        date_day,
        cast(date_trunc('week', date_day) as date) as week_start_date,
        cast(isoyear(date_day) as integer) as iso_year,
        cast(week(date_day) as integer) as iso_week,
        cast(date_trunc('month', date_day) as date) as month_start_date,
        cast(month(date_day) as integer) as month_number,
        monthname(date_day) as month_name,
        cast(date_trunc('quarter', date_day) as date) as quarter_start_date,
        cast(quarter(date_day) as integer) as quarter_number,
        cast(year(date_day) as integer) as year_number,
        cast(isodow(date_day) as integer) as weekday_number,
        dayname(date_day) as weekday_name
    from days
)

select * from described
