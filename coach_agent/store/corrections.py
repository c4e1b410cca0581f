"""Corrections of the athlete's own history. Recorded data stays; derived data follows.

A correction is never changed; the latest one of a workout or set counts.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import uuid4

import duckdb

from coach_agent.domain.units import Unit, load_text
from coach_agent.domain.values import naive_utc

Action = Literal["exclude_workout", "include_workout", "accept_set", "doubt_set"]
"""Exclude or include a workout; accept a set, or mark it as a typing error."""


class CorrectionError(Exception):
    """A correction without a subject or without an effect; the message has the next step."""


@dataclass(frozen=True)
class Done:
    """The recorded values of a set; None is not recorded.

    Load (kg), repetitions, distance (m), duration (s), and floors or steps.
    """

    weight_kg: float | None = None
    reps: int | None = None
    distance_m: float | None = None
    duration_s: int | None = None
    custom_metric: float | None = None

    def text(self, unit: Unit) -> str:
        """Format the set for people: `100 kg × 5`, `135 lb × 5`, `20 kg, 60 s`."""
        load = "" if self.weight_kg is None else load_text(self.weight_kg, unit)
        reps = "" if self.reps is None else f"× {self.reps}" if load else f"{self.reps} reps"
        others = ((self.distance_m, "m"), (self.duration_s, "s"), (self.custom_metric, "times"))
        amounts = [f"{amount:g} {unit}" for amount, unit in others if amount is not None]
        return ", ".join(text for text in (f"{load} {reps}".strip(), *amounts) if text) or "nothing"


@dataclass(frozen=True)
class Correction:
    """A correction of a workout, or of the set at `place`: indexes of exercise and set.

    A correction of a set stores the recorded values: once the set is edited, it is checked again.
    """

    athlete_id: str
    workout_id: str
    action: Action
    reason: str
    place: tuple[int, int] | None = None
    done: Done = Done()

    def __post_init__(self) -> None:
        """Raise ValueError for a set without a place, or a workout with one."""
        if self.action.endswith("_set") != (self.place is not None):
            raise ValueError(f"{self.action} with place {self.place}")


def record_correction(
    con: duckdb.DuckDBPyConnection, correction: Correction, *, now: datetime
) -> None:
    """Insert a correction, given at the aware time `now`."""
    exercise_index, set_index = correction.place or (None, None)
    row = {
        "correction_id": str(uuid4()),
        "athlete_id": correction.athlete_id,
        "workout_id": correction.workout_id,
        "exercise_index": exercise_index,
        "set_index": set_index,
        "action": correction.action,
        **vars(correction.done),
        "reason": correction.reason,
        "corrected_at": naive_utc(now),
    }
    con.execute(
        """
        insert into coach.corrections by name
        select
            $correction_id as correction_id, $athlete_id as athlete_id,
            $workout_id as workout_id, $exercise_index as exercise_index, $set_index as set_index,
            $action as action, $weight_kg as weight_kg, $reps as reps, $distance_m as distance_m,
            $duration_s as duration_s, $custom_metric as custom_metric, $reason as reason,
            $corrected_at as corrected_at
        """,
        row,
    )


@dataclass(frozen=True)
class DoubtedSet:
    """A set that is excluded from records.

    `usual_weight_kg` and `usual_reps` are the usual values that its load or repetitions differ
    from; None if they do not. Both are None if only the athlete doubts the set.
    """

    set_key: str
    workout_date: date
    exercise_title: str
    done: Done
    usual_weight_kg: float | None
    usual_reps: float | None


def read_doubted_sets(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[DoubtedSet]:
    """Return the doubted sets, newest first."""
    rows = con.execute(
        """
        select
            set_key, workout_date, exercise_title, usual_weight_kg, usual_reps,
            doubted.weight_kg, doubted.reps, distance_m, duration_s, custom_metric
        from marts.fct_set as doubted
        left join intermediate.int_typo_suspects
            using (athlete_id, workout_id, exercise_index, set_index)
        where athlete_id = $1 and is_typo_suspect
        order by started_at desc, exercise_index, set_index
        """,
        [athlete_id],
    ).fetchall()
    return [
        DoubtedSet(set_key, day, title, Done(*done), usual_kg, usual_reps)
        for set_key, day, title, usual_kg, usual_reps, *done in rows
    ]


def doubted_sets_of(
    con: duckdb.DuckDBPyConnection, athlete_id: str, exercise: str, until: date | None, reason: str
) -> list[Correction]:
    """Build corrections that accept each doubted set of an exercise, up to a day.

    `exercise` is its key, or its title in any case, of the catalogue or as recorded: a renamed
    exercise has several. Sets that the athlete marked as an error stay so.

    Raises:
        CorrectionError: no set of the exercise is doubted.
    """
    rows = con.execute(
        """
        with meant as (
            select exercise_key from marts.dim_exercise
            where athlete_id = $1 and lower(title) = lower($2)
            union
            select exercise_key from marts.fct_set
            where
                athlete_id = $1
                and (exercise_key = $2 or lower(exercise_title) = lower($2))
        )

        select set_key from marts.fct_set
        semi join meant using (exercise_key)
        where
            athlete_id = $1 and is_typo_suspect and is_confirmed is null
            and workout_date <= coalesce($3, workout_date)
        order by started_at, exercise_index, set_index
        """,
        [athlete_id, exercise, until],
    ).fetchall()
    if not rows:
        raise CorrectionError(
            f"No set of '{exercise}' is doubted{f' until {until}' if until else ''}. "
            "See: spotter correct list"
        )
    return [of_set(con, set_key, "accept_set", reason) for (set_key,) in rows]


def read_corrections(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[Correction]:
    """Return the athlete's corrections, oldest first."""
    rows = con.execute(
        """
        select
            workout_id, action, reason, exercise_index, set_index,
            weight_kg, reps, distance_m, duration_s, custom_metric
        from coach.corrections where athlete_id = $1
        order by corrected_at, correction_id
        """,
        [athlete_id],
    ).fetchall()
    return [
        Correction(
            athlete_id,
            workout_id,
            action,
            reason,
            None if exercise_index is None else (exercise_index, set_index),
            Done(*done),
        )
        for workout_id, action, reason, exercise_index, set_index, *done in rows
    ]


def of_workout(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    workout_id: str,
    action: Literal["exclude_workout", "include_workout"],
    reason: str,
) -> Correction:
    """Build a correction of a recorded workout.

    Raises:
        CorrectionError: there is no such workout, or the correction would change nothing.
    """
    rows = con.execute(
        """
        select action
        from (select 1 from raw.hevy_workouts where athlete_id = $1 and record_id = $2 limit 1)
        left join (
            select action from coach.corrections
            where athlete_id = $1 and workout_id = $2 and set_index is null
            order by corrected_at desc, correction_id desc limit 1
        ) on true
        """,
        [athlete_id, workout_id],
    ).fetchall()
    if not rows:
        raise CorrectionError(
            f"'{athlete_id}' has no workout '{workout_id}'. Its id is the workout_id in the mart "
            "fct_workout."
        )
    is_excluded = rows[0][0] == "exclude_workout"
    if is_excluded == (action == "exclude_workout"):
        state = "left out already" if is_excluded else "not left out"
        raise CorrectionError(f"The workout '{workout_id}' is {state}; nothing was changed.")
    return Correction(athlete_id, workout_id, action, reason)


def of_set(
    con: duckdb.DuckDBPyConnection,
    set_key: str,
    action: Literal["accept_set", "doubt_set"],
    reason: str,
) -> Correction:
    """Build a correction of a set as recorded now, doubted or not.

    Raises:
        CorrectionError: there is no such set, or the correction would change nothing.
    """
    rows = con.execute(
        """
        select
            athlete_id, workout_id, exercise_index, set_index, is_confirmed,
            weight_kg, reps, distance_m, duration_s, custom_metric
        from marts.fct_set where set_key = $1
        """,
        [set_key],
    ).fetchall()
    if not rows:
        raise CorrectionError(f"There is no set '{set_key}'. See: spotter correct list")
    athlete_id, workout_id, exercise_index, set_index, is_confirmed, *done = rows[0]
    if is_confirmed == (action == "accept_set"):
        state = "real" if is_confirmed else "a typing error"
        raise CorrectionError(f"The set '{set_key}' is already corrected as {state}.")
    place = (exercise_index, set_index)
    return Correction(athlete_id, workout_id, action, reason, place, Done(*done))
