{% if var('align.match_cost_cap') >= 2 * var('align.gap_cost') %}
    {{ exceptions.raise_compiler_error(
        'align.match_cost_cap must be below twice align.gap_cost: pairing a planned and a performed '
        'set has to be cheaper than leaving both alone.'
    ) }}
{% endif %}

with recursive workouts as (
    {{ missing_from('fct_plan_compliance', ref('int_workouts_planned')) }}
),

-- Sets meet inside one block: a class of sets of one occurrence of an exercise in a workout. The
-- two sides are narrow and read more than once, which costs less than to keep them.
performed as not materialized (
    select
        facts.athlete_id,
        facts.workout_id,
        facts.exercise_key,
        facts.exercise_title,
        facts.occurrence,
        facts.set_class,
        facts.set_number,
        facts.class_set_count,
        facts.exercise_index,
        facts.set_index,
        facts.set_type,
        facts.weight_kg,
        facts.reps,
        facts.duration_s,
        facts.distance_m,
        facts.custom_metric,
        facts.rpe,
        facts.is_typo_suspect,
        facts.is_confirmed
    from {{ ref('int_sets_reviewed') }} as facts
    inner join workouts using (athlete_id, workout_id)
),

planned_sets as (
    select * from {{ ref('int_routine_sets_targeted') }}
),

planned as not materialized (
    select
        workouts.athlete_id,
        workouts.workout_id,
        planned_sets.*
    from workouts
    inner join planned_sets
        on workouts.routine_version_key = planned_sets.routine_version_key
),

-- Equal numbers pair fully, each with its counterpart; only where they differ there is a choice.
facing as not materialized (
    select
        planned.*,
        case
            when planned.class_set_count <> performed.class_set_count
                then concat_ws(
                    '/',
                    planned.athlete_id,
                    planned.workout_id,
                    planned.exercise_key,
                    planned.occurrence,
                    planned.set_class
                )
        end as uneven_block
    from planned
    left join performed
        on
            planned.athlete_id = performed.athlete_id
            and planned.workout_id = performed.workout_id
            and planned.exercise_key = performed.exercise_key
            and planned.occurrence = performed.occurrence
            and planned.set_class = performed.set_class
            and performed.set_number = 1
),

-- As many pairs as the shorter side has sets: what is to be found is which sets of the longer side
-- stay alone. In order, so a set of the shorter side can only meet those at most the surplus away.
-- Costs are rounded decimals so that equal sums are equal; a missing bound or load costs nothing.
candidates as (
    select
        planned.uneven_block,
        planned.class_set_count <= performed.class_set_count as is_plan_shorter,
        least(planned.class_set_count, performed.class_set_count) as pair_count,
        if(is_plan_shorter, planned.set_number, performed.set_number) as short_position,
        if(is_plan_shorter, performed.set_number, planned.set_number) as long_position,
        cast(
            least(
                {{ var('align.match_cost_cap') }},
                coalesce(
                    abs(performed.weight_kg - planned.weight_kg)
                    / greatest(abs(planned.weight_kg), 1),
                    0
                )
                + {{ var('align.rep_cost') }} * greatest(
                    planned.reps_low - performed.reps,
                    performed.reps - planned.reps_high,
                    0
                )
            ) as decimal(18, 9)
        ) as match_cost
    from facing as planned
    inner join performed
        on
            planned.athlete_id = performed.athlete_id
            and planned.workout_id = performed.workout_id
            and planned.exercise_key = performed.exercise_key
            and planned.occurrence = performed.occurrence
            and planned.set_class = performed.set_class
    where
        planned.uneven_block is not null
        and long_position - short_position
        between 0 and abs(planned.class_set_count - performed.class_set_count)
),

-- The cheapest way to pair the first sets of the shorter side so that the last of them meets the
-- set at long_position; of equally cheap ones that with the earliest partners.
alignments as (
    select
        uneven_block,
        pair_count,
        is_plan_shorter,
        short_position,
        long_position,
        match_cost,
        [long_position] as partners
    from candidates
    where short_position = 1

    union all

    select
        candidates.uneven_block,
        candidates.pair_count,
        candidates.is_plan_shorter,
        candidates.short_position,
        candidates.long_position,
        alignments.match_cost + candidates.match_cost as match_cost,
        list_append(alignments.partners, candidates.long_position) as partners
    from alignments
    inner join candidates
        on
            alignments.uneven_block = candidates.uneven_block
            and alignments.short_position + 1 = candidates.short_position
            and alignments.long_position < candidates.long_position
    qualify row_number() over (
        partition by candidates.uneven_block, candidates.long_position
        order by
            round(alignments.match_cost + candidates.match_cost, 6),
            alignments.partners
    ) = 1
),

cheapest as (
    select * from alignments
    where short_position = pair_count
    qualify row_number() over (
        partition by uneven_block
        order by round(match_cost, 6), partners
    ) = 1
),

unnested as (
    select
        uneven_block,
        is_plan_shorter,
        generate_subscripts(partners, 1) as short_position,
        unnest(partners) as long_position
    from cheapest
),

pairs as (
    select
        uneven_block,
        if(is_plan_shorter, short_position, long_position) as planned_position,
        if(is_plan_shorter, long_position, short_position) as performed_position
    from unnested
),

partnered as (
    select
        facing.*,
        if(
            facing.uneven_block is null, facing.set_number, pairs.performed_position
        ) as partner_position
    from facing
    left join pairs
        on
            facing.uneven_block = pairs.uneven_block
            and facing.set_number = pairs.planned_position
),

aligned as (
    select
        coalesce(planned.athlete_id, performed.athlete_id) as athlete_id,
        coalesce(planned.workout_id, performed.workout_id) as workout_id,
        coalesce(planned.exercise_key, performed.exercise_key) as exercise_key,
        coalesce(performed.exercise_title, planned.exercise_title) as exercise_title,
        coalesce(planned.occurrence, performed.occurrence) as occurrence,
        coalesce(planned.set_class, performed.set_class) as set_class,
        planned.exercise_index as planned_exercise_index,
        planned.set_index as planned_set_index,
        planned.set_type as planned_set_type,
        planned.weight_kg as planned_weight_kg,
        planned.reps_low as planned_reps_low,
        planned.reps_high as planned_reps_high,
        planned.duration_s as planned_duration_s,
        planned.distance_m as planned_distance_m,
        planned.custom_metric as planned_custom_metric,
        performed.exercise_index as performed_exercise_index,
        performed.set_index as performed_set_index,
        performed.set_type as performed_set_type,
        performed.weight_kg,
        performed.reps,
        performed.duration_s,
        performed.distance_m,
        performed.custom_metric,
        performed.rpe,
        performed.is_typo_suspect,
        performed.is_confirmed
    from partnered as planned
    full join performed
        on
            planned.athlete_id = performed.athlete_id
            and planned.workout_id = performed.workout_id
            and planned.exercise_key = performed.exercise_key
            and planned.occurrence = performed.occurrence
            and planned.set_class = performed.set_class
            and planned.partner_position = performed.set_number
),

of_workouts as (
    select
        workouts.routine_id,
        workouts.routine_version_key,
        workouts.plan_basis,
        aligned.*,
        workouts.is_plan_known,
        workouts.is_possibly_superseded,
        workouts.started_at,
        workouts.workout_date,
        workouts.week_start_date
    from aligned
    inner join workouts
        on
            aligned.athlete_id = workouts.athlete_id
            and aligned.workout_id = workouts.workout_id
)

select * from of_workouts
