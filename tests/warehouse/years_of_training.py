"""Six years of one athlete's irregular training.

The same list of workouts is landed in the warehouse and evaluated by the tests in plain Python.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from random import Random

from tests.warehouse.payloads import at, exercise, lift, template, workout
from tests.warehouse.scratch import ScratchWarehouse

VETERAN = "veteran"
MUSCLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "bench press": ("chest", ("triceps", "shoulders")),
    "deadlift": ("glutes", ("hamstrings", "quadriceps", "lower_back", "upper_back", "lats")),
    "leg curl": ("hamstrings", ()),
    "squat": ("quadriceps", ("glutes", "hamstrings")),
    "pulldown": ("lats", ("biceps", "upper_back")),
    "row": ("upper_back", ("lats", "biceps", "upper_back")),
    "treadmill": ("cardio", ()),
}
_UNLISTED = "a lift that is not in the catalogue"
_FIRST_DAY = date(2020, 1, 4)
_LAST_DAY = date(2026, 2, 20)


@dataclass(frozen=True)
class DoneSet:
    """A performed set. `rpe` is None if it was not recorded."""

    exercise: str
    kind: str
    reps: int
    rpe: float | None

    @property
    def is_hard(self) -> bool:
        """Return whether it is a working set with repetitions, at RPE 7 or more or without one."""
        is_working = self.kind in ("normal", "failure")
        return is_working and self.reps > 0 and (self.rpe is None or self.rpe >= 7)


@dataclass(frozen=True)
class Session:
    """A workout, in UTC."""

    started_at: datetime
    sets: tuple[DoneSet, ...]

    @property
    def day(self) -> date:
        """Return the day on which it began."""
        return self.started_at.date()

    @property
    def week(self) -> date:
        """Return the Monday of that day's week."""
        return self.day - timedelta(days=self.day.weekday())


@cache
def sessions() -> tuple[Session, ...]:
    """Return all workouts, in order of time: some days have two, some months have none."""
    return tuple(_sessions(Random(7)))  # noqa: S311 - a test's seed


def land_years_of_training(warehouse: ScratchWarehouse, now: datetime) -> None:
    """Land the catalogue and all workouts."""
    catalogue = [
        template(title, primary_muscle_group=primary, secondary_muscle_groups=list(secondary))
        for title, (primary, secondary) in MUSCLES.items()
    ]
    workouts = [
        workout(
            f"session {number}",
            f"{session.started_at:%Y-%m-%d %H:%M}",
            [
                exercise(title, [lift(60, one.reps, one.kind, rpe=one.rpe) for one in performed])
                for title, performed in _by_exercise(session).items()
            ],
        )
        for number, session in enumerate(sessions())
    ]
    warehouse.land("hevy_exercise_templates", VETERAN, catalogue, now=now)
    warehouse.land("hevy_workouts", VETERAN, workouts, now=now)


def _sessions(random: Random) -> Iterator[Session]:
    day = _FIRST_DAY
    while day <= _LAST_DAY:
        starts = random.choice(((7 * 60,), (17 * 60 + 30,), (9 * 60, 18 * 60)))
        for minutes in starts:
            started_at = at(f"{day}") + timedelta(minutes=minutes)
            yield Session(started_at, tuple(_sets(random)))
        day += timedelta(days=random.choice((1, 2, 2, 3, 4, 9, random.randint(20, 70))))


def _sets(random: Random) -> Iterator[DoneSet]:
    for title in random.sample([*MUSCLES, _UNLISTED], k=3):
        for _ in range(random.randint(1, 6)):
            kind = random.choices(("normal", "warmup", "failure", "dropset"), (8, 2, 1, 1))[0]
            rpe = random.choice((None, None, 6, 7, 8.5, 10))
            yield DoneSet(title, kind, random.randint(0, 12), rpe)


def _by_exercise(session: Session) -> dict[str, list[DoneSet]]:
    performed: dict[str, list[DoneSet]] = {}
    for one in session.sets:
        performed.setdefault(one.exercise, []).append(one)
    return performed
