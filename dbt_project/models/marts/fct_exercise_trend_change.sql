{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_exercise_trend_change', ref('int_athlete_inputs')) }}
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
),

eased as (
    select facts.* from {{ ref('int_exercises_eased') }} as facts
    inner join athletes using (athlete_id)
),

{{ best_of_exposures() }}

distinct_ends as (
    select distinct
        athlete_id,
        exercise_key,
        workout_id as last_workout_id,
        started_at as last_started_at,
        workout_date as end_date,
        exposure_number as last_exposure_number
    from maxima
),

-- One number takes less time to group by than the columns that identify an end.
ends as (
    select
        *,
        row_number() over () as end_number
    from distinct_ends
),

-- The exposures that a trend as of each of them rests on.
reached as (
    select
        maxima.*,
        ends.end_number,
        ends.end_date as last_date,
        ends.last_exposure_number - maxima.exposure_number + 1 as recency
    from maxima
    inner join ends
        on
            maxima.athlete_id = ends.athlete_id
            and maxima.exercise_key = ends.exercise_key
            and maxima.exposure_number <= ends.last_exposure_number
            and maxima.workout_date >= ends.end_date - {{ var('stall.window_days') }}
),

{{ judge_trends('reached', ['end_number']) }}

ended as (
    select
        judged.*,
        ends.athlete_id,
        ends.exercise_key,
        ends.last_workout_id,
        ends.last_started_at,
        ends.end_date
    from judged
    inner join ends on judged.end_number = ends.end_number
),

changed as (
    select
        *,
        lag(verdict) over by_time as previous_verdict
    from ended
    window
        by_time as (
            partition by athlete_id, exercise_key
            order by last_started_at, last_workout_id
        )
    qualify verdict is distinct from previous_verdict
),

described as (
    select
        concat_ws(
            '/', changed.athlete_id, changed.exercise_key, changed.last_workout_id
        ) as exercise_trend_change_key,
        changed.athlete_id,
        changed.exercise_key,
        changed.last_workout_id as workout_id,
        changed.verdict,
        changed.previous_verdict,
        changed.e1rm_family,
        changed.rep_zone,
        changed.exposure_count,
        if(changed.is_enough, changed.slope_pct, null) as slope_pct,
        changed.slope_pct - changed.margin_pct as lower_pct,
        changed.slope_pct + changed.margin_pct as upper_pct,
        changed.end_date as changed_date,
        lead(changed.end_date) over (
            partition by changed.athlete_id, changed.exercise_key
            order by changed.last_started_at, changed.last_workout_id
        ) as next_change_date
    from changed
)

select * from described
