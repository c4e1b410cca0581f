with workouts as (
    select
        athlete,
        number,
        number % 4 as routine,
        record_id([athlete, number, 4]) as workout_id,
        day_of(number)
        + to_hours(cast(6 + hash(athlete) % 15 as integer))
        + to_minutes(cast(hash([athlete, number]) % 60 as integer)) as started_at,
        number % 10 <> 9 as is_planned
    from asked
),

performed as (
    select
        workouts.*,
        programme.* exclude (athlete, routine),
        case hash([athlete, number, exercise_index]) % 20
            when 0 then 3
            when 1 then 5
            else 4
        end as set_count
    from workouts
    inner join programme using (athlete, routine)
),

performed_sets as (
    select *, set_index = 0 as is_warmup, hash([athlete, number, exercise_index, set_index]) as x
    from performed, range(5) as numbered(set_index)
    where set_index < set_count
),

exercises as (
    select
        athlete,
        number,
        exercise_index,
        {
            'exercise_template_id': any_value(template_id),
            'index': exercise_index,
            'notes': '',
            'sets': list(
                {
                    'custom_metric': cast(null as json),
                    'distance_meters': cast(null as json),
                    'duration_seconds': if(is_timed, 45 + x % 30, null),
                    'index': set_index,
                    'reps': case when not is_timed then if(is_warmup, 10, 8 + x % 5) end,
                    'rpe': if(
                        x // 100 % 10 = 0, json_number(7 + x // 1000 % 6 / 2), null
                    ),
                    'type': if(is_warmup, 'warmup', 'normal'),
                    'weight_kg': case
                        when has_load
                            then json_number(stepped(
                                grown(base_kg, number)
                                * if(is_warmup, 0.5, 0.97 + x // 10000 % 7 / 100)
                            ))
                    end
                }
                order by set_index
            ),
            'superset_id': cast(null as json),
            'title': any_value(title)
        } as exercise
    from performed_sets
    group by athlete, number, exercise_index
),

lists as (
    select athlete, number, list(exercise order by exercise_index) as exercises
    from exercises
    group by athlete, number
),

described as (
    select
        workouts.*,
        athlete_id,
        record_id([athlete, routine]) as routine_id,
        exercises,
        started_at + to_minutes(cast(50 + hash(workout_id) % 20 as integer)) as ended_at
    from workouts
    inner join lists using (athlete, number)
    inner join athletes using (athlete)
)

select
    athlete_id,
    workout_id as record_id,
    cast(to_json({
        'created_at': stamp(ended_at),
        'description': '',
        'end_time': strftime(ended_at, '%Y-%m-%dT%H:%M:%S+00:00'),
        'exercises': exercises,
        'id': workout_id,
        'routine_id': if(is_planned, routine_id, null),
        'start_time': strftime(started_at, '%Y-%m-%dT%H:%M:%S+00:00'),
        'title': 'Day ' || (routine + 1),
        'updated_at': stamp(ended_at)
    }) as varchar) as payload,
    ended_at as updated_at,
    first_sync() + to_seconds(athlete) as loaded_at
from described
