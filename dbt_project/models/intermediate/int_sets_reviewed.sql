with performed_sets as (
    select * from {{ ref('int_sets_performed') }}
),

judged_sets as (
    select * from {{ ref('int_sets_judged') }}
),

reviewed as (
    select
        performed_sets.*,
        performed_sets.set_class = 'working' as is_working,
        coalesce(judged_sets.is_typo_suspect, false) as is_typo_suspect,
        judged_sets.is_confirmed
    from performed_sets
    left join judged_sets
        on
            performed_sets.athlete_id = judged_sets.athlete_id
            and performed_sets.workout_id = judged_sets.workout_id
            and performed_sets.exercise_index = judged_sets.exercise_index
            and performed_sets.set_index = judged_sets.set_index
)

select * from reviewed
