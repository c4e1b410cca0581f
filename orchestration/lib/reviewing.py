"""The review of a week: as it was kept, or made by the rules from what is known now."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import duckdb

from coach_agent.llm.calls import ENGINE
from coach_agent.profile import AthleteProfile
from coach_agent.remarks import read_remark
from coach_agent.weekly_review import WeeklyReview, weekly_review
from orchestration.lib.deciding import known_situation


@dataclass(frozen=True)
class Reviewed:
    """A review, by whom and when; `decided_by` is provider and model, or "engine"."""

    review: WeeklyReview
    decided_by: str
    prompt_version: str | None
    said_at: datetime


def read_review(
    con: duckdb.DuckDBPyConnection, athlete_id: str, week_start: date
) -> Reviewed | None:
    """The review that a run kept of the week that begins on that Monday; None if none did."""
    found = read_remark(con, athlete_id, "weekly_review", week_start.isoformat())
    if found is None:
        return None
    review = WeeklyReview.model_validate_json(found.said)
    return Reviewed(review, found.decided_by, found.prompt_version, found.said_at)


def review_of(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, week_start: date, now: datetime
) -> Reviewed | None:
    """The kept review, else that of the rules; None if nothing was trained that week.

    An older week is seen as on the last moment of it, as far as its workouts are still known.
    """
    if kept := read_review(con, profile.id, week_start):
        return kept
    begins = datetime.combine(week_start, datetime.min.time(), ZoneInfo(profile.timezone))
    ends = begins + timedelta(days=7) - timedelta(seconds=1)
    situation = known_situation(con, profile, min(now, ends.astimezone(UTC)))
    review = None if situation is None else weekly_review(situation, profile, week_start)
    return None if review is None else Reviewed(review, ENGINE, None, now)
