{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athletes_observed'}
) }}

with athletes as (
    {{ missing_from('fct_consistency_week', ref('int_athletes_observed')) }}
),

profiles as (
    select facts.* from {{ ref('dim_athlete') }} as facts
    inner join athletes using (athlete_id)
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

compliance as (
    select facts.* from {{ ref('fct_plan_compliance') }} as facts
    inner join athletes using (athlete_id)
),

muscle_weeks as (
    select facts.* from {{ ref('fct_muscle_week') }} as facts
    inner join athletes using (athlete_id)
),

muscle_groups as (
    select * from {{ ref('muscle_groups') }}
),

-- Up to the last week with complete knowledge of workouts: a break ends a streak.
weeks as (
    select
        workouts.athlete_id,
        cast(
            unnest(
                range(
                    min(workouts.week_start_date),
                    {{ last_observed_week('workouts', 'athletes') }} + interval 1 day,
                    interval 7 day
                )
            ) as date
        ) as week_start_date
    from workouts
    inner join athletes on workouts.athlete_id = athletes.athlete_id
    group by workouts.athlete_id
),

started as (
    select
        workouts.*,
        {{ hours_into_day('workouts.started_at', 'profiles.timezone') }} as hours_into_day
    from workouts
    inner join profiles on workouts.athlete_id = profiles.athlete_id
),

trained as (
    select
        athlete_id,
        week_start_date,
        count(*) as workout_count,
        count(distinct workout_date) as training_day_count,
        ({{ var('day.begins_at') }} + median(hours_into_day)) % 24 as median_start_hour,
        mad(hours_into_day) as start_hour_spread
    from started
    group by athlete_id, week_start_date
),

judged as (
    select
        workouts.athlete_id,
        workouts.week_start_date,
        count(*) filter (where compliance.counts_for_adherence) as planned_set_count,
        count(*) filter (where compliance.is_met) as met_set_count,
        count(*) filter (
            where compliance.counts_for_adherence and compliance.execution_status = 'Skipped'
        ) as skipped_set_count,
        count(*) filter (
            where compliance.set_class = 'working' and compliance.execution_status = 'Unplanned'
        ) as unplanned_set_count
    from workouts
    inner join compliance
        on
            workouts.athlete_id = compliance.athlete_id
            and workouts.workout_id = compliance.workout_id
    group by workouts.athlete_id, workouts.week_start_date
),

balanced as (
    select
        muscle_weeks.athlete_id,
        muscle_weeks.week_start_date,
        sum(muscle_weeks.direct_set_count) filter (where muscle_groups.movement = 'push')
            as push_set_count,
        sum(muscle_weeks.direct_set_count) filter (where muscle_groups.movement = 'pull')
            as pull_set_count,
        sum(muscle_weeks.direct_set_count) filter (where muscle_groups.region = 'upper')
            as upper_set_count,
        sum(muscle_weeks.direct_set_count) filter (where muscle_groups.region = 'lower')
            as lower_set_count,
        sum(muscle_weeks.direct_set_count) filter (where muscle_groups.landmark_muscle = 'quads')
            as quad_set_count,
        sum(muscle_weeks.direct_set_count) filter (
            where muscle_groups.landmark_muscle = 'hamstrings'
        ) as hamstring_set_count
    from muscle_weeks
    inner join muscle_groups on muscle_weeks.muscle_group = muscle_groups.muscle_group
    group by muscle_weeks.athlete_id, muscle_weeks.week_start_date
),

-- Each week without a workout begins a new run.
filled as (
    select
        weeks.athlete_id,
        weeks.week_start_date,
        cast(coalesce(trained.workout_count, 0) as integer) as workout_count,
        cast(coalesce(trained.training_day_count, 0) as integer) as training_day_count,
        trained.median_start_hour,
        trained.start_hour_spread,
        cast(coalesce(judged.planned_set_count, 0) as integer) as planned_set_count,
        cast(coalesce(judged.met_set_count, 0) as integer) as met_set_count,
        cast(coalesce(judged.skipped_set_count, 0) as integer) as skipped_set_count,
        cast(coalesce(judged.unplanned_set_count, 0) as integer) as unplanned_set_count,
        coalesce(balanced.push_set_count, 0) as push_set_count,
        coalesce(balanced.pull_set_count, 0) as pull_set_count,
        coalesce(balanced.upper_set_count, 0) as upper_set_count,
        coalesce(balanced.lower_set_count, 0) as lower_set_count,
        coalesce(balanced.quad_set_count, 0) as quad_set_count,
        coalesce(balanced.hamstring_set_count, 0) as hamstring_set_count,
        count(*) filter (where trained.workout_count is null) over (
            partition by weeks.athlete_id
            order by weeks.week_start_date
        ) as run_number
    from weeks
    left join trained
        on
            weeks.athlete_id = trained.athlete_id
            and weeks.week_start_date = trained.week_start_date
    left join judged
        on
            weeks.athlete_id = judged.athlete_id
            and weeks.week_start_date = judged.week_start_date
    left join balanced
        on
            weeks.athlete_id = balanced.athlete_id
            and weeks.week_start_date = balanced.week_start_date
),

described as (
    select
        concat_ws('/', athlete_id, week_start_date) as consistency_week_key,
        athlete_id,
        week_start_date,
        workout_count,
        training_day_count,
        cast(
            count(*) filter (where workout_count > 0) over (
                partition by athlete_id, run_number
                order by week_start_date
            ) as integer
        ) as streak_weeks,
        planned_set_count,
        met_set_count,
        skipped_set_count,
        unplanned_set_count,
        met_set_count / nullif(planned_set_count, 0) as adherence,
        push_set_count,
        pull_set_count,
        push_set_count / nullif(pull_set_count, 0) as push_pull_ratio,
        upper_set_count,
        lower_set_count,
        upper_set_count / nullif(lower_set_count, 0) as upper_lower_ratio,
        quad_set_count,
        hamstring_set_count,
        quad_set_count / nullif(hamstring_set_count, 0) as quad_hamstring_ratio,
        median_start_hour,
        start_hour_spread
    from filled
)

select * from described
