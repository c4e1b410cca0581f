with versions as (
    select
        athlete,
        routine,
        version,
        cast(version * $each // (2 + hash([athlete, routine]) % 2) as integer) as begins_with
    from (select distinct athlete, routine from programme), range(3) as numbered(version)
    where
        version < 2 + hash([athlete, routine]) % 2
        and athlete >= $first
        and athlete < $end
),

planned_sets as (
    select
        programme.*,
        version,
        begins_with,
        day_of(begins_with) + interval 3 hours as updated_at,
        set_index,
        set_index = 0 as is_warmup,
        stepped(grown(base_kg, begins_with) * if(set_index = 0, 0.5, 1)) as kg
    from programme
    inner join versions using (athlete, routine), range(4) as numbered(set_index)
),

exercises as (
    select
        athlete,
        athlete_id,
        routine,
        routine_id,
        version,
        updated_at,
        exercise_index,
        {
            'exercise_template_id': template_id,
            'index': exercise_index,
            'notes': '',
            'rest_seconds': 120,
            'sets': list(
                {
                    'custom_metric': cast(null as json),
                    'distance_meters': cast(null as json),
                    'duration_seconds': if(is_timed, 60, null),
                    'index': set_index,
                    'rep_range': if(
                        is_timed or is_warmup, null, {'end': 12, 'start': 8}
                    ),
                    'reps': if(is_warmup and not is_timed, 10, null),
                    'type': if(is_warmup, 'warmup', 'normal'),
                    'weight_kg': if(has_load, json_number(kg), null)
                }
                order by set_index
            ),
            'superset_id': cast(null as json),
            'title': title
        } as exercise
    from planned_sets
    group by
        athlete, athlete_id, routine, routine_id, version, updated_at, exercise_index,
        template_id, title
),

routines as (
    select
        athlete,
        athlete_id,
        routine_id,
        updated_at,
        cast(to_json({
            'created_at': stamp(first_day()),
            'exercises': list(exercise order by exercise_index),
            'folder_id': cast(null as json),
            'id': routine_id,
            'notes': '',
            'title': 'Day ' || (routine + 1),
            'updated_at': stamp(updated_at)
        }) as varchar) as payload
    from exercises
    group by athlete, athlete_id, routine, routine_id, version, updated_at
)

select
    athlete_id,
    routine_id as record_id,
    payload,
    updated_at,
    updated_at + interval 1 hour + to_seconds(athlete) as loaded_at
from routines
