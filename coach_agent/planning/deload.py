"""Deloads of a day: asked for, by the calendar, or after signs of fatigue."""

from collections.abc import Iterator
from datetime import date, timedelta

from coach_agent.domain.constants.recovery import (
    DELOAD_DAYS,
    DELOAD_TRIGGER_DAYS,
)
from coach_agent.domain.context import SlotContext
from coach_agent.domain.days import local_date
from coach_agent.engine.forecast.stall import stalled_beyond_chance
from coach_agent.engine.limits.conditions import (
    DeloadReason,
    reactive_deload,
)
from coach_agent.planning.block_week import (
    has_easy_weeks,
    is_easy_week,
)
from coach_agent.planning.rotation import managed_routines
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation


def deload_reason(
    situation: Situation, profile: AthleteProfile, *, is_planned: bool, is_taper: bool
) -> DeloadReason | None:
    """Return why the day is in a deload, or None.

    `is_planned`: the calendar of the profile has one. Around an event only a request counts. A
    programme with easy weeks has its own for stalled lifts.
    """
    latest = situation.latest_check_in
    if latest is not None and latest.deload_all:
        return "asked"
    if is_planned and not has_easy_weeks(situation, profile):
        return "calendar"
    if is_taper or profile.season.deload_mode not in {"reactive", "both"}:
        return None
    slots = list(_recently_trained(situation, profile))
    last = situation.last_deload
    if last is not None and _is_over(situation, profile, last):
        last = min(last, situation.today - timedelta(days=DELOAD_DAYS.value))
    return reactive_deload(
        situation.today,
        slots,
        () if has_easy_weeks(situation, profile) else stalled_beyond_chance(slots),
        _readiness_by_day(situation, profile),
        last,
    )


def _is_over(situation: Situation, profile: AthleteProfile, last: date) -> bool:
    """Return whether a deload ended with its week of a programme, also if it began late in it.

    So did one in the week after it, where the routine still had the easy workout: no other begins
    then. None runs from before the programme, or from such a workout in its first week.
    """
    week = timedelta(days=DELOAD_DAYS.value)
    programme = situation.programme
    if programme is not None and last - week < programme.start <= situation.today:
        return True
    return any(is_easy_week(situation, profile, day) for day in (last, last - week))


def _recently_trained(situation: Situation, profile: AthleteProfile) -> Iterator[SlotContext]:
    """Yield the managed exercises of the last weeks, with the workouts of these weeks only.

    Older training is no sign of fatigue.
    """
    since = situation.today - timedelta(days=DELOAD_TRIGGER_DAYS.value)
    for routine in managed_routines(situation.routines, profile):
        for slot in routine.slots:
            lately = tuple(
                each
                for each in slot.exposures
                if local_date(each.started_at, profile.timezone) >= since
            )
            if lately:
                yield slot.model_copy(update={"exposures": lately})


def _readiness_by_day(situation: Situation, profile: AthleteProfile) -> list[int]:
    """Return the last readiness of each of the athlete's days with one, newest first."""
    days: dict[date, int] = {}
    for each in situation.check_ins:
        if each.readiness is not None:
            days.setdefault(local_date(each.checked_in_at, profile.timezone), each.readiness)
    return list(days.values())
