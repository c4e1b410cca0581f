with exercises as (
    select * from {{ ref('dim_exercise') }}
),

helped as (
    select distinct
        athlete_id,
        exercise_key,
        athlete_exercise_key,
        primary_muscle_group,
        unnest(secondary_muscle_groups) as muscle_group
    from exercises
),

aimed as (
    select
        athlete_id,
        exercise_key,
        athlete_exercise_key,
        primary_muscle_group as muscle_group,
        true as is_primary,
        cast({{ var('volume.primary') }} as double) as set_weight
    from exercises
    where primary_muscle_group is not null
    union all
    select
        athlete_id,
        exercise_key,
        athlete_exercise_key,
        muscle_group,
        false as is_primary,
        cast({{ var('volume.secondary') }} as double) as set_weight
    from helped
    where muscle_group is not null and muscle_group is distinct from primary_muscle_group
)

select
    concat_ws('/', athlete_exercise_key, muscle_group) as exercise_muscle_key,
    athlete_id,
    exercise_key,
    athlete_exercise_key,
    muscle_group,
    is_primary,
    set_weight
from aimed
