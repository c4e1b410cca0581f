"""Rows for the rules of memories, by days after a Monday."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from coach_agent.memory.evidence import (
    OpenSet,
    PainReport,
    PlannedExercise,
    PrecedingWorkout,
    TrainedWorkout,
)

MONDAY = date(2026, 3, 2)
LEG_PRESS = ("PRESS", "Leg Press")


def day(number: int) -> date:
    """Return a day by its number; 0 is a Monday."""
    return MONDAY + timedelta(days=number)


def planned(
    days: Iterable[int],
    outcome: Literal["done", "swapped", "skipped"],
    *,
    key: str = "SQUAT",
    instead: tuple[str, str] = LEG_PRESS,
    is_at_end: bool = False,
) -> tuple[PlannedExercise, ...]:
    """Return a planned exercise on several days."""
    return tuple(
        PlannedExercise(
            key=f"{key} {outcome} {number}",
            day=day(number),
            exercise_key=key,
            title=key.title(),
            outcome=outcome,
            is_at_end=is_at_end,
            instead=instead if outcome == "swapped" else None,
        )
        for number in days
    )


def open_sets(days: Iterable[int], *, rpe: float, extra: int) -> tuple[OpenSet, ...]:
    """Return open sets of the bench press on several days."""
    return tuple(
        OpenSet(f"{number} {rpe} {extra}", day(number), "BENCH", "Bench Press", rpe, extra)
        for number in days
    )


def pains(
    days: Iterable[int], *parts: str, preceding: Sequence[PrecedingWorkout] = ()
) -> tuple[PainReport, ...]:
    """Return check-ins with pain in these parts; each one has its own preceding workout, if any."""
    numbers = list(days)
    own = [(each,) for each in preceding] or [()] * len(numbers)
    return tuple(
        PainReport(f"check-in {number}", day(number), parts, before)
        for number, before in zip(numbers, own, strict=True)
    )


def workouts(
    days: Iterable[int], *, start: str = "18:00", minutes: float | None = 60
) -> tuple[TrainedWorkout, ...]:
    """Return workouts with the same start and duration."""
    hour, minute = map(int, start.split(":"))
    return tuple(
        TrainedWorkout(
            f"{number} {start}",
            datetime(*day(number).timetuple()[:3], hour, minute, tzinfo=UTC),
            minutes,
        )
        for number in days
    )
