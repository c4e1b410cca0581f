{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with athletes as (
    {{ missing_from('coach_context', ref('int_athlete_inputs')) }}
),

-- Copies that we wrote of routines: training of the copy counts for the original.
copies as (
    select facts.* from {{ ref('stg_coach__routine_copies') }} as facts
    inner join athletes using (athlete_id)
),

versions as (
    select facts.* from {{ ref('dim_routine_version') }} as facts
    inner join athletes using (athlete_id)
    left join copies
        on facts.athlete_id = copies.athlete_id and facts.routine_id = copies.routine_id
    where facts.is_current and not facts.is_deleted and copies.routine_id is null
),

routine_exercises as (
    select facts.* from {{ ref('int_routine_exercises_identified') }} as facts
    inner join athletes using (athlete_id)
),

routine_sets as (
    select facts.* from {{ ref('stg_hevy__routine_sets') }} as facts
    inner join athletes using (athlete_id)
),

left_out as (
    select facts.* from {{ ref('int_exercises_left_out') }} as facts
    inner join athletes using (athlete_id)
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

trends as (
    select facts.* from {{ ref('fct_exercise_trend') }} as facts
    inner join athletes using (athlete_id)
),

increments as (
    select facts.* from {{ ref('fct_personal_constant') }} as facts
    inner join athletes using (athlete_id)
    where facts.constant_name = 'increment'
),

eased as (
    select facts.* from {{ ref('int_exercises_eased') }} as facts
    inner join athletes using (athlete_id)
),

compliance as (
    select facts.* replace (coalesce(copies.original_routine_id, facts.routine_id) as routine_id)
    from {{ ref('fct_plan_compliance') }} as facts
    inner join athletes using (athlete_id)
    left join copies
        on facts.athlete_id = copies.athlete_id and facts.routine_id = copies.routine_id
),

present as (
    select
        versions.*,
        routine_exercises.exercise_index,
        routine_exercises.exercise_key,
        routine_exercises.occurrence,
        routine_exercises.exercise_title,
        routine_exercises.superset_id,
        routine_exercises.rest_s,
        routine_exercises.exercise_notes,
        false as is_left_out
    from versions
    inner join routine_exercises
        on versions.routine_version_key = routine_exercises.routine_version_key
),

lengths as (
    select
        routine_version_key,
        max(exercise_index) + 1 as exercise_count
    from present
    group by routine_version_key
),

-- Last: the plan decides about the place of their return.
absent as (
    select
        versions.*,
        cast(
            coalesce(lengths.exercise_count, 0) - 1 + row_number() over (
                partition by versions.routine_version_key
                order by left_out.exercise_index, left_out.exercise_key, left_out.occurrence
            ) as integer
        ) as exercise_index,
        left_out.exercise_key,
        left_out.occurrence,
        left_out.exercise_title,
        left_out.superset_id,
        left_out.rest_s,
        left_out.exercise_notes,
        true as is_left_out
    from versions
    inner join left_out
        on versions.athlete_id = left_out.athlete_id and versions.routine_id = left_out.routine_id
    left join lengths on versions.routine_version_key = lengths.routine_version_key
    left join present
        on
            versions.routine_version_key = present.routine_version_key
            and left_out.exercise_key = present.exercise_key
            and left_out.occurrence = present.occurrence
    where present.exercise_key is null
),

positions as (
    select * from present
    union all by name
    select * from absent
),

-- A list is sorted by the first field of its structures, which takes a third of the time of an
-- ordered aggregate.
planned as (
    select
        athlete_id,
        routine_id,
        loaded_at,
        exercise_index,
        list_sort(list(
            {
                'set_index': set_index,
                'set_type': set_type,
                'weight_kg': weight_kg,
                'reps': reps,
                'rep_range_start': rep_range_start,
                'rep_range_end': rep_range_end,
                'duration_s': duration_s,
                -- Hevy takes whole metres only.
                'distance_m': try_cast(round(distance_m) as integer),
                'custom_metric': custom_metric
            }
        )) as planned_sets
    from routine_sets
    group by athlete_id, routine_id, loaded_at, exercise_index
),

last_trained as (
    select
        athlete_id,
        routine_id,
        max(started_at) as routine_last_trained_at
    from compliance
    where routine_id is not null
    group by athlete_id, routine_id
),

-- One row per exercise done in a workout.
performed as (
    select
        athlete_id,
        workout_id,
        routine_id,
        exercise_key,
        occurrence,
        started_at,
        is_plan_known,
        case
            when is_plan_known
                then count(*) filter (
                    where planned_set_index is not null and set_class = 'working'
                )
        end as planned_working_count,
        avg(reps) filter (where set_class = 'working') as mean_reps
    from compliance
    group by
        athlete_id,
        workout_id,
        routine_id,
        exercise_key,
        occurrence,
        started_at,
        is_plan_known
    having count(performed_set_index) > 0
),

-- The same place in the same routine is the best evidence; other places count without it, or if
-- they are much newer and of similar repetitions.
matched as (
    select
        positions.routine_version_key,
        positions.exercise_index,
        performed.*,
        coalesce(performed.routine_id = positions.routine_id, false)
        and performed.occurrence = positions.occurrence as is_same_place,
        performed.occurrence = min(performed.occurrence) over (
            partition by
                positions.routine_version_key,
                positions.exercise_index,
                performed.workout_id
        ) as is_first_in_workout
    from positions
    inner join performed
        on
            positions.athlete_id = performed.athlete_id
            and positions.exercise_key = performed.exercise_key
),

comparable as (
    select * from matched
    window
        place as (partition by routine_version_key, exercise_index)
    qualify
        if(
            max(started_at) filter (is_same_place) over place
            >= max(started_at) over place - interval ({{ var('context.own_place_days') }}) day
            or abs(ln(
                max_by(mean_reps, (started_at, workout_id)) filter (is_same_place) over place
                / max_by(mean_reps, (started_at, workout_id, -occurrence))
                    over place
            )) > ln({{ var('context.alike_reps') }}),
            is_same_place,
            is_first_in_workout
        )
),

-- Six exposures reach back three to six weeks: enough for a decision, small enough to be read.
latest as (
    select * from comparable
    qualify row_number() over (
        partition by routine_version_key, exercise_index
        order by started_at desc, workout_id desc
    ) <= 6
),

with_sets as (
    select
        latest.routine_version_key,
        latest.exercise_index,
        latest.workout_id,
        latest.started_at,
        latest.is_plan_known,
        latest.planned_working_count,
        eased.workout_id is not null as is_easy,
        list_sort(list(
            {
                'set_index': compliance.performed_set_index,
                'set_type': compliance.performed_set_type,
                'weight_kg': compliance.weight_kg,
                'reps': compliance.reps,
                'duration_s': compliance.duration_s,
                'distance_m': try_cast(round(compliance.distance_m) as integer),
                'custom_metric': compliance.custom_metric,
                'rpe': compliance.rpe,
                'is_typo_suspect': compliance.is_typo_suspect,
                'is_confirmed': compliance.is_confirmed,
                'planned_set_index': if(latest.is_plan_known, compliance.planned_set_index, null),
                'planned_weight_kg': if(latest.is_plan_known, compliance.planned_weight_kg, null),
                'planned_reps_low': if(latest.is_plan_known, compliance.planned_reps_low, null),
                'planned_reps_high': if(latest.is_plan_known, compliance.planned_reps_high, null),
                'planned_duration_s': if(latest.is_plan_known, compliance.planned_duration_s, null),
                'execution_status': compliance.execution_status
            }
        )) as performed_sets
    from latest
    inner join compliance
        on
            latest.athlete_id = compliance.athlete_id
            and latest.workout_id = compliance.workout_id
            and latest.exercise_key = compliance.exercise_key
            and latest.occurrence = compliance.occurrence
    left join eased
        on
            latest.athlete_id = eased.athlete_id
            and latest.workout_id = eased.workout_id
            and latest.exercise_key = eased.exercise_key
    where compliance.performed_set_index is not null
    group by
        latest.routine_version_key,
        latest.exercise_index,
        latest.workout_id,
        latest.started_at,
        latest.is_plan_known,
        latest.planned_working_count,
        is_easy
),

exposed as (
    select
        routine_version_key,
        exercise_index,
        list(
            {
                'workout_id': workout_id,
                'started_at': started_at,
                'is_plan_known': is_plan_known,
                'planned_working_count': cast(planned_working_count as integer),
                'is_easy': is_easy,
                'sets': performed_sets
            }
            order by started_at desc, workout_id desc
        ) as exposures
    from with_sets
    group by routine_version_key, exercise_index
),

described as (
    select
        concat_ws(
            '/', positions.athlete_id, positions.routine_id, positions.exercise_index
        ) as coach_context_key,
        positions.athlete_id,
        positions.routine_id,
        positions.title as routine_title,
        positions.payload_sha256 as routine_sha256,
        positions.valid_from as routine_valid_from,
        last_trained.routine_last_trained_at,
        positions.exercise_index,
        positions.occurrence,
        positions.exercise_key as exercise_template_id,
        positions.exercise_title,
        exercises.exercise_type,
        exercises.equipment,
        exercises.primary_muscle_group,
        coalesce(exercises.secondary_muscle_groups, []) as secondary_muscle_groups,
        positions.superset_id,
        positions.rest_s,
        positions.exercise_notes as notes,
        positions.is_left_out,
        trends.last_trained_at,
        trends.verdict as trend_verdict,
        trends.slope_pct as trend_slope_pct,
        trends.lower_pct as trend_lower_pct,
        trends.upper_pct as trend_upper_pct,
        trends.false_alarm_rate as trend_false_alarm_rate,
        trends.standard_error_pct as trend_standard_error_pct,
        trends.residual_pct as trend_residual_pct,
        trends.exposure_count as trend_exposure_count,
        trends.mean_rpe as trend_mean_rpe,
        trends.mean_reps as trend_mean_reps,
        increments.constant_value as learned_increment_kg,
        cast(increments.observation_count as integer) as learned_increment_count,
        coalesce(planned.planned_sets, []) as planned_sets,
        coalesce(exposed.exposures, []) as exposures
    from positions
    left join exercises
        on
            positions.athlete_id = exercises.athlete_id
            and positions.exercise_key = exercises.exercise_key
    left join planned
        on
            positions.athlete_id = planned.athlete_id
            and positions.routine_id = planned.routine_id
            and positions.known_from = planned.loaded_at
            and positions.exercise_index = planned.exercise_index
    left join exposed
        on
            positions.routine_version_key = exposed.routine_version_key
            and positions.exercise_index = exposed.exercise_index
    left join last_trained
        on
            positions.athlete_id = last_trained.athlete_id
            and positions.routine_id = last_trained.routine_id
    left join trends
        on
            positions.athlete_id = trends.athlete_id
            and positions.exercise_key = trends.exercise_key
    left join increments
        on
            positions.athlete_id = increments.athlete_id
            and positions.exercise_key = increments.exercise_key
)

select * from described
