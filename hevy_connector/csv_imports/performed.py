"""A performed workout in comparable form: times, titles and the numbers of its sets.

Two sources describe one workout with different words and slightly different numbers. The account
has full floats and seconds. An export has minutes, two decimals of its own unit, titles in the
language of the app, and 0 for missing values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from pydantic import BaseModel

from hevy_connector.schemas.reading import UtcTime

# Two exports that each round to 0.01, one in kg and one in lb, are up to 0.0073 kg apart; the rest
# is for apps that convert with a factor of fewer digits. The smallest plates differ by 0.25 kg.
WEIGHT_TOLERANCE_KG = 0.02
# The same for 0.01 km and 0.01 miles: up to 5 m and 8.05 m.
DISTANCE_TOLERANCE_M = 14.0

MINUTE = timedelta(minutes=1)


class SetNumbers(NamedTuple):
    """Recorded numbers of one set; 0 is not recorded. Set type and RPE are not compared."""

    weight_kg: float
    reps: int
    distance_m: float
    duration_s: int

    def is_close_to(self, other: "SetNumbers") -> bool:
        """Return whether both can be the same set, rounded differently."""
        return (
            self.reps == other.reps
            and self.duration_s == other.duration_s
            and abs(self.weight_kg - other.weight_kg) <= WEIGHT_TOLERANCE_KG
            and abs(self.distance_m - other.distance_m) <= DISTANCE_TOLERANCE_M
        )


@dataclass(frozen=True)
class PerformedExercise:
    """One exercise of a workout with its sets in order."""

    title: str
    sets: tuple[SetNumbers, ...]


@dataclass(frozen=True)
class Performed:
    """One performed workout; times are aware, `end_at` is None if the source lacks it."""

    id: str
    start_at: datetime
    end_at: datetime | None
    title: str
    exercises: tuple[PerformedExercise, ...]

    @classmethod
    def from_payload(cls, record_id: str, payload: str) -> "Performed":
        """Parse the workout of a raw record: JSON as in the API."""
        workout = _RawWorkout.model_validate_json(payload)
        return cls(
            id=record_id,
            start_at=workout.start_time,
            end_at=workout.end_time,
            title=_plain(workout.title),
            exercises=tuple(
                PerformedExercise(_plain(exercise.title), tuple(map(_numbers, exercise.sets or ())))
                for exercise in workout.exercises or ()
            ),
        )

    @cached_property
    def sets(self) -> tuple[SetNumbers, ...]:
        """Return all sets in order, without exercises: those may be renamed or regrouped."""
        return tuple(one for exercise in self.exercises for one in exercise.sets)

    @cached_property
    def shape(self) -> tuple[tuple[int, int], ...]:
        """Return the content that rounding does not change: equal for equal workouts."""
        return tuple((one.reps, one.duration_s) for one in self.sets)

    @property
    def has_numbers(self) -> bool:
        """Return whether any number can identify the workout."""
        return any(any(one) for one in self.sets)

    @property
    def duration(self) -> timedelta | None:
        """Return the duration, or None if it is unknown."""
        return None if self.end_at is None else self.end_at - self.start_at


@dataclass(frozen=True)
class Similarity:
    """Agreement of two workouts apart from their times."""

    is_same_title: bool
    is_same_duration: bool
    same_exercise_titles: int
    are_exercise_titles_equal: bool

    @classmethod
    def of(cls, one: Performed, other: Performed) -> "Similarity":
        """Compare two workouts; an unknown duration on one side counts as different."""
        titles = [exercise.title for exercise in one.exercises]
        other_titles = [exercise.title for exercise in other.exercises]
        return cls(
            is_same_title=one.title == other.title,
            is_same_duration=(
                one.duration is not None
                and other.duration is not None
                and abs(one.duration - other.duration) < MINUTE
            ),
            same_exercise_titles=sum(map(str.__eq__, titles, other_titles)),
            are_exercise_titles_equal=titles == other_titles,
        )

    @property
    def score(self) -> int:
        """Return a sort key: higher for more agreement."""
        return 2 * self.is_same_title + 2 * self.is_same_duration + self.same_exercise_titles


def is_same_content(one: Performed, other: Performed) -> bool:
    """Return whether both have the same sequence of sets, whatever the exercise names."""
    return one.shape == other.shape and all(map(SetNumbers.is_close_to, one.sets, other.sets))


def counterparts(one: Performed, other: Performed) -> list[int | None]:
    """Map each set of one workout to the index of its own equal set in the other, in any order."""
    unpaired = dict(enumerate(other.sets))
    places = []
    for performed in one.sets:
        place = next((at for at, rest in unpaired.items() if performed.is_close_to(rest)), None)
        if place is not None:
            del unpaired[place]
        places.append(place)
    return places


def equal_set_count(one: Performed, other: Performed) -> int:
    """Count the sets of one workout that have their own counterpart in the other."""
    return sum(place is not None for place in counterparts(one, other))


class _RawSet(BaseModel):
    weight_kg: float | None = None
    reps: int | None = None
    distance_meters: float | None = None
    duration_seconds: int | None = None


class _RawExercise(BaseModel):
    title: str
    sets: Sequence[_RawSet] | None


class _RawWorkout(BaseModel):
    """The compared fields of a raw workout, so that every landed version can be parsed."""

    title: str
    start_time: UtcTime
    end_time: UtcTime | None = None
    exercises: Sequence[_RawExercise] | None


def _numbers(performed: _RawSet) -> SetNumbers:
    return SetNumbers(
        weight_kg=performed.weight_kg or 0.0,
        reps=performed.reps or 0,
        distance_m=performed.distance_meters or 0.0,
        duration_s=performed.duration_seconds or 0,
    )


def _plain(title: str) -> str:
    """Exports trim titles, the account keeps the typed blanks."""
    return " ".join(title.split())
