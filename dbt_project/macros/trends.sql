{#
The common table expressions of a trend of maxima, for its present and its earlier states.
#}

{# `maxima` from `performed_sets`, `eased`, `exercises`: one row per exposure, family and zone. #}
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
maxima as (
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
{%- endmacro %}

{#
`judged` from the table of maxima `exposures`: one row per value of the columns `of`, the trend of its
last exposures with its verdict. `series` has the exposures of the trend.
#}
{% macro judge_trends(exposures, of) -%}
dated as (
    select
        *,
        dense_rank() over exposures as recency,
        first_value(workout_date) over exposures as last_date
    from {{ exposures }}
    window
        exposures as (
            partition by {{ of | join(', ') }} order by started_at desc, workout_id desc
        )
),

-- The series with most of the latest exposures; of equals the newest, then the heaviest.
chosen as (
    select
        {{ of | join(', ') }},
        e1rm_family,
        rep_zone
    from dated
    where
        recency <= {{ var('stall.max_exposures') }}
        and workout_date >= last_date - {{ var('stall.window_days') }}
    group by {{ of | join(', ') }}, e1rm_family, rep_zone
    qualify row_number() over (
        partition by {{ of | join(', ') }}
        order by count(*) desc, max(started_at) desc, rep_zone asc, e1rm_family asc
    ) = 1
),

series as (
    select
        dated.*,
        ln(dated.e1rm_kg) as log_kg,
        dated.workout_date >= dated.last_date - {{ var('stall.window_days') }}
        and row_number() over (
            partition by {{ columns_of('dated', of) }}
            order by dated.started_at desc, dated.workout_id desc
        ) <= {{ var('stall.max_exposures') }} as is_in_trend
    from dated
    inner join chosen
        on
            {{ are_equal('dated', 'chosen', of) }}
            and dated.e1rm_family = chosen.e1rm_family
            and dated.rep_zone = chosen.rep_zone
),

-- By exposure, from the middle one. Sums are ordered here, so that all builds agree to the digit.
points as (
    select
        *,
        row_number() over by_time - (count(*) over of_trend + 1) / 2 as turn,
        log_kg - first_value(log_kg) over by_time as log_gain
    from series
    where is_in_trend
    window
        of_trend as (partition by {{ of | join(', ') }}),
        by_time as (of_trend order by started_at, workout_id)
),

lines as (
    select
        {{ of | join(', ') }},
        sum(turn * turn) as spread,
        avg(log_gain order by turn) as mean_gain,
        sum(turn * log_gain order by turn) / nullif(spread, 0) as slope
    from points
    group by {{ of | join(', ') }}
),

fitted as (
    select
        {{ columns_of('points', of) }},
        points.e1rm_family,
        points.rep_zone,
        cast(count(*) as integer) as exposure_count,
        min(points.workout_date) as window_start_date,
        max(points.workout_date) as window_end_date,
        100 * lines.slope as slope_pct,
        100 * sqrt(
            sum(
                pow(points.log_gain - lines.mean_gain - lines.slope * points.turn, 2)
                order by points.turn
            )
            / nullif(count(*) - 2, 0)
        ) as residual_pct,
        residual_pct / sqrt(lines.spread) as standard_error_pct,
        {{ t_quantile('count(*) - 2') }} * standard_error_pct as margin_pct
    from points
    inner join lines
        on {{ are_equal('points', 'lines', of) }}
    group by
        {{ columns_of('points', of) }},
        points.e1rm_family,
        points.rep_zone,
        lines.spread,
        lines.slope
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

{# The columns of a table, separated by commas. #}
{% macro columns_of(table, columns) -%}
    {%- for column in columns -%}
        {{ table }}.{{ column }}{{ ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
