"""The review of a week: stored, or written by the rules from current data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import duckdb

from coach_agent.domain.model_calls import ENGINE
from coach_agent.planning.weekly_review import WeeklyReview, weekly_review
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.comments import read_comments_on
from orchestration.services.planning.plan import known_situation


@dataclass(frozen=True)
class StoredReview:
    """A review with its author and time; `decided_by` is provider and model, or "engine"."""

    review: WeeklyReview
    decided_by: str
    prompt_version: str | None
    said_at: datetime


def read_review(
    con: duckdb.DuckDBPyConnection, athlete_id: str, week_start: date
) -> StoredReview | None:
    """Return the stored review of the week that starts on that Monday, or None."""
    return read_reviews(con, {athlete_id: week_start}).get(athlete_id)


def read_reviews(
    con: duckdb.DuckDBPyConnection, weeks: Mapping[str, date]
) -> dict[str, StoredReview]:
    """Return each athlete's stored review of the week that starts on that Monday."""
    subjects = {athlete_id: monday.isoformat() for athlete_id, monday in weeks.items()}
    return {
        athlete_id: StoredReview(
            WeeklyReview.model_validate_json(found.said),
            found.decided_by,
            found.prompt_version,
            found.said_at,
        )
        for athlete_id, found in read_comments_on(con, "weekly_review", subjects).items()
    }


def review_of(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, week_start: date, now: datetime
) -> StoredReview | None:
    """Return the stored review, else one of the rules; None for a week without training.

    For a past week the situation is that of its last moment, as far as its workouts are still
    stored.
    """
    if kept := read_review(con, profile.id, week_start):
        return kept
    begins = datetime.combine(week_start, datetime.min.time(), ZoneInfo(profile.timezone))
    ends = begins + timedelta(days=7) - timedelta(seconds=1)
    situation = known_situation(con, profile, min(now, ends.astimezone(UTC)))
    review = None if situation is None else weekly_review(situation, profile, week_start)
    return None if review is None else StoredReview(review, ENGINE, None, now)
