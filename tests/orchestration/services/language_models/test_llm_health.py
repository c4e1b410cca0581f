"""Language models that failed too often or cost too much, by athlete."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import pytest

from coach_agent.domain.model_calls import CallRecord
from coach_agent.llm.ledger import record_calls
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.schema import create_coach_tables
from orchestration.services.language_models.llm_health import llm_problems
from tests.coach.llm.requests import request

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create_coach_tables(connection)
    return connection


def athlete(athlete_id: str, timezone: str = "UTC", budget_usd: float = 0.05) -> AthleteProfile:
    return AthleteProfile.model_validate(
        {"id": athlete_id, "timezone": timezone, "llm": {"budget_usd": budget_usd}}
    )


def asked(
    con: duckdb.DuckDBPyConnection, athlete_id: str, *records: CallRecord, at: datetime = NOON
) -> None:
    for number, record in enumerate(records):
        moment = at + timedelta(seconds=number)
        record_calls(con, athlete_id, [record], asked_at=moment, run_id="run")


def failed(text: str) -> CallRecord:
    return request(outcome="error", error=text)


def test_who_spent_the_money_of_the_own_day_is_told_in_the_order_asked(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """Both paid at 07:59 UTC, which is the day before in Los Angeles."""
    early = NOON.replace(hour=7, minute=59)
    for name in ("ann", "ben", "cem"):
        asked(con, name, request(cost_usd=Decimal("0.05")), at=early)
    athletes = [
        athlete("dan"),
        athlete("cem", budget_usd=0.06),
        athlete("ben"),
        athlete("ann", timezone="America/Los_Angeles"),
    ]
    [told] = llm_problems(con, athletes, NOON)
    assert told.startswith("ben: Today's 0.05 USD for language models reach the budget of 0.05;")


def test_whose_requests_failed_half_the_time_is_told_with_the_last_error(
    con: duckdb.DuckDBPyConnection,
) -> None:
    half = [failed("busy"), failed("full"), failed("gone"), *[request(cost_usd=None)] * 3]
    skipped = request(outcome="skipped", error="no money")
    asked(con, "ann", *half, skipped)
    asked(con, "ben", *half[1:], request(cost_usd=None))
    asked(con, "cem", *half[:5])
    asked(con, "dan", *half, at=NOON - timedelta(days=7, minutes=1))
    asked(con, "eva", *half)
    athletes = [athlete(name) for name in ("ann", "ben", "cem", "dan")]
    assert llm_problems(con, athletes, NOON + timedelta(minutes=1)) == [
        "ann: 3 of 6 requests of the last 7 days failed, the last with: gone. Run: spotter doctor"
    ]


def test_of_nobody_there_is_nothing_to_tell(con: duckdb.DuckDBPyConnection) -> None:
    assert llm_problems(con, [], NOON) == []
