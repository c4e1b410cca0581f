"""Planned and performed training as plain values: input of the oracle and of the warehouse.

Times are minutes of a synthetic calendar, so that the order of events is visible. Loads and metrics
are decimals, which add up exactly.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Decimal

from orchestration.dbt.runner import DBT_PROJECT_DIR

RepRange = tuple[int | None, int | None]


@dataclass(frozen=True)
class TrainingSet:
    """A planned set, which may have a range, or a performed one, which may have an RPE.

    Load in kg (help, for assisted exercises), duration in s, distance in m. None is no target in a
    plan and no record in a workout.
    """

    kind: str = "normal"
    weight_kg: Decimal | None = None
    reps: int | None = None
    rep_range: RepRange | None = None
    duration_s: Decimal | None = None
    distance_m: Decimal | None = None
    custom_metric: Decimal | None = None
    rpe: Decimal | None = None

    def __str__(self) -> str:
        told = [
            f"{field.name}={_bare(getattr(self, field.name))}"
            for field in fields(self)
            if field.name != "kind" and getattr(self, field.name) is not None
        ]
        return " ".join([self.kind, *told])


@dataclass(frozen=True)
class Exercise:
    """An exercise with its sets; in a workout from a file it has only a title."""

    template_id: str | None
    title: str
    sets: tuple[TrainingSet, ...]
    superset_id: int | None = None


@dataclass(frozen=True)
class Template:
    """An exercise of the athlete's catalogue."""

    template_id: str
    title: str
    kind: str = "weight_reps"
    muscle_group: str | None = None
    is_custom: bool = False
    is_deleted: bool = False


with (DBT_PROJECT_DIR / "seeds" / "built_in_exercises.csv").open(encoding="utf-8") as _seed:
    BUILT_IN = {
        row["id"]: Template(row["id"], row["title"], row["type"], row["primary_muscle_group"])
        for row in csv.DictReader(_seed)
    }
"""The exercises that every account has, by id."""


@dataclass(frozen=True)
class Version:
    """A landed row of a routine: its content, or its deletion.

    `stamped_at` is the vendor's time of change, `effective_at` the time at which we published it.
    """

    routine_id: str
    landed_at: int
    title: str | None
    exercises: tuple[Exercise, ...]
    stamped_at: int | None = None
    effective_at: int | None = None
    is_deleted: bool = False


@dataclass(frozen=True)
class Workout:
    """A performed workout; one from a file names no routine and no templates."""

    workout_id: str
    started_at: int
    routine_id: str | None
    title: str | None
    exercises: tuple[Exercise, ...]
    is_from_file: bool = False


@dataclass(frozen=True)
class History:
    """All data of one athlete in the warehouse. Versions are in the order of landing.

    `complete_reads` are the times of complete reads of all routines.
    """

    catalogue: tuple[Template, ...]
    versions: tuple[Version, ...]
    workouts: tuple[Workout, ...]
    complete_reads: tuple[int, ...] = ()

    @property
    def routine_ids(self) -> list[str]:
        return sorted({version.routine_id for version in self.versions})

    def versions_of(self, routine_id: str) -> list[Version]:
        return [version for version in self.versions if version.routine_id == routine_id]

    def template(self, template_id: str | None) -> Template | None:
        """Return the athlete's own template, or a built-in one."""
        own = (one for one in self.catalogue if one.template_id == template_id)
        return next(own, BUILT_IN.get(template_id or ""))

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(history: History) -> Iterator[str]:
    yield "catalogue"
    for template in history.catalogue:
        marks = ["custom"] * template.is_custom + ["deleted"] * template.is_deleted
        yield (
            f"  {template.template_id!r} {template.title!r} {template.kind}"
            f" of {template.muscle_group} {' '.join(marks)}".rstrip()
        )
    yield f"all routines read at {list(history.complete_reads)}"
    for version in sorted(history.versions, key=lambda one: (one.routine_id, one.landed_at)):
        yield (
            f"routine {version.routine_id!r} landed at {version.landed_at}"
            f" stamped {version.stamped_at} published {version.effective_at}"
            f" {'DELETED' if version.is_deleted else repr(version.title)}"
        )
        if not version.is_deleted:
            yield from _exercise_lines(version.exercises)
    for workout in history.workouts:
        yield (
            f"workout {workout.workout_id!r} at {workout.started_at}"
            f" routine {workout.routine_id!r} {workout.title!r}"
            f"{' from a file' * workout.is_from_file}"
        )
        yield from _exercise_lines(workout.exercises)


def _exercise_lines(exercises: tuple[Exercise, ...]) -> Iterator[str]:
    for index, exercise in enumerate(exercises):
        sets = "; ".join(str(one) for one in exercise.sets)
        yield f"  {index} {exercise.template_id!r} {exercise.title!r}: {sets}"


def _bare(value: object) -> str:
    return (
        "..".join("" if end is None else str(end) for end in value)
        if isinstance(value, tuple)
        else str(value)
    )
