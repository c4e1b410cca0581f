{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('fct_personal_constant', ref('int_athlete_inputs')) }}
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
    where facts.is_working and not facts.is_typo_suspect
),

{{ loaded_sets() }}

{{ load_changes() }}

steps as (
    select
        athlete_id,
        exercise_key,
        {{ step('change_kg') }} as step_kg,
        median(change_kg) as change_kg,
        count(*) as use_count,
        max(workout_date) as last_date
    from changes
    where change_kg > {{ var('align.load_tolerance') }}
    group by athlete_id, exercise_key, step_kg
    having count(*) >= {{ var('increment.learn_min_uses') }}
),

increments as (
    select
        athlete_id,
        exercise_key,
        'increment' as constant_name,
        'kg' as unit,
        change_kg as constant_value,
        cast(null as double) as interval_low,
        cast(null as double) as interval_high,
        use_count as observation_count,
        'smallest_repeated_step' as estimator,
        last_date
    from steps
    qualify row_number() over (partition by athlete_id, exercise_key order by step_kg) = 1
),

{{ timed_workouts() }}

latest_timed as (
    select * from timed
    qualify row_number() over (
        partition by athlete_id order by started_at desc, workout_id desc
    ) <= {{ var('duration.window') }}
),

paces as (
    select
        athlete_id,
        list(minutes order by minutes) as minutes,
        count(*) as workout_count,
        max(workout_date) as last_date
    from latest_timed
    group by athlete_id
    having count(*) >= {{ var('duration.personal_min_n') }}
),

-- Each workout lies below the true median or above it by the toss of a coin.
tosses as (
    select
        athlete_id,
        sum({{ probability_of_heads('heads', 'workout_count') }}) over (
            partition by athlete_id order by heads
        ) as probability
    from (
        select
            athlete_id,
            workout_count,
            unnest(range(workout_count // 2 + 1)) as heads
        from paces
    ) as possible
),

-- The innermost ranks between which the median lies with at least 80 %: 10 % are left on each side.
ranks as (
    select
        athlete_id,
        count(*) filter (where probability <= 0.1) as rank_from_end
    from tosses
    group by athlete_id
),

minutes_a_set as (
    select
        paces.athlete_id,
        cast(null as varchar) as exercise_key,
        'minutes_a_set' as constant_name,
        'min' as unit,
        list_median(paces.minutes) as constant_value,
        paces.minutes[ranks.rank_from_end] as interval_low,
        paces.minutes[paces.workout_count + 1 - ranks.rank_from_end] as interval_high,
        paces.workout_count as observation_count,
        'median' as estimator,
        paces.last_date
    from paces
    inner join ranks on paces.athlete_id = ranks.athlete_id
),

placed as (
    select
        *,
        row_number() over entry as place,
        first_value(reps) over entry as first_reps,
        coalesce(
            reps >= 1
            and abs(load_kg - first_value(load_kg) over entry) <= {{ var('align.load_tolerance') }},
            false
        ) as is_as_first
    from loaded
    window
        entry as (partition by athlete_id, workout_id, exercise_index order by set_index)
),

compared as (
    select
        *,
        bool_and(is_as_first) over (
            partition by athlete_id, workout_id, exercise_index order by set_index
        ) as is_straight
    from placed
    where first_reps between {{ var('dropoff.min_reps') }} and {{ var('dropoff.max_reps') }}
),

-- Straight sets: from the first on at one load, and enough of them.
straight as (
    select * from compared
    where is_straight
    qualify
        count(*) over (partition by athlete_id, workout_id, exercise_index)
        >= {{ var('dropoff.min_sets') }}
),

-- Ordered, so that all builds agree to the digit.
ratios as (
    select
        athlete_id,
        exercise_key,
        place,
        avg(reps / first_reps order by reps / first_reps) as mean_ratio,
        if(
            count(*) >= {{ var('dropoff.min_n') }},
            stddev_samp(reps / first_reps order by reps / first_reps) / sqrt(count(*)),
            null
        ) as standard_error,
        count(*) as set_count,
        max(workout_date) as last_date
    from straight
    where place between 2 and 5
    group by grouping sets ((athlete_id, exercise_key, place), (athlete_id, place))
),

-- With few sets the normal approximation is invalid.
rep_ratios as (
    select
        athlete_id,
        exercise_key,
        concat('rep_ratio_of_set_', place) as constant_name,
        'ratio' as unit,
        mean_ratio as constant_value,
        mean_ratio - {{ z_of_80() }} * standard_error as interval_low,
        mean_ratio + {{ z_of_80() }} * standard_error as interval_high,
        set_count as observation_count,
        'mean' as estimator,
        last_date
    from ratios
),

rated as (
    select * from loaded
    where rpe is not null
),

at_the_limit as (
    select * from loaded
    where reps is not null and (set_type = 'failure' or rpe = 10)
),

-- The reserve of a rated set is observed when a later one at its load is taken to the limit.
shown as (
    select
        rated.athlete_id,
        greatest(at_the_limit.reps - rated.reps, 0) - (10 - rated.rpe) as error_reps
    from rated
    inner join at_the_limit
        on
            rated.athlete_id = at_the_limit.athlete_id
            and rated.workout_id = at_the_limit.workout_id
            and rated.exercise_key = at_the_limit.exercise_key
            and abs(rated.load_kg - at_the_limit.load_kg) <= {{ var('align.load_tolerance') }}
            and (rated.exercise_index, rated.set_index)
            < (at_the_limit.exercise_index, at_the_limit.set_index)
    where rated.reps >= 1 and rated.rpe < 10 and rated.set_type <> 'failure'
    qualify row_number() over (
        partition by
            rated.athlete_id,
            rated.workout_id,
            rated.exercise_index,
            rated.set_index
        order by at_the_limit.exercise_index, at_the_limit.set_index
    ) = 1
),

errors as (
    select
        athlete_id,
        count(*) as error_count,
        avg(error_reps order by error_reps) as mean_error_reps
    from shown
    group by athlete_id
),

raters as (
    select
        rated.athlete_id,
        coalesce(any_value(errors.error_count), 0) as error_count,
        any_value(errors.mean_error_reps) as mean_error_reps,
        max(rated.workout_date) as last_date
    from rated
    left join errors on rated.athlete_id = errors.athlete_id
    group by rated.athlete_id
),

rpe_bias as (
    select
        athlete_id,
        cast(null as varchar) as exercise_key,
        'rpe_bias' as constant_name,
        'reps' as unit,
        {{ rpe_bias_mean('error_count', 'mean_error_reps') }} as constant_value,
        constant_value - {{ z_of_80() }} / sqrt({{ rpe_bias_precision('error_count') }})
            as interval_low,
        constant_value + {{ z_of_80() }} / sqrt({{ rpe_bias_precision('error_count') }})
            as interval_high,
        error_count as observation_count,
        'posterior_mean' as estimator,
        last_date
    from raters
),

constants as (
    select * from increments
    union all
    select * from minutes_a_set
    union all
    select * from rep_ratios
    union all
    select * from rpe_bias
),

described as (
    select
        concat_ws('/', athlete_id, constant_name, exercise_key) as personal_constant_key,
        athlete_id,
        exercise_key,
        constant_name,
        unit,
        constant_value,
        interval_low,
        interval_high,
        cast(observation_count as integer) as observation_count,
        estimator,
        case
            when constant_name = 'rpe_bias'
                then
                    observation_count >= {{ var('rir.calib_min_n') }}
                    and (
                        interval_low > {{ var('rir.calib_flag_bound') }}
                        or interval_high < -{{ var('rir.calib_flag_bound') }}
                    )
        end as is_miscalibrated,
        last_date
    from constants
)

select * from described
