with athletes as (
    select * from {{ ref('dim_athlete') }}
),

landed as (
    select
        athlete_id,
        loaded_at,
        from_json(
            payload, '{"name": "VARCHAR", "timezone": "VARCHAR", "unit": "VARCHAR"}'
        ) as entry
    from {{ source('raw', 'athlete_profiles') }}
    where {{ known() }} and not is_deleted
),

-- Most changes of a profile concern nothing that describes training.
changes as (
    select * from landed
    qualify
        entry is distinct from lag(entry) over (partition by athlete_id order by loaded_at)
),

numbered as (
    select
        athletes.athlete_id,
        changes.entry,
        changes.loaded_at as known_from,
        cast(
            row_number() over (
                partition by athletes.athlete_id order by changes.loaded_at
            ) as integer
        ) as version_number,
        {{ end_of_interval('changes.loaded_at', 'athletes.athlete_id') }} as valid_to
    from athletes
    left join changes on athletes.athlete_id = changes.athlete_id
),

described as (
    select
        concat_ws('/', athlete_id, version_number) as athlete_version_key,
        athlete_id,
        version_number,
        entry.name,
        coalesce(entry.timezone, 'UTC') as timezone,
        entry.unit as load_unit,
        valid_to = {{ end_of_time() }} as is_current,
        if(version_number = 1, {{ beginning_of_time() }}, known_from) as valid_from,
        valid_to,
        known_from
    from numbered
)

select * from described
