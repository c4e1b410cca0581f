"""The calendar of a day, also at changes of months, years and clocks."""

from datetime import date, timedelta

import pytest

from coach_agent.domain.constants.meet import TAPER_DAYS
from coach_agent.domain.constants.recovery import DELOAD_CALENDAR_WEEKS, DELOAD_DAYS
from coach_agent.profile.season import MeetPhase, Phase, Season, SeasonDay, phase_on

MONDAY = date(2026, 1, 5)
BLOCK = Season(block_start=MONDAY, deload_mode="both")
PHASES = (
    Phase(kind="base", weeks=4),
    Phase(kind="build", weeks=3),
    Phase(kind="peak", weeks=2),
    Phase(kind="taper", weeks=1),
)


def days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def deload_days(season: Season, first: date, last: date) -> list[date]:
    return [day for day in days(first, last) if phase_on(season, day).is_deload]


def test_a11_deload_by_calendar() -> None:
    """Independent of the number of exposures: on Mon, Wed and Fri the fourth would be
    2026-01-12.
    """
    assert (DELOAD_CALENDAR_WEEKS.value, DELOAD_DAYS.value) == (6, 7)
    assert not phase_on(BLOCK, date(2026, 1, 12)).is_deload
    assert deload_days(BLOCK, date(2025, 12, 1), date(2026, 3, 22)) == [
        *days(date(2026, 2, 9), date(2026, 2, 15))
    ]
    assert deload_days(BLOCK, date(2026, 3, 16), date(2026, 4, 1)) == [
        *days(date(2026, 3, 23), date(2026, 3, 29))
    ]


@pytest.mark.parametrize(
    ("block_start", "every_weeks", "expected"),
    [
        (date(2025, 12, 8), 4, date(2025, 12, 29)),
        (date(2024, 1, 29), 5, date(2024, 2, 26)),
        (date(2026, 3, 2), 4, date(2026, 3, 23)),
        (date(2026, 9, 28), 5, date(2026, 10, 26)),
    ],
    ids=["over new year", "over a leap day", "into summer time", "into winter time"],
)
def test_a_week_has_seven_days_wherever_it_lies(
    block_start: date, every_weeks: int, expected: date
) -> None:
    season = Season(block_start=block_start, deload_mode="calendar", deload_every_weeks=every_weeks)
    end = block_start + timedelta(weeks=every_weeks + 1)
    assert deload_days(season, block_start, end) == days(expected, expected + timedelta(days=6))


@pytest.mark.parametrize("mode", ["reactive", "never"])
def test_only_a_calendar_plans_deloads(mode: str) -> None:
    season = BLOCK.model_copy(update={"deload_mode": mode})
    assert deload_days(season, MONDAY, date(2026, 12, 31)) == []
    assert deload_days(Season(deload_mode="both"), MONDAY, date(2026, 12, 31)) == []


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 1, 4), (None, None, None)),
        (date(2026, 1, 5), ("base", 1, 3)),
        (date(2026, 1, 11), ("base", 1, 3)),
        (date(2026, 1, 31), ("base", 4, 0)),
        (date(2026, 2, 1), ("base", 4, 0)),
        (date(2026, 2, 2), ("build", 1, 2)),
        (date(2026, 2, 23), ("peak", 1, 1)),
        (date(2026, 3, 9), ("taper", 1, 0)),
        (date(2026, 3, 15), ("taper", 1, 0)),
        (date(2026, 3, 16), (None, None, None)),
    ],
)
def test_phases_follow_each_other(
    day: date, expected: tuple[str | None, int | None, int | None]
) -> None:
    said = phase_on(BLOCK.model_copy(update={"phases": PHASES}), day)
    assert (said.phase, said.phase_week, said.phase_weeks_left) == expected
    assert said.is_taper is (said.phase == "taper")


@pytest.mark.parametrize(
    ("days_left", "is_taper", "meet"),
    [
        (15, False, None),
        (14, True, None),
        (7, True, None),
        (6, True, "sharp_lower"),
        (4, True, "sharp"),
        (3, True, "light"),
        (1, True, "rest"),
        (0, True, "meet"),
        (-1, False, "recovery"),
        (-7, False, "recovery"),
        (-8, False, None),
    ],
)
def test_a_taper_ends_with_the_event(
    days_left: int, is_taper: bool, meet: MeetPhase | None
) -> None:
    assert TAPER_DAYS.value == 14
    event = date(2026, 3, 1)
    said = phase_on(Season(event_date=event), event - timedelta(days=days_left))
    assert said == SeasonDay(days_to_event=days_left, is_taper=is_taper, meet=meet)


def test_no_deload_is_planned_in_a_taper_or_after_an_event() -> None:
    season = BLOCK.model_copy(update={"event_date": date(2026, 2, 12)})
    for day in days(date(2026, 2, 9), date(2026, 2, 12)):
        assert phase_on(season, day).is_taper
    assert deload_days(season, MONDAY, date(2026, 2, 15)) == []


def test_without_a_calendar_a_day_is_any_day() -> None:
    assert phase_on(Season(), MONDAY) == SeasonDay()
