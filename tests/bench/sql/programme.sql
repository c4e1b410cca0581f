create temp table programme as
with trained as (
    select *, row_number() over (order by template_id) - 1 as place, count(*) over () as places
    from catalogue
    where exercise_type in $trained_types
),

positions as (
    select athlete, athlete_id, routine, exercise_index
    from athletes, range(4) as routines(routine), range(6) as exercises(exercise_index)
)

select
    athlete,
    athlete_id,
    routine,
    exercise_index,
    template_id,
    title,
    contains(exercise_type, 'weight') as has_load,
    exercise_type = 'duration' as is_timed,
    20 + 80 * chance([athlete, routine, exercise_index]) as base_kg,
    record_id([athlete, routine]) as routine_id
from positions
inner join trained on place = (athlete * 7 + routine * 6 + exercise_index) % places
