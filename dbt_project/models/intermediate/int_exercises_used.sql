{{ config(materialized='incremental') }}

with workouts as (
    select recorded.* from {{ ref('stg_hevy__workouts') }} as recorded
    {% if is_incremental() %}
        where recorded.loaded_at >= {{ may_lack_since(this) }}
    {% endif %}
),

unnested as (
    select
        athlete_id,
        loaded_at,
        unnest(exercises) as exercise
    from workouts
),

-- The title identifies the exercise only without an id.
named as (
    select
        athlete_id,
        exercise.exercise_template_id,
        case
            when exercise.exercise_template_id is null
                then {{ normalised_title('exercise.title') }}
        end as normalised_title,
        loaded_at
    from unnested
),

used as (
    select
        athlete_id,
        exercise_template_id,
        normalised_title,
        max(loaded_at) as loaded_at
    from named
    {% if is_incremental() %}
        where not exists (
            select 1 from {{ this }} as known
            where
                known.athlete_id = named.athlete_id
                and known.exercise_template_id is not distinct from named.exercise_template_id
                and known.normalised_title is not distinct from named.normalised_title
        )
    {% endif %}
    group by athlete_id, exercise_template_id, normalised_title
)

select * from used
