-- Returns existing routines of the snapshot with a version that is not the current one of the
-- history; the history is derived from every landed version, the snapshot from the states at
-- builds.
{{ config(meta={'dagster': {'ref': {'name': 'dim_routine_version'}}}) }}

with snapshot_versions as (
    select * from {{ ref('snp_hevy__routines') }}
    where valid_to = {{ end_of_time() }} and is_deleted = 'False'
),

versions as (
    select * from {{ ref('dim_routine_version') }}
    where is_current and not is_deleted
)

select
    athlete_id,
    routine_id,
    payload_sha256
from snapshot_versions
except
select
    athlete_id,
    routine_id,
    payload_sha256
from versions
