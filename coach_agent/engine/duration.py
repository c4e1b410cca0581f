"""Duration of a session."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.domain.constants.session import (
    DURATION_PERSONAL_MIN_N,
    DURATION_REPORT_BAND,
    DURATION_SEC_PER_REP,
    REST_WARMUP,
)
from coach_agent.domain.plan import SessionMinutes, SetPrescription, SlotPrescription


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


def minutes_of(
    slots: Iterable[SlotPrescription], minutes_a_set: float | None, paced_workouts: int
) -> SessionMinutes:
    """Return the duration of a workout, at the athlete's own pace if known."""
    sets = [
        TimedSet(each.reps or each.rep_range_start, each.duration_s, _rest_after(slot, each))
        for slot in slots
        for each in slot.sets
    ]
    return session_minutes(sets, minutes_a_set, paced_workouts)


def rest_of(slot: SlotPrescription) -> int:
    """Return the rest between the sets of an exercise in seconds: the routine's, by default the
    advised one.
    """
    return slot.advised_rest_s or 0 if slot.rest_s is None else slot.rest_s


def _rest_after(slot: SlotPrescription, done: SetPrescription) -> int:
    rest = rest_of(slot)
    is_short = done.set_type == "warmup" and slot.rest_s is None
    return min(rest, REST_WARMUP.value) if is_short else rest


def _seconds(each: TimedSet) -> float:
    work = (each.reps or 0) * DURATION_SEC_PER_REP.value + (each.duration_s or 0)
    return work + each.rest_s
