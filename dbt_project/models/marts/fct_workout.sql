with workouts as (
    select * from {{ ref('stg_hevy__workouts') }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

performed_sets as (
    select * from {{ ref('fct_set') }}
),

set_totals as (
    select
        athlete_id,
        workout_id,
        count(*) as set_count,
        count(*) filter (where is_working) as working_set_count,
        sum(volume_kg) as volume_kg
    from performed_sets
    group by athlete_id, workout_id
),

dated as (
    select
        workouts.*,
        {{ local_date('workouts.started_at', 'athletes.timezone') }} as workout_date
    from workouts
    left join athletes on workouts.athlete_id = athletes.athlete_id
),

totalled as (
    select
        concat_ws('/', dated.athlete_id, dated.workout_id) as workout_key,
        dated.athlete_id,
        dated.workout_id,
        dated.routine_id,
        dated.title,
        dated.origin,
        dated.started_at,
        dated.ended_at,
        cast(epoch(dated.ended_at - dated.started_at) as integer) as duration_s,
        dated.workout_date,
        cast(date_trunc('week', dated.workout_date) as date) as week_start_date,
        cast(coalesce(set_totals.set_count, 0) as integer) as set_count,
        cast(coalesce(set_totals.working_set_count, 0) as integer) as working_set_count,
        cast(coalesce(len(dated.exercises), 0) as integer) as exercise_count,
        set_totals.volume_kg
    from dated
    left join set_totals
        on
            dated.athlete_id = set_totals.athlete_id
            and dated.workout_id = set_totals.workout_id
)

select * from totalled
