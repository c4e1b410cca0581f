"""A request for a programme, and what it became: the input and the output of the builder."""

from datetime import date, timedelta
from typing import Annotated, Literal, get_args

from pydantic import Field

from coach_agent.domain.pain import Pain
from coach_agent.domain.values import Value
from coach_agent.profile.equipment import Kind as EquipmentKind
from coach_agent.profile.equipment import Setup
from coach_agent.programmes.model import Aim, Level, Programme
from coach_agent.programmes.weekly_volume import MuscleSets

Rule = Literal[
    "days",
    "exercises",
    "session",
    "least_volume",
    "most_volume",
    "pull_push",
    "row_share",
    "hinge_squat",
    "pattern",
    "minutes",
    "forbidden",
    "recovery",
    "session_muscle",
    "unilateral",
    "trunk",
    "pain",
    "wish",
]

MissingKind = EquipmentKind | Setup

MISSING_KINDS: tuple[MissingKind, ...] = (*get_args(EquipmentKind), *get_args(Setup))
"""All equipment that a request may lack, in the words of `--lack`."""

MOST_DAYS = 6


class MuscleResponse(Value):
    """The gain of a muscle's maxima in four weeks for each weekly hard set more, in percent.

    It is estimated from the athlete's log, in which weekly sets were from `least_sets` to
    `most_sets`; zero is outside its 90 % interval.
    """

    muscle: str
    slope_pct: float
    low_pct: float
    high_pct: float
    least_sets: float
    most_sets: float


class ProgrammeRequest(Value):
    """Wishes and limits of an athlete.

    `minutes` are the longest session. `lacks` is missing equipment. `avoid` and `prefer` are titles
    of exercises; `liked` and `disliked` are those of memories, which decide only between exercises
    that fit a place alike. `responses` are the muscles whose response to volume is known.
    `weeks_to_event` are the whole weeks before an event, `days_in_last_week` the days of the last
    one before the day of the event.
    """

    days: Annotated[int, Field(ge=1, le=7)]
    minutes: Annotated[int, Field(ge=15, le=180)] = 60
    goal: Aim = "both"
    level: Level = "novice"
    lacks: tuple[MissingKind, ...] = ()
    pain: tuple[Pain, ...] = ()
    avoid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    responses: tuple[MuscleResponse, ...] = ()
    weeks_to_event: Annotated[int, Field(ge=1, le=52)] | None = None
    days_in_last_week: Annotated[int, Field(ge=1, le=7)] = 7

    @property
    def repeats_lifts(self) -> bool:
        """True for few lifts two or three times a week: a novice learns them by repetition.

        Source: novice programmes in docs/programmes.md; for health alone variety counts more.
        """
        return self.level == "novice" and self.goal != "health"


def weeks_until(event: date | None, today: date) -> int | None:
    """Return the whole weeks before an event; None without one, or within a week or after a year.

    A week that has begun counts.
    """
    if event is None:
        return None
    weeks = -(-(event - today).days // 7)
    return weeks if 1 <= weeks <= 52 else None


def event_fields(event: date | None, today: date) -> dict[str, int]:
    """Return the fields of a request for an event; none without one within a year."""
    weeks = weeks_until(event, today)
    if event is None or weeks is None:
        return {}
    return {"weeks_to_event": weeks, "days_in_last_week": (event - today).days - 7 * (weeks - 1)}


def event_of(request: ProgrammeRequest, today: date) -> date | None:
    """Return the day of the event of a request whose first week begins today."""
    if request.weeks_to_event is None:
        return None
    return today + timedelta(days=7 * (request.weeks_to_event - 1) + request.days_in_last_week)


class Finding(Value):
    """A rule that a programme does not fulfil; `subject` is a muscle, pattern, day or exercise."""

    rule: Rule
    subject: str
    text: str


class BuiltDay(Value):
    """A session of the week: its weekday from Monday, its minutes, and why it has its exercises."""

    day: str
    weekday: str
    minutes: int
    reasons: tuple[str, ...]


class BuiltProgramme(Value):
    """A programme for a request; `compromises` are wishes that it cannot fulfil."""

    request: ProgrammeRequest
    programme: Programme
    week: tuple[BuiltDay, ...]
    weekly_hard_sets: tuple[MuscleSets, ...]
    compromises: tuple[Finding, ...]
