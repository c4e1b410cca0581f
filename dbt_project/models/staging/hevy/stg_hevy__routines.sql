with versions as (
    select * from {{ ref('stg_hevy__routine_versions') }}
),

latest as (
    select
        concat_ws('/', athlete_id, routine_id) as routine_key,
        athlete_id,
        routine_id,
        payload_sha256,
        title,
        is_deleted,
        updated_at,
        loaded_at
    from versions
    qualify row_number() over (partition by athlete_id, routine_id order by loaded_at desc) = 1
),

current_routines as (
    select
        routine_key,
        athlete_id,
        routine_id,
        payload_sha256,
        title,
        updated_at,
        loaded_at
    from latest
    where not is_deleted
)

select * from current_routines
