"""What an athlete says of the own history: what is recorded stays, what is told of it follows.

A correction is never changed; of several about one workout or set the latest counts.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import uuid4

import duckdb

from coach_agent.values import naive_utc

Action = Literal["exclude_workout", "include_workout", "accept_set", "doubt_set"]
"""Leave a workout out or take it in again; believe a set, or call it a typing error."""

TABLE = """
    create table if not exists coach.corrections (
        correction_id varchar primary key,
        athlete_id varchar not null,
        workout_id varchar not null,
        exercise_index integer,
        set_index integer,
        action varchar not null,
        weight_kg double,
        reps integer,
        reason varchar not null,
        corrected_at timestamp not null
    )
"""


class CorrectionError(Exception):
    """What is to be corrected is not there; the text says where to look."""


@dataclass(frozen=True)
class Correction:
    """What is said of a workout, or of the set at `place`: the exercise's and the set's index.

    A word about a set goes with the load (kg) and the repetitions that it had: once the set is
    edited it is judged anew.
    """

    athlete_id: str
    workout_id: str
    action: Action
    reason: str
    place: tuple[int, int] | None = None
    weight_kg: float | None = None
    reps: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a set without a place, or a workout with one."""
        if self.action.endswith("_set") != (self.place is not None):
            raise ValueError(f"{self.action} with place {self.place}")


def record_correction(
    con: duckdb.DuckDBPyConnection, correction: Correction, *, now: datetime
) -> None:
    """Keep a correction, given at the aware time `now`."""
    exercise_index, set_index = correction.place or (None, None)
    con.execute(
        "insert into coach.corrections values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        [
            str(uuid4()),
            correction.athlete_id,
            correction.workout_id,
            exercise_index,
            set_index,
            correction.action,
            correction.weight_kg,
            correction.reps,
            correction.reason,
            naive_utc(now),
        ],
    )


@dataclass(frozen=True)
class DoubtedSet:
    """A set that counts in no record, with the median that its maximum is far from (kg)."""

    set_key: str
    workout_date: date
    exercise_title: str
    weight_kg: float
    reps: int
    e1rm_kg: float
    median_e1rm_kg: float | None


def read_doubted_sets(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[DoubtedSet]:
    """The sets that are doubted, newest first."""
    rows = con.execute(
        """
        select
            set_key, workout_date, exercise_title, doubted.weight_kg, doubted.reps, e1rm_kg,
            median_e1rm_kg
        from marts.fct_set as doubted
        left join intermediate.int_typo_suspects
            using (athlete_id, workout_id, exercise_index, set_index)
        where athlete_id = $1 and is_typo_suspect
        order by started_at desc, exercise_index, set_index
        """,
        [athlete_id],
    ).fetchall()
    return [DoubtedSet(*row) for row in rows]


def read_corrections(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[Correction]:
    """What the athlete said so far, in that order."""
    rows = con.execute(
        """
        select workout_id, action, reason, exercise_index, set_index, weight_kg, reps
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
            weight_kg,
            reps,
        )
        for workout_id, action, reason, exercise_index, set_index, weight_kg, reps in rows
    ]


def of_workout(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    workout_id: str,
    action: Literal["exclude_workout", "include_workout"],
    reason: str,
) -> Correction:
    """A correction of a workout that the athlete recorded.

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
    """A correction of a set as it is recorded now.

    Raises:
        CorrectionError: there is no such set, or the correction would change nothing.
    """
    rows = con.execute(
        """
        select
            athlete_id, workout_id, exercise_index, set_index, weight_kg, reps, is_typo_suspect
        from marts.fct_set where set_key = $1
        """,
        [set_key],
    ).fetchall()
    if not rows:
        raise CorrectionError(f"There is no set '{set_key}'. See: spotter correct list")
    athlete_id, workout_id, exercise_index, set_index, weight_kg, reps, is_doubted = rows[0]
    if is_doubted == (action == "doubt_set"):
        state = "doubted already" if is_doubted else "not doubted"
        raise CorrectionError(f"The set '{set_key}' is {state}; nothing was changed.")
    place = (exercise_index, set_index)
    return Correction(athlete_id, workout_id, action, reason, place, weight_kg, reps)
