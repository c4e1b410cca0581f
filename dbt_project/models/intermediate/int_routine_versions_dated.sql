{{ config(materialized='table') }}

with versions as (
    select * from {{ ref('stg_hevy__routine_versions') }}
),

publications as (
    select * from {{ ref('stg_coach__publications') }}
    where state = 'published'
),

readings as (
    select * from {{ source('raw', 'sync_log') }}
    where entity = 'hevy_routines' and {{ known('completed_at') }}
),

-- A version is ours if it equals the vendor's response after our publication: its hash covers
-- content and the vendor's stamp, so the two clocks are never compared. Without a stamp the same
-- content may be the work of another author, so it must be landed at that time, which is by our
-- clock alone.
published as (
    select
        versions.athlete_id,
        versions.routine_id,
        versions.loaded_at,
        publications.plan_id,
        publications.effective_at
    from versions
    inner join publications
        on
            versions.athlete_id = publications.athlete_id
            and versions.routine_id = publications.routine_id
            and versions.payload_sha256 = publications.published_sha256
            and (
                versions.updated_at is not null
                or versions.loaded_at between
                publications.effective_at - interval '{{ var("publish.clock_drift") }} minutes'
                and publications.effective_at + interval '{{ var("publish.clock_drift") }} minutes'
            )
    where not versions.is_deleted
    qualify row_number() over (
        partition by versions.athlete_id, versions.routine_id, versions.loaded_at
        order by publications.effective_at desc, publications.publication_id asc
    ) = 1
),

-- No version was in force later than it was read or published, whatever clock stamped it.
stamped as (
    select
        versions.*,
        published.plan_id as published_plan_id,
        least(published.effective_at, versions.updated_at, versions.loaded_at) as stamped_at
    from versions
    left join published
        on
            versions.athlete_id = published.athlete_id
            and versions.routine_id = published.routine_id
            and versions.loaded_at = published.loaded_at
),

-- A routine that returns often carries its old stamp; it is in force again when it is seen again.
returned as (
    select
        *,
        case
            when
                lag(is_deleted) over landings and stamped_at <= lag(stamped_at) over landings
                then loaded_at
            else stamped_at
        end as in_force_at
    from stamped
    window landings as (partition by athlete_id, routine_id order by loaded_at)
),

-- A later landing never starts before an earlier one.
ordered as (
    select
        *,
        max(in_force_at) over (
            partition by athlete_id, routine_id
            order by loaded_at
            rows between unbounded preceding and current row
        ) as valid_from,
        {{ end_of_interval('loaded_at', 'athlete_id, routine_id') }} as latest_until
    from returned
),

-- Content that changed under one stamp: the vendor's latest content counts.
standing as (
    select * from ordered
    qualify row_number() over (
        partition by athlete_id, routine_id, valid_from
        order by loaded_at desc
    ) = 1
),

bounded as (
    select
        athlete_id,
        routine_id,
        payload_sha256,
        published_plan_id,
        title,
        folder_id,
        origin,
        cast(
            row_number() over (partition by athlete_id, routine_id order by valid_from) as integer
        ) as version_number,
        is_deleted,
        valid_from,
        {{ end_of_interval('valid_from', 'athlete_id, routine_id') }} as valid_to,
        loaded_at as known_from,
        {{ end_of_interval('loaded_at', 'athlete_id, routine_id') }} as known_to,
        latest_until
    from standing
),

-- The last complete reading that found it unchanged.
seen as (
    select
        bounded.*,
        coalesce(readings.completed_at, bounded.known_from) as last_seen_at
    from bounded
    asof left join readings
        on bounded.athlete_id = readings.athlete_id and bounded.latest_until > readings.completed_at
),

keyed as (
    select
        concat_ws('/', athlete_id, routine_id, version_number) as routine_version_key,
        * exclude (latest_until) replace (greatest(last_seen_at, known_from) as last_seen_at),
        valid_to = {{ end_of_time() }} as is_current
    from seen
)

select * from keyed
