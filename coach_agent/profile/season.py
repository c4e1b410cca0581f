"""The calendar of a day: phase, planned deload, taper before an event.

Only dates of the athlete's own time zone count: no clock change moves a week.
"""

from datetime import date as Date
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from coach_agent.domain.constants.meet import (
    MEET_LAST_HEAVY_LOWER,
    MEET_LAST_HEAVY_UPPER,
    MEET_LIGHT_DAYS,
    MEET_RECOVERY_DAYS,
    MEET_REST_DAYS,
    TAPER_DAYS,
)
from coach_agent.domain.constants.recovery import DELOAD_CALENDAR_WEEKS, DELOAD_DAYS
from coach_agent.domain.values import Value
from coach_agent.profile.table import ProfileTable

PhaseKind = Literal["base", "build", "peak", "taper"]
MeetPhase = Literal["sharp_lower", "sharp", "light", "rest", "meet", "recovery"]
DeloadMode = Literal["calendar", "reactive", "both", "never"]

_WEEK = timedelta(days=7)


class Goal(ProfileTable):
    """The athlete's goal; `date` is the day of the event, the end of the taper."""

    kind: Literal["strength", "hypertrophy", "both"] = "both"
    date: Date | None = None
    event: Annotated[str, StringConstraints(min_length=1)] | None = None

    @field_validator("event")
    @classmethod
    def _has_a_day(cls, event: str | None, info: ValidationInfo) -> str | None:
        if event is not None and info.data.get("date", event) is None:
            raise ValueError("must come with goal.date, its day")
        return event


class Phase(ProfileTable):
    """A part of a training block, in whole weeks."""

    kind: PhaseKind
    weeks: Annotated[int, Field(ge=1, le=52)]


class Deload(ProfileTable):
    """Deload mode; without `mode` both by calendar and by need.

    By calendar is each `every_weeks`-th week from the start of the block, which must be set.
    """

    mode: DeloadMode | None = None
    every_weeks: Annotated[int, Field(ge=4, le=6)] | None = None


class SeasonDay(Value):
    """The calendar of one day; null if the calendar has no value.

    `phase_week` counts from 1, `phase_weeks_left` are those after this one, 0 in the last.
    `days_to_event` is 0 on its day and negative afterwards. In a taper and in the week after an
    event no deload is planned: training is easier already. `meet` is the phase of the last days
    before an event, of its day, and of the week after it; with "sharp" the last heavy day is over,
    with "sharp_lower" that of legs and back.
    """

    phase: PhaseKind | None = None
    phase_week: int | None = None
    phase_weeks_left: int | None = None
    days_to_event: int | None = None
    is_taper: bool = False
    is_deload: bool = False
    meet: MeetPhase | None = None


class Season(Value):
    """An athlete's calendar: phases and deloads from a Monday on, and the day of an event."""

    block_start: Date | None = None
    phases: tuple[Phase, ...] = ()
    event_date: Date | None = None
    deload_mode: DeloadMode = "reactive"
    deload_every_weeks: int = DELOAD_CALENDAR_WEEKS.value


def phase_on(season: Season, day: Date) -> SeasonDay:
    """Return the calendar of a day of the athlete.

    A taper is a phase of that kind, and the `taper.days` days before the event and its day.
    """
    kind, week, weeks_left = _phase(season, day)
    days_to_event = None if season.event_date is None else (season.event_date - day).days
    is_near = days_to_event is not None and 0 <= days_to_event <= TAPER_DAYS.value
    is_taper = kind == "taper" or is_near
    meet = _meet_phase(days_to_event)
    return SeasonDay(
        phase=kind,
        phase_week=week,
        phase_weeks_left=weeks_left,
        days_to_event=days_to_event,
        is_taper=is_taper,
        is_deload=not is_taper and meet is None and _is_deload(season, day),
        meet=meet,
    )


def _meet_phase(days_to_event: int | None) -> MeetPhase | None:
    if days_to_event is None or not -MEET_RECOVERY_DAYS.value <= days_to_event:
        return None
    if days_to_event < 0:
        return "recovery"
    if days_to_event == 0:
        return "meet"
    if days_to_event <= MEET_REST_DAYS.value:
        return "rest"
    if days_to_event <= MEET_LIGHT_DAYS.value:
        return "light"
    if days_to_event < MEET_LAST_HEAVY_UPPER.value:
        return "sharp"
    return "sharp_lower" if days_to_event < MEET_LAST_HEAVY_LOWER.value else None


def _phase(season: Season, day: Date) -> tuple[PhaseKind | None, int | None, int | None]:
    """Return the phase of the day, its week in it from 1, and the weeks left after that one."""
    if season.block_start is None or day < season.block_start:
        return None, None, None
    week = (day - season.block_start) // _WEEK
    for phase in season.phases:
        if week < phase.weeks:
            return phase.kind, week + 1, phase.weeks - week - 1
        week -= phase.weeks
    return None, None, None


def _is_deload(season: Season, day: Date) -> bool:
    """Return whether a deload is planned: every n-th week, independent of earlier training."""
    is_planned = season.deload_mode in {"calendar", "both"}
    if not is_planned or season.block_start is None or day < season.block_start:
        return False
    week, into_week = divmod(day - season.block_start, _WEEK)
    is_its_week = (week + 1) % season.deload_every_weeks == 0
    return is_its_week and into_week < timedelta(days=DELOAD_DAYS.value)
