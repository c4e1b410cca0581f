"""Session RPE: the effort of a whole workout on the CR10 scale, recorded after it.

It is stored apart from check-ins, because no plan reads it. `int_workouts_exerted` finds the
workout. Source: Foster et al. 2001, J Strength Cond Res 15:109-115.
"""

from uuid import uuid4

import duckdb
from pydantic import Field

from coach_agent.domain.values import Value, naive_utc
from hevy_connector.schemas import UtcTime

LOWEST, HIGHEST = 0, 10
"""The ends of the CR10 scale: rest, and maximal effort."""


class SessionRpe(Value):
    """The effort of the workout that the athlete started last before `recorded_at`."""

    recorded_at: UtcTime
    session_rpe: float = Field(ge=LOWEST, le=HIGHEST)


def is_session_rpe(value: float) -> bool:
    """Return whether a number is on the scale; NaN is not."""
    return LOWEST <= value <= HIGHEST


def record_session_rpe(
    con: duckdb.DuckDBPyConnection, athlete_id: str, recorded: SessionRpe
) -> None:
    """Insert a session RPE."""
    con.execute(
        "insert into coach.session_rpes values ($1, $2, $3, $4)",
        [str(uuid4()), athlete_id, naive_utc(recorded.recorded_at), recorded.session_rpe],
    )
