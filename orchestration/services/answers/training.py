"""The training of one athlete in a release, as answers read it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from coach_agent.domain.plan import DoneSet, SlotPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import done_text, times
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.journal.current_plans import PlanReport
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.memories import MemoryVersion
from orchestration.services.releases.released import Released, Row
from orchestration.services.search.search import Found

_ATHLETE = "select timezone from dim_athlete where athlete_id = $1"
_EXERCISES = """
    select
        exercises.exercise_key, exercises.title, exercises.exercise_type,
        exercises.exercise_key in (
            select exercise_key from fct_exercise_session where athlete_id = $1
        ) as is_trained
    from dim_exercise as exercises
    where exercises.athlete_id = $1
    order by is_trained desc, exercises.title, exercises.exercise_key
"""


@dataclass(frozen=True)
class Exercise:
    """An exercise of the athlete; `is_trained` if a counted workout has a set of it."""

    key: str
    title: str
    exercise_type: str | None
    is_trained: bool


@dataclass(frozen=True)
class Training:
    """One athlete of a release: all reads are limited to the athlete's own rows.

    `now` is aware; `zone` is the athlete's, `unit` the one that texts use. `profile` is None for
    athletes who are no longer configured. `read_memories` reads the current memories from the
    warehouse, `search_texts` finds notes, memories and reviews; None for readers without one.
    """

    released: Released
    athlete_id: str
    zone: ZoneInfo
    unit: Unit
    profile: AthleteProfile | None
    now: datetime
    read_memories: Callable[[], tuple[MemoryVersion, ...]] | None = None
    search_texts: Callable[[str], Found] | None = None

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """Return the rows of a query with the athlete as its first parameter."""
        return self.released.rows(query, self.athlete_id, *parameters)

    def has(self, mart: str) -> bool:
        """Return whether the release has the mart."""
        return mart in self.released.manifest.row_counts

    @property
    def today(self) -> date:
        """Return the athlete's date."""
        return self.now.astimezone(self.zone).date()

    @property
    def plan(self) -> PlanReport | None:
        """Return the active plan."""
        return self.released.plan_of(self.athlete_id)

    @property
    def red_flags(self) -> tuple[str, ...]:
        """Return the codes of the open red flags."""
        return self.released.red_flags_of(self.athlete_id, self.profile)

    def local_date(self, moment: datetime) -> date:
        """Return the athlete's date at a time; naive times of the marts are UTC."""
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(self.zone).date()

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """Return the athlete's exercises, trained ones first, then the others by title."""
        found = [
            Exercise(row["exercise_key"], row["title"], row["exercise_type"], row["is_trained"])
            for row in self.rows(_EXERCISES)
        ]
        known = {each.key for each in found}
        planned = () if self.plan is None else self.plan.plan.slots
        found += [
            Exercise(slot.exercise_template_id, slot.exercise_title, slot.exercise_type, False)
            for slot in planned
            if slot.exercise_template_id not in known
        ]
        return tuple(found)


def read_training(
    released: Released,
    athlete_id: str,
    profile: AthleteProfile | None,
    now: datetime,
    read_memories: Callable[[], tuple[MemoryVersion, ...]] | None = None,
    search_texts: Callable[[str], Found] | None = None,
) -> Training:
    """Return the athlete's training with the zone of the release and the unit of the gym."""
    rows = released.rows(_ATHLETE, athlete_id)
    zone = rows[0]["timezone"] if rows else "UTC" if profile is None else profile.timezone
    plan = released.plan_of(athlete_id)
    unit: Unit = "kg"
    if profile is not None:
        unit = profile.gym.unit
    elif plan is not None:
        unit = plan.plan.load_unit
    return Training(
        released, athlete_id, ZoneInfo(zone), unit, profile, now, read_memories, search_texts
    )


def is_slot_of(slot: SlotPrescription, exercise: Exercise) -> bool:
    """Return whether a place of the plan holds the exercise."""
    return slot.exercise_template_id == exercise.key or (
        normalize_title(slot.exercise_title) == normalize_title(exercise.title)
    )


def sets_text(rows: list[Row], unit: Unit, exercise_type: str | None) -> str:
    """Format performed working sets, equal ones together: `80 kg × 8 @8, 2 × 80 kg × 7`."""
    texts = [
        done_text(done_set(row), unit, exercise_type)
        for row in rows
        if row["set_type"] in WORKING_TYPES
    ]
    grouped: list[tuple[str, int]] = []
    for text in texts:
        if grouped and grouped[-1][0] == text:
            grouped[-1] = (text, grouped[-1][1] + 1)
        else:
            grouped.append((text, 1))
    return ", ".join(times(text, count) for text, count in grouped)


def done_set(row: Mapping[str, Any]) -> DoneSet:
    """Return a row of `fct_set` as a performed set."""
    return DoneSet(
        set_index=row["set_index"],
        set_type=row["set_type"],
        weight_kg=row["weight_kg"],
        reps=row["reps"],
        duration_s=row["duration_s"],
        distance_m=None if row["distance_m"] is None else round(row["distance_m"]),
        rpe=row["rpe"],
    )
