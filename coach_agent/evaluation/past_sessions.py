"""The sessions of a log in the schema of the coach's context."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from coach_agent.domain.context import ExposureSet
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.planning.between_sets import ExerciseFacts
from hevy_connector.schemas import Workout, WorkoutSet

FactsOf = Callable[[str], ExerciseFacts | None]
"""The facts of an exercise by its title; None for one without a catalogue entry."""


@dataclass(frozen=True)
class Done:
    """An exercise of a session, as fields of a `Place`, and its sets."""

    exercise: Mapping[str, Any]
    occurrence: int
    superset_id: int | None
    sets: tuple[ExposureSet, ...]

    @property
    def key(self) -> tuple[str, int]:
        """The unique key within the places of a session."""
        return self.exercise["exercise_template_id"], self.occurrence

    @property
    def working(self) -> tuple[ExposureSet, ...]:
        """The sets without warm-ups and drop sets."""
        return tuple(each for each in self.sets if each.set_type in WORKING_TYPES)


@dataclass(frozen=True)
class Session:
    """A done workout. Times are aware UTC; `minutes` is None without an end,
    `routine_id` in a file.

    `known_at`: when the result was known, at the end or at the creation of the record.
    """

    workout_id: str
    title: str
    started_at: datetime
    known_at: datetime
    minutes: float | None
    done: tuple[Done, ...]
    routine_id: str | None = None

    @property
    def set_count(self) -> int:
        """The number of all its sets, including warm-ups."""
        return sum(len(each.sets) for each in self.done)

    @cached_property
    def exercises(self) -> frozenset[str]:
        """The ids of its exercises."""
        return frozenset(each.exercise["exercise_template_id"] for each in self.done)


def sessions_of(workouts: Iterable[Workout], facts_of: FactsOf) -> tuple[Session, ...]:
    """Return the sessions of these workouts, oldest first."""
    sessions = (_session(each, facts_of) for each in workouts)
    return tuple(sorted(sessions, key=lambda each: (each.started_at, each.workout_id)))


def known_at(workout: Workout) -> datetime:
    """Return the time from which a workout was known."""
    times = (workout.start_time, workout.end_time, workout.created_at)
    return max(each for each in times if each is not None)


def exercise_id(title: str, template_id: str | None, facts: ExerciseFacts | None) -> str:
    """Return the id of an exercise: its template's, otherwise one of its catalogue title."""
    return template_id or f"title:{normalize_title(title if facts is None else facts.title)}"


def done_sets(sets: Iterable[WorkoutSet]) -> tuple[ExposureSet, ...]:
    """Return the sets of an exercise in order, without a plan."""
    return tuple(
        ExposureSet(
            set_index=index,
            set_type=done.type,
            weight_kg=done.weight_kg,
            reps=done.reps,
            duration_s=done.duration_seconds,
            distance_m=None if done.distance_meters is None else round(done.distance_meters),
            rpe=done.rpe,
        )
        for index, done in enumerate(sets)
    )


def _session(workout: Workout, facts_of: FactsOf) -> Session:
    seen: Counter[str] = Counter()
    exercises = []
    for each in workout.exercises:
        exercise = _exercise(each.title, each.exercise_template_id, facts_of)
        seen[exercise["exercise_template_id"]] += 1
        sets = done_sets(each.sets)
        occurrence = seen[exercise["exercise_template_id"]]
        exercises.append(Done(exercise, occurrence, each.superset_id, sets))
    minutes = (
        None
        if workout.end_time is None
        else (workout.end_time - workout.start_time).total_seconds() / 60
    )
    return Session(
        workout_id=workout.id,
        title=workout.title,
        started_at=workout.start_time,
        known_at=known_at(workout),
        minutes=minutes,
        done=tuple(exercises),
        routine_id=workout.routine_id,
    )


def _exercise(title: str, template_id: str | None, facts_of: FactsOf) -> Mapping[str, Any]:
    """Return an exercise by its title, from the catalogue or as the athlete's own."""
    facts = facts_of(title)
    return {
        "exercise_template_id": exercise_id(title, template_id, facts),
        "exercise_title": title,
        "exercise_type": None if facts is None else facts.exercise_type,
        "equipment": None if facts is None else facts.equipment,
        "primary_muscle_group": None if facts is None else facts.primary_muscle_group,
        "secondary_muscle_groups": () if facts is None else facts.secondary_muscle_groups,
    }
