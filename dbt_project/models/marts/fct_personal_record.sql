{{ config(
    materialized='incremental_by_hash',
    meta={'unit': 'athlete', 'inputs': 'int_athlete_inputs'},
) }}

with recursive athletes as (
    {{ missing_from('fct_personal_record', ref('int_athlete_inputs')) }}
),

exercises as (
    select facts.* from {{ ref('dim_exercise') }} as facts
    inner join athletes using (athlete_id)
),

performed_sets as (
    select facts.* from {{ ref('fct_set') }} as facts
    inner join athletes using (athlete_id)
    where
        facts.set_class in ('working', 'drop')
        and not facts.is_typo_suspect
        and not facts.is_easy
),

-- The achievement of a set at its load: repetitions, otherwise distance, otherwise duration.
measured as (
    select
        performed_sets.athlete_id,
        performed_sets.exercise_key,
        {{ comparable_load('exercises.exercise_type', 'performed_sets.weight_kg') }} as load_kg,
        case
            when performed_sets.reps is not null then 'reps'
            when performed_sets.distance_m > 0 then 'distance'
            when performed_sets.duration_s is not null then 'duration'
        end as measure,
        case
            when performed_sets.reps is not null then cast(performed_sets.reps as double)
            when performed_sets.distance_m > 0 then performed_sets.distance_m
            else cast(performed_sets.duration_s as double)
        end as amount,
        {{ place_of_set('performed_sets') }} as place
    from performed_sets
    left join exercises
        on
            performed_sets.athlete_id = exercises.athlete_id
            and performed_sets.exercise_key = exercises.exercise_key
),

-- Most sets repeat an earlier one: only the first of its load and amount can be a record.
first_done as (
    select
        athlete_id,
        exercise_key,
        measure,
        load_kg,
        amount,
        min(place) as place
    from measured
    where load_kg is not null and amount > 0
    group by athlete_id, exercise_key, measure, load_kg, amount
),

numbered as (
    select
        *,
        row_number() over (
            partition by athlete_id, exercise_key, measure order by place
        ) as turn,
        first_value(place.workout_id) over (
            partition by athlete_id, exercise_key, measure order by place
        ) as first_workout_id
    from first_done
),

-- At one load only more than ever before can be a record, or beat one.
rising as (
    select * from numbered
    qualify
        amount > coalesce(
            max(amount) over (
                partition by athlete_id, exercise_key, measure, load_kg order by turn
                rows between unbounded preceding and 1 preceding
            ),
            0
        )
),

-- Every set against all that were as heavy before, and against all that came later.
compared as (
    select
        candidate.athlete_id,
        candidate.exercise_key,
        candidate.measure,
        candidate.load_kg,
        candidate.amount,
        candidate.place,
        candidate.first_workout_id,
        max(other.amount) filter (
            where
            other.turn < candidate.turn
            and other.load_kg >= candidate.load_kg - {{ var('align.load_tolerance') }}
        ) as most_before,
        bool_or(
            other.turn > candidate.turn
            and if(
                other.load_kg > candidate.load_kg + {{ var('align.load_tolerance') }},
                other.amount >= candidate.amount,
                other.load_kg >= candidate.load_kg - {{ var('align.load_tolerance') }}
                and other.amount > candidate.amount
            )
        ) as is_beaten
    from rising as candidate
    inner join rising as other
        on
            candidate.athlete_id = other.athlete_id
            and candidate.exercise_key = other.exercise_key
            and candidate.measure = other.measure
    group by all
),

maxima as (
    select
        athlete_id,
        exercise_key,
        {{ e1rm_family('e1rm_method', 'is_e1rm_lower_bound') }} as e1rm_family,
        e1rm_kg,
        min({{ place_of_set('performed_sets') }}) as place
    from performed_sets
    where e1rm_kg is not null and not is_e1rm_low_confidence
    group by all
),

-- Loads by measure and maxima by family, those that are more than any before.
rising_values as materialized (
    select
        athlete_id,
        exercise_key,
        'load' as record_kind,
        measure as series,
        load_kg as achieved_kg,
        load_kg + {{ var('align.load_tolerance') }} as to_exceed_kg,
        place
    from first_done
    qualify
        load_kg > coalesce(
            max(load_kg) over (
                partition by athlete_id, exercise_key, measure order by place
                rows between unbounded preceding and 1 preceding
            ),
            cast('-infinity' as double)
        )
    union all
    select
        athlete_id,
        exercise_key,
        'e1rm' as record_kind,
        e1rm_family as series,
        e1rm_kg as achieved_kg,
        e1rm_kg * (1 + {{ var('e1rm.pr_min_gain') }} / 100.0) as to_exceed_kg,
        place
    from maxima
    qualify
        e1rm_kg > coalesce(
            max(e1rm_kg) over (
                partition by athlete_id, exercise_key, e1rm_family order by place
                rows between unbounded preceding and 1 preceding
            ),
            0
        )
),

-- Many small gains add up: each is measured against the standing record, not the best so far.
beaten_in_turn as (
    (
        select
            *,
            cast(null as double) as previous_kg
        from rising_values
        qualify row_number() over (
            partition by athlete_id, exercise_key, record_kind, series order by place
        ) = 1
    )
    union all
    (
        select
            rising_values.*,
            beaten_in_turn.achieved_kg as previous_kg
        from beaten_in_turn
        inner join rising_values
            on
                beaten_in_turn.athlete_id = rising_values.athlete_id
                and beaten_in_turn.exercise_key = rising_values.exercise_key
                and beaten_in_turn.record_kind = rising_values.record_kind
                and beaten_in_turn.series = rising_values.series
                and beaten_in_turn.to_exceed_kg < rising_values.achieved_kg
        qualify row_number() over (
            partition by
                rising_values.athlete_id,
                rising_values.exercise_key,
                rising_values.record_kind,
                rising_values.series
            order by rising_values.place
        ) = 1
    )
),

standing as (
    select
        *,
        lead(place) over (
            partition by athlete_id, exercise_key, record_kind, series order by place
        ) is null as is_current,
        first_value(place.workout_id) over (
            partition by athlete_id, exercise_key, record_kind, series order by place
        ) as first_workout_id
    from beaten_in_turn
),

-- Heavier than the record is a record of load, however few the repetitions; the body alone is none
-- until something heavier was done.
named as (
    select
        compared.*,
        standing.previous_kg,
        standing.is_current as is_heaviest,
        if(
            standing.place is not null
            and (standing.previous_kg is not null or compared.load_kg <> 0),
            'load',
            compared.measure
        ) as record_kind
    from compared
    left join standing
        on
            compared.athlete_id = standing.athlete_id
            and compared.exercise_key = standing.exercise_key
            and standing.record_kind = 'load'
            and compared.measure = standing.series
            and compared.place = standing.place
    where
        standing.place is not null
        or compared.most_before is null
        or compared.amount > compared.most_before
),

of_sets as (
    select
        athlete_id,
        exercise_key,
        record_kind,
        cast(null as varchar) as e1rm_family,
        place,
        if(record_kind = 'load', load_kg, amount) as record_value,
        if(record_kind = 'load', previous_kg, most_before) as previous_value,
        place.workout_id = first_workout_id as is_first,
        if(record_kind = 'load', is_heaviest, not is_beaten) as is_current,
        not is_beaten as is_on_pareto_front
    from named
),

of_maxima as (
    select
        athlete_id,
        exercise_key,
        record_kind,
        series as e1rm_family,
        place,
        achieved_kg as record_value,
        previous_kg as previous_value,
        place.workout_id = first_workout_id as is_first,
        is_current,
        cast(null as boolean) as is_on_pareto_front
    from standing
    where record_kind = 'e1rm'
),

volumes as (
    select
        athlete_id,
        exercise_key,
        {
            'started_at': started_at,
            'workout_id': workout_id,
            'exercise_index': cast(null as integer),
            'set_index': cast(null as integer)
        } as place,
        {{ exact_sum('volume_kg') }} as volume_kg
    from performed_sets
    where volume_kg > 0
    group by athlete_id, exercise_key, workout_id, started_at
),

rising_volumes as (
    select
        *,
        max(volume_kg) over (
            partition by athlete_id, exercise_key order by place
            rows between unbounded preceding and 1 preceding
        ) as most_before_kg
    from volumes
    qualify volume_kg > coalesce(most_before_kg, 0)
),

of_volumes as (
    select
        athlete_id,
        exercise_key,
        'volume' as record_kind,
        cast(null as varchar) as e1rm_family,
        place,
        volume_kg as record_value,
        most_before_kg as previous_value,
        most_before_kg is null as is_first,
        lead(place) over (
            partition by athlete_id, exercise_key order by place
        ) is null as is_current,
        cast(null as boolean) as is_on_pareto_front
    from rising_volumes
),

records as (
    select * from of_sets
    union all
    select * from of_maxima
    union all
    select * from of_volumes
),

workouts as (
    select facts.* from {{ ref('fct_workout') }} as facts
    inner join athletes using (athlete_id)
),

described as (
    select
        concat_ws(
            '/',
            records.athlete_id,
            records.exercise_key,
            records.record_kind,
            records.place.workout_id,
            records.place.exercise_index,
            records.place.set_index
        ) as personal_record_key,
        records.athlete_id,
        records.exercise_key,
        records.record_kind,
        workouts.workout_id,
        performed_sets.set_key,
        performed_sets.weight_kg,
        performed_sets.reps,
        performed_sets.distance_m,
        performed_sets.duration_s,
        performed_sets.rpe,
        records.e1rm_family,
        records.record_value,
        records.previous_value,
        records.record_value - records.previous_value as gain,
        records.is_first,
        records.is_current,
        records.is_on_pareto_front,
        workouts.started_at,
        workouts.workout_date,
        workouts.week_start_date
    from records
    inner join workouts
        on
            records.athlete_id = workouts.athlete_id
            and records.place.workout_id = workouts.workout_id
    left join performed_sets
        on
            records.athlete_id = performed_sets.athlete_id
            and records.place.workout_id = performed_sets.workout_id
            and records.place.exercise_index = performed_sets.exercise_index
            and records.place.set_index = performed_sets.set_index
)

select * from described
