"""What an athlete says of the own history: what is recorded stays, what is told of it follows.

A correction is never changed; of several about one workout or set the latest counts.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

import duckdb

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
            now.astimezone(UTC).replace(tzinfo=None),
        ],
    )
