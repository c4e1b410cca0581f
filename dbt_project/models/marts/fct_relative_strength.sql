with sessions as (
    select * from {{ ref('fct_exercise_session') }}
),

performed_sets as (
    select * from {{ ref('fct_set') }}
),

exercises as (
    select * from {{ ref('dim_exercise') }}
),

athletes as (
    select * from {{ ref('dim_athlete') }}
),

measurements as (
    select * from {{ ref('fct_body_measurement') }}
),

shares as (
    select * from {{ ref('body_weight_shares') }}
),

standards as (
    select * from {{ ref('strength_standards') }}
),

lifts as (
    select distinct
        exercise_template_id,
        lift
    from standards
),

-- Of several sources of a day the first by name, so that the choice is the same each night.
weights as (
    select
        athlete_id,
        measurement_date,
        health_source,
        weight_kg
    from measurements
    where weight_kg is not null
    qualify
        row_number() over (
            partition by athlete_id, measurement_date order by health_source asc
        ) = 1
),

described as (
    select
        sessions.exercise_session_key,
        sessions.athlete_id,
        sessions.workout_id,
        sessions.exercise_key,
        sessions.workout_date,
        sessions.started_at,
        sessions.e1rm_kg,
        athletes.sex,
        exercises.exercise_type,
        lifts.lift,
        shares.body_share,
        shares.source as body_share_source
    from sessions
    semi join weights on sessions.athlete_id = weights.athlete_id
    inner join athletes on sessions.athlete_id = athletes.athlete_id
    inner join exercises
        on
            sessions.athlete_id = exercises.athlete_id
            and sessions.exercise_key = exercises.exercise_key
    left join lifts on sessions.exercise_key = lifts.exercise_template_id
    left join shares on sessions.exercise_key = shares.exercise_template_id
    where shares.body_share is not null or sessions.e1rm_kg is not null
),

weighed as (
    select
        described.*,
        weights.weight_kg as body_weight_kg,
        weights.health_source as body_weight_source,
        weights.measurement_date as body_weight_date
    from described
    asof inner join weights
        on
            described.athlete_id = weights.athlete_id
            and described.workout_date >= weights.measurement_date
    where described.workout_date - weights.measurement_date <= {{ var('body.weight_back') }}
),

-- Help without a number is unknown help; an added load without one is none.
moved as (
    select
        weighed.exercise_session_key,
        performed_sets.reps,
        performed_sets.effective_reps,
        performed_sets.is_easy,
        weighed.body_share * weighed.body_weight_kg
        + case
            when {{ is_assisted('weighed.exercise_type') }} then 0 - abs(performed_sets.weight_kg)
            else coalesce(performed_sets.weight_kg, 0)
        end as load_kg
    from weighed
    inner join performed_sets
        on
            weighed.athlete_id = performed_sets.athlete_id
            and weighed.workout_id = performed_sets.workout_id
            and weighed.exercise_key = performed_sets.exercise_key
    where
        weighed.body_share is not null
        and performed_sets.set_class <> 'warmup'
        and not performed_sets.is_typo_suspect
),

summed as (
    select
        exercise_session_key,
        {{ exact_sum('load_kg * reps') }} as moved_volume_kg,
        max({{ epley_max('load_kg', 'effective_reps') }}) filter (
            where not is_easy and effective_reps between 1 and {{ var('e1rm.max_reps_eff') }}
        ) as moved_e1rm_kg
    from moved
    where load_kg > 0
    group by exercise_session_key
),

best_lifts as (
    select
        weighed.exercise_session_key,
        earlier.lift,
        max(earlier.e1rm_kg) as e1rm_kg
    from weighed
    inner join described as earlier
        on
            weighed.athlete_id = earlier.athlete_id
            and weighed.started_at >= earlier.started_at
            and earlier.workout_date
            between weighed.workout_date - {{ var('effort.maximum_days') }}
            and weighed.workout_date
    where weighed.lift is not null and earlier.lift is not null
    group by weighed.exercise_session_key, earlier.lift
),

-- Points are of a total: all three lifts.
totals as (
    select
        exercise_session_key,
        {{ exact_sum('e1rm_kg') }} as total_kg
    from best_lifts
    where e1rm_kg is not null
    group by exercise_session_key
    having count(*) = 3
),

related as (
    select
        weighed.*,
        summed.moved_volume_kg,
        summed.moved_e1rm_kg,
        totals.total_kg,
        coalesce(summed.moved_e1rm_kg, weighed.e1rm_kg) / weighed.body_weight_kg as body_weights,
        standards.body_weights as standard_body_weights
    from weighed
    left join summed on weighed.exercise_session_key = summed.exercise_session_key
    left join totals on weighed.exercise_session_key = totals.exercise_session_key
    left join standards
        on
            weighed.exercise_key = standards.exercise_template_id
            and weighed.sex = standards.sex
)

select
    exercise_session_key as relative_strength_key,
    athlete_id,
    workout_id,
    exercise_key,
    workout_date,
    lift,
    body_weight_kg,
    body_weight_source,
    body_weight_date,
    body_share,
    body_share_source,
    round(moved_volume_kg, 6) as moved_volume_kg,
    round(moved_e1rm_kg, 6) as moved_e1rm_kg,
    e1rm_kg,
    round(body_weights, 6) as body_weights,
    standard_body_weights,
    round(100 * body_weights / standard_body_weights, 6) as standard_pct,
    round(total_kg, 6) as total_kg,
    round({{ dots('total_kg', 'body_weight_kg', 'sex') }}, 6) as dots,
    round({{ ipf_gl('total_kg', 'body_weight_kg', 'sex') }}, 6) as ipf_gl,
    round({{ wilks('total_kg', 'body_weight_kg', 'sex') }}, 6) as wilks
from related
