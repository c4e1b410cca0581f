"""Invented training logs."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from coach_agent.evaluation.exposures import TrainingLog, training_log
from hevy_connector.schemas import Workout
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
)

FIRST_DAY = datetime(2025, 1, 6, 18, tzinfo=UTC)
BENCH, SQUAT = "Bench Press (Barbell)", "Squat (Barbell)"

Done = tuple[float | None, int | None] | tuple[float | None, int | None, str]
"""Kilograms, repetitions and, where it is not "normal", the type of the set."""
RPE_TYPE = "rpe "


def workout(
    day: float, exercises: Mapping[str, Sequence[Done]], *, minutes: float = 60, created: float = 0
) -> Workout:
    """Build a workout in days after the first one; `created` is the day of its record.

    A type that begins with "rpe " states one: (100, 5, "rpe 9").
    """
    start = FIRST_DAY + timedelta(days=day)
    return Workout.model_validate(
        {
            "id": f"day-{day:g}",
            "title": "Training",
            "start_time": start,
            "end_time": start + timedelta(minutes=minutes),
            "created_at": FIRST_DAY + timedelta(days=created) if created else None,
            "exercises": [
                {
                    "index": index,
                    "title": title,
                    "sets": [_set(place, *each) for place, each in enumerate(sets)],
                }
                for index, (title, sets) in enumerate(exercises.items())
            ],
        }
    )


def _set(
    index: int, weight_kg: float | None, reps: int | None, kind: str = "normal"
) -> dict[str, object]:
    is_rated = kind.startswith(RPE_TYPE)
    return {
        "index": index,
        "type": "normal" if is_rated else kind,
        "weight_kg": weight_kg,
        "reps": reps,
        "rpe": float(kind.removeprefix(RPE_TYPE)) if is_rated else None,
    }


def log(*workouts: Workout, lifter: str = "me") -> TrainingLog:
    return training_log(lifter, "0" * 64, workouts, built_in_exercise)


def bench_log(tops: Sequence[tuple[float, int]], *, every: float = 7) -> TrainingLog:
    """One top set of bench press in each session."""
    return log(*(workout(every * place, {BENCH: [top]}) for place, top in enumerate(tops)))


def invented_export(seed: int = 3, *, sessions: int = 150) -> str:
    """An export of Hevy with warm-ups, drop sets, typing errors, gaps, help and own exercises."""
    drawn = random.Random(seed)  # noqa: S311 - the same log each time
    lines = [
        '"title","start_time","end_time","description","exercise_title","superset_id",'
        '"exercise_notes","set_index","set_type","weight_kg","reps","distance_km",'
        '"duration_seconds","rpe"'
    ]
    at = FIRST_DAY
    for session in range(sessions):
        at += timedelta(days=drawn.choice([2, 3, 4, 40 if session % 50 == 49 else 2]))
        times = (f"{each:%-d %b %Y, %H:%M}" for each in (at, at + timedelta(minutes=70)))
        head = ",".join(f'"{each}"' for each in ("A", *times))
        for exercise in (BENCH, "My  own Row", "Pull Up (Assisted)"):
            kg = 40 + session // 6 * 2.5 + drawn.choice([-2.5, 0, 0, 2.5])
            kg *= 10 if drawn.random() < 0.02 else 1
            kinds = ("warmup", "normal", "normal", "failure", "dropset")
            for index, kind in enumerate(kinds):
                load = kg / 2 if kind in {"warmup", "dropset"} else kg
                reps = drawn.randint(1, 14)
                lines.append(f'{head},"","{exercise}",,"",{index},"{kind}",{load},{reps},,,')
    return "\n".join(lines) + "\n"
