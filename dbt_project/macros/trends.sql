{#
The common table expressions of a trend of maxima, for its present and its earlier states.
#}

{#
`maxima` from `performed_sets`, `eased`, `exercises`: one row per exposure, family and zone. The
exposures of an exercise are numbered by time: a number is compared faster than a time and an id.
#}
{% macro best_of_exposures() -%}
-- Sets that were light on purpose are no performance.
measured as (
    select performed_sets.*
    from performed_sets
    anti join eased
        on
            performed_sets.athlete_id = eased.athlete_id
            and performed_sets.workout_id = eased.workout_id
            and performed_sets.exercise_key = eased.exercise_key
),

-- The best of an exposure, apart for each family of maxima and zone of repetitions.
best as (
    select
        measured.athlete_id,
        measured.exercise_key,
        measured.workout_id,
        measured.started_at,
        measured.workout_date,
        {{ e1rm_family('measured.e1rm_method', 'measured.is_e1rm_lower_bound') }}
            as e1rm_family,
        {{ rep_zone('measured.effective_reps') }} as rep_zone,
        max(measured.e1rm_kg) as e1rm_kg
    from measured
    left join exercises
        on
            measured.athlete_id = exercises.athlete_id
            and measured.exercise_key = exercises.exercise_key
    where
        measured.e1rm_kg is not null
        and not measured.is_e1rm_low_confidence
        and not measured.is_typo_suspect
        and not measured.is_easy
        and {{ can_stall('exercises.exercise_type', 'exercises.primary_muscle_group') }}
    group by all
),

maxima as (
    select
        *,
        ln(e1rm_kg) as log_kg,
        dense_rank() over (
            partition by athlete_id, exercise_key order by started_at, workout_id
        ) as exposure_number
    from best
),
{%- endmacro %}

{#
`judged` from the table of maxima `dated`: one row per value of the columns `of`, the trend of its
last exposures with its verdict. `recency` numbers the exposures from the last one, whose date is
`last_date`.
#}
{% macro judge_trends(dated, of) -%}
-- The last exposures of each series, the latest first.
series as (
    select
        {{ of | join(', ') }},
        e1rm_family,
        rep_zone,
        count(*) filter (where recency <= {{ var('stall.max_exposures') }}) as latest_count,
        max(started_at) filter (where recency <= {{ var('stall.max_exposures') }})
            as last_started_at,
        max_by(log_kg, exposure_number, {{ var('stall.max_exposures') }}) as log_kgs,
        max_by(workout_date, exposure_number, {{ var('stall.max_exposures') }}) as workout_dates,
        max_by(workout_id, exposure_number, {{ var('stall.max_exposures') }}) as workout_ids
    from {{ dated }}
    where workout_date >= last_date - {{ var('stall.window_days') }}
    group by {{ of | join(', ') }}, e1rm_family, rep_zone
),

-- The series with most of the latest exposures; of equals the newest, then the heaviest.
chosen as (
    select * from series
    where latest_count > 0
    qualify row_number() over (
        partition by {{ of | join(', ') }}
        order by latest_count desc, last_started_at desc, rep_zone asc, e1rm_family asc
    ) = 1
),

-- By exposure, from the middle one. Sums are of lists in this order, so that all builds agree to
-- the digit.
points as (
    select
        *,
        len(log_kgs) as exposure_count,
        list_transform(
            range(1, exposure_count + 1), lambda number: number - (exposure_count + 1) / 2
        ) as turns,
        list_transform(
            list_reverse(log_kgs), lambda log_kg: log_kg - log_kgs[-1]
        ) as log_gains
    from chosen
    where e1rm_family is not null
),

lines as (
    select
        *,
        list_sum(list_transform(turns, lambda turn: turn * turn)) as spread,
        list_avg(log_gains) as mean_gain,
        list_sum(list_transform(
            range(1, exposure_count + 1), lambda number: turns[number] * log_gains[number]
        ))
        / nullif(spread, 0) as slope
    from points
),

fitted as (
    select
        {{ of | join(', ') }},
        e1rm_family,
        rep_zone,
        workout_ids,
        cast(lines.exposure_count as integer) as exposure_count,
        list_min(workout_dates) as window_start_date,
        list_max(workout_dates) as window_end_date,
        100 * slope as slope_pct,
        100 * sqrt(
            list_sum(list_transform(
                range(1, lines.exposure_count + 1),
                lambda number:
                    pow(log_gains[number] - mean_gain - slope * turns[number], 2)
            ))
            / nullif(lines.exposure_count - 2, 0)
        ) as residual_pct,
        residual_pct / sqrt(spread) as standard_error_pct,
        {{ t_quantile('lines.exposure_count - 2') }} * standard_error_pct as margin_pct
    from lines
),

-- Fewer exposures give neither a slope nor a verdict.
judged as (
    select
        *,
        exposure_count >= {{ var('stall.min_exposures') }} as is_enough,
        case
            when not is_enough then 'insufficient'
            when slope_pct + margin_pct < {{ var('stall.slope_threshold') }} then 'stalled'
            else 'not_stalled'
        end as verdict
    from fitted
),
{%- endmacro %}
