with folders as (
    select * from {{ ref('stg_hevy__routine_folders') }}
)

select
    concat_ws('/', athlete_id, folder_id) as routine_folder_key,
    athlete_id,
    folder_id,
    title as folder_title,
    is_deleted,
    created_at,
    loaded_at as changed_at
from folders
