{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athletes_counted'},
) }}

with athletes as (
    {{ missing_from('int_typo_suspects', ref('int_athletes_counted')) }}
),

-- A load is evidence if it is all that is moved: then it counts as volume.
performed_sets as (
    select
        facts.athlete_id,
        facts.exercise_key,
        facts.workout_id,
        facts.started_at,
        facts.exercise_index,
        facts.set_index,
        facts.set_class,
        facts.reps,
        case when facts.volume_kg > 0 then facts.weight_kg end as weight_kg
    from {{ ref('int_sets_performed') }} as facts
    inner join athletes using (athlete_id)
    where facts.set_class <> 'warmup' and facts.reps > 0
),

-- One row per exercise and workout: the exposure. Drop sets are light on purpose. A set that others
-- of the exposure speak for is not doubted, so most exposures need no comparison.
exposures as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        started_at,
        max(weight_kg) as heaviest_kg,
        min(weight_kg) filter (where set_class = 'working') as lightest_kg,
        max(reps) as most_reps,
        max(weight_kg, 2) as two_heaviest,
        min(weight_kg, 2) as two_lightest,
        max(reps, 2) as two_most,
        coalesce(
            len(two_heaviest) = 1
            or two_heaviest[2] * {{ var('typo.alike') }} < two_heaviest[1]
            or two_lightest[2] > {{ var('typo.alike') }} * two_lightest[1],
            false
        )
        or (
            two_most[1] >= {{ var('typo.count_least') }}
            and (len(two_most) = 1 or two_most[2] * {{ var('typo.alike') }} < two_most[1])
        ) as is_uneven
    from performed_sets
    group by athlete_id, exercise_key, workout_id, started_at
),

-- Before and after: what recurs later was no typing error.
surrounded as (
    select
        athlete_id,
        exercise_key,
        workout_id,
        is_uneven,
        list_filter(list(heaviest_kg) over nearby, lambda each: each is not null) as heaviest,
        list_filter(list(lightest_kg) over nearby, lambda each: each is not null) as lightest,
        list(most_reps) over nearby as most
    from exposures
    window
        nearby as (
            partition by athlete_id, exercise_key
            order by started_at, workout_id
            rows between {{ var('typo.window') }} preceding and {{ var('typo.window') }} following
            exclude current row
        )
),

-- The other sets of the workout, and the heaviest on either side.
compared as (
    select
        performed_sets.*,
        coalesce(surrounded.heaviest, []) as heaviest,
        coalesce(surrounded.lightest, []) as lightest,
        coalesce(surrounded.most, []) as most,
        coalesce(list(performed_sets.weight_kg) over others, []) as other_kg,
        coalesce(list(performed_sets.reps) over others, []) as other_reps,
        max(case when performed_sets.set_class = 'working' then performed_sets.weight_kg end)
            over others as other_heaviest_working_kg,
        max(performed_sets.weight_kg) over earlier as heaviest_before_kg,
        max(performed_sets.weight_kg) over later as heaviest_after_kg
    from performed_sets
    inner join surrounded
        on
            performed_sets.athlete_id = surrounded.athlete_id
            and performed_sets.exercise_key = surrounded.exercise_key
            and performed_sets.workout_id = surrounded.workout_id
    where surrounded.is_uneven
    window
        others as (
            partition by
                performed_sets.athlete_id, performed_sets.exercise_key, performed_sets.workout_id
            order by performed_sets.exercise_index, performed_sets.set_index
            rows between unbounded preceding and unbounded following
            exclude current row
        ),
        earlier as (
            partition by
                performed_sets.athlete_id, performed_sets.exercise_key, performed_sets.workout_id
            order by performed_sets.exercise_index, performed_sets.set_index
            rows between unbounded preceding and 1 preceding
        ),
        later as (
            partition by
                performed_sets.athlete_id, performed_sets.exercise_key, performed_sets.workout_id
            order by performed_sets.exercise_index, performed_sets.set_index
            rows between 1 following and unbounded following
        )
),

-- A set of the same workout, or several workouts, with a number like it speak for it.
witnessed as (
    select
        *,
        list_median(heaviest) as usual_heaviest_kg,
        list_median(lightest) as usual_lightest_kg,
        list_median(most) as usual_reps,
        list_max(other_kg) as other_heaviest_kg,
        list_min(other_kg) as other_lightest_kg,
        len(heaviest) >= {{ var('typo.min_others') }} as has_usual_load,
        len(most) >= {{ var('typo.min_others') }} as has_usual_reps,
        len(list_filter(other_kg, lambda each: each * {{ var('typo.alike') }} >= weight_kg)) > 0
        or len(list_filter(heaviest, lambda each: each * {{ var('typo.alike') }} >= weight_kg))
        >= {{ var('typo.witnesses') }} as is_heavy_witnessed,
        len(list_filter(other_kg, lambda each: each <= {{ var('typo.alike') }} * weight_kg)) > 0
        or len(list_filter(lightest, lambda each: each <= {{ var('typo.alike') }} * weight_kg))
        >= {{ var('typo.witnesses') }} as is_light_witnessed,
        len(list_filter(other_reps, lambda each: each * {{ var('typo.alike') }} >= reps)) > 0
        or len(list_filter(most, lambda each: each * {{ var('typo.alike') }} >= reps))
        >= {{ var('typo.witnesses') }} as are_reps_witnessed
    from compared
),

-- A ramp goes up to the heaviest set, or comes down from it.
shaped as (
    select
        *,
        weight_kg >= {{ var('typo.ramp') }} * other_heaviest_working_kg
        and (
            heaviest_before_kg is null
            or heaviest_after_kg is null
            or heaviest_before_kg <= weight_kg
            or heaviest_after_kg <= weight_kg
        ) as is_ramp
    from witnessed
),

-- Without enough other workouts only the workout itself speaks against a set.
doubted as (
    select
        *,
        case
            when is_heavy_witnessed then false
            when has_usual_load then weight_kg > {{ var('typo.far') }} * usual_heaviest_kg
            else weight_kg > {{ var('typo.alone_hi') }} * other_heaviest_working_kg
        end as is_too_heavy,
        case
            when is_light_witnessed or set_class <> 'working' then false
            when has_usual_load
                then
                    weight_kg * {{ var('typo.far') }} < usual_lightest_kg
                    and not coalesce(is_ramp, false)
            else
                len(other_kg) > 1
                and weight_kg < {{ var('typo.alone_lo') }} * other_lightest_kg
        end as is_too_light,
        case
            when are_reps_witnessed or reps < {{ var('typo.count_least') }} then false
            when has_usual_reps then reps > {{ var('typo.count_hi') }} * usual_reps
            else reps > {{ var('typo.count_hi') }} * list_max(other_reps)
        end as are_too_many
    from shaped
),

suspects as (
    select
        athlete_id,
        workout_id,
        exercise_index,
        set_index,
        case
            when is_too_heavy then coalesce(usual_heaviest_kg, other_heaviest_kg)
            when is_too_light then coalesce(usual_lightest_kg, other_lightest_kg)
        end as usual_weight_kg,
        case
            when are_too_many then coalesce(usual_reps, list_max(other_reps))
        end as usual_reps
    from doubted
    where is_too_heavy or is_too_light or are_too_many
)

select * from suspects
