"""Days and weeks of an athlete."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo


def local_date(moment: datetime, timezone: str) -> date:
    """Return the athlete's date at an aware time."""
    return moment.astimezone(ZoneInfo(timezone)).date()


def monday_of(day: date) -> date:
    """Return the Monday of the week of a day."""
    return day - timedelta(days=day.weekday())
