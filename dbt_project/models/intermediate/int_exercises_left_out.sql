with publications as (
    select * from {{ ref('stg_coach__publications') }}
    where effective_at is not null
),

omissions as (
    select * from {{ ref('stg_coach__plan_omissions') }}
),

-- The plan in the routine at the last write or comparison, and the plans sent since then with an
-- unknown outcome.
standing as (
    select * from publications
    qualify
        coalesce(
            effective_at >= max(effective_at) filter (where state in ('published', 'unchanged'))
                over (partition by athlete_id, routine_id),
            true
        )
),

left_out as (
    select
        standing.athlete_id,
        standing.routine_id,
        omissions.exercise_index,
        omissions.exercise_template_id as exercise_key,
        omissions.exercise_title,
        omissions.occurrence,
        omissions.superset_id,
        omissions.rest_s,
        omissions.exercise_notes
    from standing
    inner join omissions on standing.plan_id = omissions.plan_id
    qualify
        row_number() over (
            partition by
                standing.athlete_id,
                standing.routine_id,
                omissions.exercise_template_id,
                omissions.occurrence
            order by standing.effective_at desc, standing.publication_id desc
        ) = 1
)

select * from left_out
