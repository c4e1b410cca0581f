-- Returns routines that the snapshot holds as existing now, in a version that is not the current
-- one of the history; the history is made of every landed version, the snapshot of what builds saw.
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
