"""Answers about the last workout: of all, with an exercise, or with a muscle."""

from collections.abc import Sequence
from datetime import date

from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Exercise, Training, sets_text
from orchestration.text.measures import day_text, name_text

_SETS = "fct_set"
_SESSIONS = "fct_exercise_session"

_LAST_SETS = """
    select * from fct_set
    where
        athlete_id = $1 and exercise_key = $2
        and workout_id = (
            select max_by(workout_id, started_at) from fct_exercise_session
            where athlete_id = $1 and exercise_key = $2
        )
    order by exercise_index, set_index
"""
_LAST_WORKOUT = """
    select * from fct_workout where athlete_id = $1 order by started_at desc limit 1
"""
_EXERCISES_OF_WORKOUT = """
    select exercises.exercise_type, sets.*
    from fct_set as sets
    inner join dim_exercise as exercises using (athlete_id, exercise_key)
    where athlete_id = $1 and workout_id = $2
    order by sets.exercise_index, sets.set_index
"""
_LAST_OF_MUSCLE = """
    select sessions.workout_id, sessions.workout_date, sessions.exercise_title,
        sessions.working_set_count, sessions.exercise_key
    from fct_exercise_session as sessions
    inner join dim_exercise as exercises using (athlete_id, exercise_key)
    where
        athlete_id = $1 and list_contains(string_split($2, ','), exercises.primary_muscle_group)
        and sessions.working_set_count > 0
    qualify sessions.started_at = max(sessions.started_at) over ()
    order by sessions.exercise_title
"""


def last_time(
    training: Training, exercise: Exercise | None = None, muscles: Sequence[str] = ()
) -> Answer:
    """Return the last workout, the last one with the exercise, or with one of the muscles."""
    draft = Draft("last_time")
    if muscles:
        return _last_of_muscles(draft, training, muscles)
    if exercise is None:
        return _last_workout(draft, training)
    found = training.rows(_LAST_SETS, exercise.key)
    if not found:
        return draft.nothing(f"You have not logged {exercise.title} yet.")
    first = found[0]
    key = {"workout_id": first["workout_id"], "exercise_key": exercise.key}
    day = draft.fact(_when(first["workout_date"], training.today), _SETS, key, "workout_date")
    done = sets_text(found, training.unit, exercise.exercise_type)
    shown = draft.fact(done, _SETS, key, "weight_kg, reps, rpe") if done else "no working set"
    draft.line(f"{exercise.title}, {day}: {shown}.")
    if any(row["is_typo_suspect"] for row in found):
        draft.line("A set of it looks like a typing error: `spotter correct list`.")
    return draft.answer()


def _last_workout(draft: Draft, training: Training) -> Answer:
    rows = training.rows(_LAST_WORKOUT)
    if not rows:
        return draft.nothing("There is no workout yet.")
    workout = rows[0]
    mart, key = "fct_workout", {"workout_id": workout["workout_id"]}
    day = draft.fact(_when(workout["workout_date"], training.today), mart, key, "workout_date")
    about = draft.fact(workout["title"], mart, key, "title")
    if workout["duration_s"] is not None:
        minutes = draft.fact(f"{workout['duration_s'] / 60:.0f} min", mart, key, "duration_s")
        about += f", {minutes}"
    draft.line(f"{day}: {about}.")
    sets = training.rows(_EXERCISES_OF_WORKOUT, workout["workout_id"])
    for key_, title in dict.fromkeys((row["exercise_key"], row["exercise_title"]) for row in sets):
        own = [row for row in sets if row["exercise_key"] == key_]
        done = sets_text(own, training.unit, own[0]["exercise_type"])
        if done:
            of_sets = {**key, "exercise_key": key_}
            draft.line(f"  {title}: {draft.fact(done, _SETS, of_sets, 'weight_kg, reps, rpe')}")
    return draft.answer()


def _last_of_muscles(draft: Draft, training: Training, muscles: Sequence[str]) -> Answer:
    named = " or ".join(name_text(each).lower() for each in muscles)
    rows = training.rows(_LAST_OF_MUSCLE, ",".join(muscles))
    if not rows:
        return draft.nothing(f"No workout has an exercise for {named} yet.")
    key = {"workout_id": rows[0]["workout_id"]}
    day = draft.fact(_when(rows[0]["workout_date"], training.today), _SESSIONS, key, "workout_date")
    done = [
        f"{row['exercise_title']}, "
        + draft.fact(
            _sets(row["working_set_count"]),
            _SESSIONS,
            {**key, "exercise_key": row["exercise_key"]},
            "working_set_count",
        )
        for row in rows
    ]
    draft.line(f"{name_text(named)}, {day}: {'; '.join(done)}.")
    return draft.answer()


def _when(day: date, today: date) -> str:
    days = (today - day).days
    ago = {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")
    return f"{day_text(day)} ({ago})"


def _sets(count: int) -> str:
    return f"{count} set" if count == 1 else f"{count} sets"
