"""The review of a week on demand: the stored one, otherwise the rules' from known data."""

from datetime import UTC, date, datetime
from typing import Any

import duckdb
import pytest

from coach_agent.domain.values import canonical_json
from coach_agent.planning.weekly_review import weekly_review
from coach_agent.situation.situation import Situation
from coach_agent.store.comments import CoachComment, record_comment
from coach_agent.store.schema import create_coach_tables
from orchestration.services.briefing import weekly_reviews as reviewing
from orchestration.services.briefing.weekly_reviews import read_review, review_of
from tests.coach.builders import profile
from tests.coach.llm.test_questions import trained_week

WEEK = date(2026, 2, 23)
NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    create_coach_tables(con)
    return con


def test_the_kept_review_is_told_with_who_made_it(con: duckdb.DuckDBPyConnection) -> None:
    by_rules = weekly_review(trained_week(), profile(), WEEK)
    assert by_rules is not None
    said = by_rules.model_copy(update={"summary": "Well done."})
    comment = CoachComment(
        kind="weekly_review",
        subject=WEEK.isoformat(),
        said_at=datetime(2026, 3, 2, 4, tzinfo=UTC),
        decided_by="google:flash",
        prompt_version="1",
        prompt_sha256="2",
        was_answered=True,
        by_rules=canonical_json(by_rules).decode(),
        said=canonical_json(said).decode(),
    )
    record_comment(con, "demo", comment, run_id="run")
    found = review_of(con, profile(), WEEK, NOW)
    assert found is not None
    assert found == read_review(con, "demo", WEEK)
    assert (found.review, found.decided_by, found.said_at) == (
        said,
        "google:flash",
        comment.said_at,
    )


def test_an_older_week_is_seen_as_at_its_end_in_the_athletes_time_zone(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marts' data of earlier weeks depends on the day of the query."""
    moments: list[datetime] = []

    def known(_: Any, __: Any, now: datetime) -> Situation:
        moments.append(now)
        return trained_week()

    monkeypatch.setattr(reviewing, "known_situation", known)
    athlete = profile(timezone="America/New_York")
    found = review_of(con, athlete, WEEK, NOW)
    assert moments == [datetime(2026, 3, 2, 4, 59, 59, tzinfo=UTC)]
    assert found is not None
    assert (found.review.workout_count, found.decided_by) == (1, "engine")
    assert review_of(con, athlete, date(2026, 1, 5), NOW) is None


def test_before_the_first_run_there_is_nothing_to_review(con: duckdb.DuckDBPyConnection) -> None:
    assert review_of(con, profile(), WEEK, NOW) is None
