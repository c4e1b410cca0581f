with answers as (
    select * from {{ ref('stg_coach__llm_answers') }}
),

plans as (
    select * from {{ ref('stg_coach__plans') }}
),

plan_sets as (
    select
        *,
        {{ set_class('set_type') }} as set_class,
        dense_rank() over (
            partition by plan_id, exercise_template_id
            order by exercise_index
        ) as occurrence
    from {{ ref('stg_coach__plan_sets') }}
),

outcomes as (
    select * from {{ ref('fct_prescription_outcome') }}
),

exercises as (
    select * from {{ ref('dim_exercise') }}
),

pairs as (
    select
        answers.athlete_id,
        engines.routine_id,
        engines.decision_id,
        engines.plan_id as engine_plan_id,
        models.plan_id as model_plan_id,
        answers.decided_by,
        answers.prompt_version,
        greatest(engines.created_at, models.created_at) as decided_at
    from answers
    inner join plans as engines on answers.engine_decision_id = engines.decision_id
    inner join plans as models on answers.decision_id = models.decision_id
),

published as (
    select
        *,
        engine_plan_id as published_plan_id,
        'engine' as published_by
    from pairs
    union all
    select
        *,
        model_plan_id as published_plan_id,
        'model' as published_by
    from pairs
),

-- The sets of the first workout under either plan; both must have been decided before it began.
done as (
    select
        published.*,
        plan_sets.exercise_template_id as exercise_key,
        plan_sets.occurrence,
        outcomes.exercise_title,
        outcomes.set_index,
        outcomes.workout_id,
        outcomes.actual_weight_kg,
        outcomes.actual_reps,
        outcomes.actual_rpe,
        outcomes.started_at,
        outcomes.workout_date,
        outcomes.week_start_date
    from published
    inner join outcomes
        on
            published.published_plan_id = outcomes.plan_id
            and published.decided_at < outcomes.started_at
    inner join plan_sets
        on
            outcomes.plan_id = plan_sets.plan_id
            and outcomes.exercise_index = plan_sets.exercise_index
            and outcomes.set_index = plan_sets.set_index
    where outcomes.actual_reps is not null and not outcomes.is_typo_suspect
    qualify
        dense_rank() over (
            partition by published.engine_plan_id, published.model_plan_id
            order by outcomes.started_at, outcomes.workout_id, published.published_by
        ) = 1
),

paired as (
    select
        done.*,
        engines.weight_kg as engine_weight_kg,
        models.weight_kg as model_weight_kg,
        coalesce(engines.reps, engines.rep_range_start) as engine_reps,
        coalesce(models.reps, models.rep_range_start) as model_reps,
        {{ comparable_load('exercises.exercise_type', 'engines.weight_kg') }} as engine_load_kg,
        {{ comparable_load('exercises.exercise_type', 'models.weight_kg') }} as model_load_kg,
        {{ comparable_load('exercises.exercise_type', 'done.actual_weight_kg') }} as done_load_kg,
        {{ moves_the_body('exercises.exercise_type') }} as moves_the_body
    from done
    inner join plan_sets as engines
        on
            done.engine_plan_id = engines.plan_id
            and done.exercise_key = engines.exercise_template_id
            and done.occurrence = engines.occurrence
            and done.set_index = engines.set_index
    inner join plan_sets as models
        on
            done.model_plan_id = models.plan_id
            and done.exercise_key = models.exercise_template_id
            and done.occurrence = models.occurrence
            and done.set_index = models.set_index
    left join exercises
        on
            done.athlete_id = exercises.athlete_id
            and done.exercise_key = exercises.exercise_key
    -- Sets that are light on purpose ask for less than is possible.
    where
        engines.set_class = 'working'
        and models.set_class = 'working'
        and not engines.is_easy
        and not models.is_easy
),

-- With one load the repetitions are sufficient for every exercise. With another load the comparison
-- uses Epley's maximum, within its range.
valued as (
    select
        *,
        coalesce(
            abs(engine_load_kg - model_load_kg) <= {{ var('align.load_tolerance') }}
            and abs(engine_load_kg - done_load_kg) <= {{ var('align.load_tolerance') }}
            and abs(model_load_kg - done_load_kg) <= {{ var('align.load_tolerance') }},
            coalesce(engine_load_kg, model_load_kg, done_load_kg) is null
        ) as is_one_load,
        not moves_the_body
        and least(engine_weight_kg, model_weight_kg, actual_weight_kg) > 0
        and least(engine_reps, model_reps, actual_reps) >= 1
        and greatest(engine_reps, model_reps, actual_reps)
        <= {{ var('e1rm.hard_max_reps_eff') }}
        and engine_weight_kg + model_weight_kg + actual_weight_kg is not null as has_maxima,
        case
            when is_one_load then 30.0 + engine_reps
            when has_maxima then {{ epley_max('engine_weight_kg', 'engine_reps') }}
        end as engine_value,
        case
            when is_one_load then 30.0 + model_reps
            when has_maxima then {{ epley_max('model_weight_kg', 'model_reps') }}
        end as model_value,
        case
            when is_one_load then 30.0 + actual_reps
            when has_maxima then {{ epley_max('actual_weight_kg', 'actual_reps') }}
        end as done_value
    from paired
),

-- A set that reached its target short of failure shows that at least so much was possible, and not
-- that more was not.
judged as (
    select
        *,
        done_value >= if(published_by = 'engine', engine_value, model_value) - 1e-9
        and coalesce(actual_rpe < {{ var('e1rm.tested_single_rpe_min') }}, true) as is_open,
        abs(engine_value - model_value) > 1e-9 as is_told_apart
    from valued
    where engine_value is not null and model_value is not null and done_value is not null
),

missed as (
    select
        *,
        100 * if(
            is_open, greatest(done_value - engine_value, 0), abs(done_value - engine_value)
        ) / done_value as engine_miss_of_set_pct,
        100 * if(
            is_open, greatest(done_value - model_value, 0), abs(done_value - model_value)
        ) / done_value as model_miss_of_set_pct
    from judged
),

described as (
    select
        concat_ws('/', model_plan_id, exercise_key, occurrence) as plan_comparison_key,
        athlete_id,
        routine_id,
        workout_id,
        decision_id,
        engine_plan_id,
        model_plan_id,
        exercise_key,
        cast(occurrence as integer) as occurrence,
        any_value(exercise_title) as exercise_title,
        decided_by,
        prompt_version,
        published_by,
        cast(count(*) as integer) as compared_set_count,
        cast(count(*) filter (where is_open) as integer) as open_set_count,
        {{ exact_sum('engine_miss_of_set_pct') }} / count(*) as engine_miss_pct,
        {{ exact_sum('model_miss_of_set_pct') }} / count(*) as model_miss_pct,
        {{ exact_sum('model_miss_of_set_pct - engine_miss_of_set_pct') }} / count(*)
            as difference_pct,
        decided_at,
        started_at,
        workout_date,
        week_start_date
    from missed
    group by
        athlete_id,
        routine_id,
        workout_id,
        decision_id,
        engine_plan_id,
        model_plan_id,
        exercise_key,
        occurrence,
        decided_by,
        prompt_version,
        published_by,
        decided_at,
        started_at,
        workout_date,
        week_start_date
    having bool_or(is_told_apart)
)

select * from described
