"""Duration of a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.domain.constants.session import (
    DURATION_PERSONAL_MIN_N,
    DURATION_REPORT_BAND,
    DURATION_SEC_PER_REP,
)
from coach_agent.domain.plan import SessionMinutes


@dataclass(frozen=True)
class TimedSet:
    """The duration of a set: its repetitions or its seconds, and the rest after it in seconds."""

    reps: int | None
    duration_s: int | None
    rest_s: int


def session_minutes(
    sets: Sequence[TimedSet], personal_minutes_a_set: float | None, session_count: int
) -> SessionMinutes:
    """Return the minutes of the sets of a session, warm-ups included.

    `personal_minutes_a_set` over `session_count` sessions applies from 10 sessions on; before, each
    set takes 3.5 s per repetition, or its own seconds, and its rest.
    """
    band = DURATION_REPORT_BAND.value / 100
    basis: Literal["personal", "prior"] = "prior"
    minutes = sum(_seconds(each) for each in sets) / 60
    if personal_minutes_a_set is not None and session_count >= DURATION_PERSONAL_MIN_N.value:
        basis, minutes = "personal", personal_minutes_a_set * len(sets)
    return SessionMinutes(
        minutes=minutes, low=minutes * (1 - band), high=minutes * (1 + band), basis=basis
    )


def _seconds(each: TimedSet) -> float:
    work = (each.reps or 0) * DURATION_SEC_PER_REP.value + (each.duration_s or 0)
    return work + each.rest_s
