{{ config(
    materialized='incremental_by_hash',
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
        sum(hard_set_count) as hard_sets,
        -- The load of a day is unknown if that of one of its workouts is.
        case when count(session_load) = count(*) then {{ exact_sum('session_load') }} end as srpe
    from workouts
    group by athlete_id, workout_date
),

measured as (
    {% for method in ['hard_sets', 'srpe'] -%}
        select
            athlete_id,
            date_day,
            '{{ method }}' as load_method,
            workout_count,
            cast({{ method }} as double) as training_load
        from trained
        {{- '\n\n        union all\n\n' if not loop.last }}
    {% endfor %}
),

-- From the first known load to the last day with complete knowledge of workouts.
spans as (
    select
        measured.athlete_id,
        measured.load_method,
        unnest(
            range(
                min(measured.date_day) filter (where measured.training_load is not null),
                greatest(max(measured.date_day), any_value(athletes.last_observed_date))
                + interval 1 day,
                interval 1 day
            )
        ) as date_day
    from measured
    inner join athletes on measured.athlete_id = athletes.athlete_id
    group by measured.athlete_id, measured.load_method
),

-- A day without a workout is a rest day: its load is a known 0.
days as (
    select
        spans.athlete_id,
        spans.load_method,
        cast(spans.date_day as date) as date_day,
        cast(coalesce(measured.workout_count, 0) as integer) as workout_count,
        case
            when measured.workout_count is null then 0 else measured.training_load
        end as training_load
    from spans
    left join measured
        on
            spans.athlete_id = measured.athlete_id
            and spans.load_method = measured.load_method
            and cast(spans.date_day as date) = measured.date_day
),

numbered as (
    select
        *,
        row_number() over days_to_date as day_number,
        count(training_load) over days_to_date as known_number
    from days
    window
        days_to_date as (
            partition by athlete_id, load_method
            order by date_day
            rows between unbounded preceding and current row
        )
),

placed as (
    select
        *,
        (known_number - 1) // {{ block_days }} as block,
        (known_number - 1) % {{ block_days }} as place
    from numbered
    where training_load is not null
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
        smoothed.athlete_id,
        smoothed.load_method,
        smoothed.known_number,
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
            and smoothed.load_method = block_ends.load_method
            and smoothed.block = block_ends.block + 1
),

-- A day of unknown load has the number of the known day before it, and so its means.
averaged as (
    select
        numbered.*,
        carried.ctl,
        carried.atl
    from numbered
    inner join carried
        on
            numbered.athlete_id = carried.athlete_id
            and numbered.load_method = carried.load_method
            and numbered.known_number = carried.known_number
),

weighed as (
    select
        *,
        coalesce(lag(ctl) over days_before - lag(atl) over days_before, 0) as tsb,
        case
            when count(training_load) over week_before = 7
                then sum(training_load) over week_before
        end as weekly_load,
        -- Equal loads have no spread; the comparison is exact where the deviation may not be.
        case
            when
                count(training_load) over week_before = 7
                and max(training_load) over week_before > min(training_load) over week_before
                then
                    avg(training_load) over week_before
                    / stddev_samp(training_load) over week_before
        end as monotony
    from averaged
    window
        days_before as (partition by athlete_id, load_method order by day_number),
        week_before as (
            partition by athlete_id, load_method
            order by day_number
            rows between 6 preceding and current row
        )
),

-- Digits below the ninth decimal depend on the order of summation in a window.
described as (
    select
        concat_ws('/', athlete_id, date_day, load_method) as training_load_day_key,
        athlete_id,
        date_day,
        cast(date_trunc('week', date_day) as date) as week_start_date,
        workout_count,
        round(training_load, 9) as training_load,
        load_method,
        round(weekly_load, 9) as weekly_load,
        round(monotony, 9) as monotony,
        round(weekly_load * monotony, 9) as strain,
        round(ctl, 9) as ctl,
        round(atl, 9) as atl,
        round(tsb, 9) as tsb,
        pow(1 - {{ smoothing(var('display.ctl_days')) }}, known_number)
        >= {{ var('display.warm_up_weight') }} as is_warming_up,
        '2/(N+1)' as lambda_convention
    from weighed
)

select * from described
