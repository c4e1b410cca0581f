"""Records of requests, and the cost of a day."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import pytest

from coach_agent.llm.exchanges import forget_exchanges
from coach_agent.llm.ledger import record_calls, spent_today
from coach_agent.store.schema import create_coach_tables
from tests.coach.llm.requests import request

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create_coach_tables(connection)
    return connection


def cost(
    con: duckdb.DuckDBPyConnection, usd: str | None, at: datetime, athlete: str = "kim"
) -> None:
    paid = request(cost_usd=None if usd is None else Decimal(usd))
    record_calls(con, athlete, [paid], asked_at=at, run_id="run")


def test_each_request_of_a_question_is_a_row(con: duckdb.DuckDBPyConnection) -> None:
    records = [
        request(provider="google", outcome="error", error="busy"),
        request(outcome="retry", feedback=("too heavy",), input_tokens=5, cost_usd=Decimal("0.1")),
        request(attempt=2, input_tokens=7, cached_tokens=5, cost_usd=Decimal("0.000000075")),
    ]
    for _ in range(2):  # the second time it is known
        record_calls(con, "kim", records, asked_at=NOON, run_id="run", decision_id="dec_1")
    rows = con.execute(
        """
        select
            request_index, provider, attempt, outcome, error, feedback, input_tokens, cached_tokens,
            cost_usd, decision_id, asked_at
        from coach.llm_calls order by request_index
        """
    ).fetchall()
    at = NOON.replace(tzinfo=None)
    assert rows == [
        (0, "google", 1, "error", "busy", "[]", None, None, None, "dec_1", at),
        (1, "compatible", 1, "retry", None, '["too heavy"]', 5, None, Decimal("0.1"), "dec_1", at),
        (2, "compatible", 2, "ok", None, "[]", 7, 5, Decimal("0.000000075"), "dec_1", at),
    ]
    assert con.execute("select count(distinct question_id) from coach.llm_calls").fetchone() == (1,)


def test_prompts_and_rejected_answers_are_stored_and_forgotten_in_time(
    con: duckdb.DuckDBPyConnection,
) -> None:
    records = [
        request(outcome="skipped"),
        request(outcome="retry", prompt_text="the question", answer_text="rejected"),
        request(attempt=2, prompt_text="the question", answer_text="taken"),
    ]
    for _ in range(2):
        record_calls(con, "kim", records, asked_at=NOON, run_id="run")
    rows = con.execute(
        """
        select calls.outcome, exchanges.prompt, exchanges.answer
        from coach.llm_exchanges as exchanges
        inner join coach.llm_calls as calls using (llm_call_id)
        order by calls.request_index
        """
    ).fetchall()
    assert rows == [("retry", "the question", "rejected"), ("ok", "the question", "taken")]
    assert forget_exchanges(con, NOON) == 0
    assert forget_exchanges(con, NOON + timedelta(seconds=1)) == 2
    assert con.execute("select count(*) from coach.llm_calls").fetchone() == (3,)


def test_two_questions_of_one_moment_are_two(con: duckdb.DuckDBPyConnection) -> None:
    for prompt in ("bench", "squat"):
        stalled = request(name="stall", prompt_sha256=prompt)
        record_calls(con, "kim", [stalled], asked_at=NOON, run_id="run")
    assert con.execute("select count(*) from coach.llm_calls").fetchone() == (2,)


def test_nothing_asked_leaves_nothing(con: duckdb.DuckDBPyConnection) -> None:
    record_calls(con, "kim", [], asked_at=NOON, run_id="run")
    assert con.execute("select count(*) from coach.llm_calls").fetchone() == (0,)


def test_a_day_is_the_athletes_own(con: duckdb.DuckDBPyConnection) -> None:
    """In Los Angeles the fourth begins at 8:00 UTC."""
    cost(con, "0.01", datetime(2026, 3, 4, 7, 59, 59, tzinfo=UTC))
    cost(con, "0.02", datetime(2026, 3, 4, 8, tzinfo=UTC))
    cost(con, "0.04", datetime(2026, 3, 5, 7, 59, tzinfo=UTC))
    cost(con, "0.08", datetime(2026, 3, 5, 8, tzinfo=UTC))
    cost(con, "0.16", NOON, athlete="another")
    assert spent_today(con, "kim", "America/Los_Angeles", NOON) == Decimal("0.06")
    assert spent_today(con, "kim", "UTC", NOON) == Decimal("0.03")


def test_what_has_no_price_counts_as_nothing(con: duckdb.DuckDBPyConnection) -> None:
    assert spent_today(con, "kim", "UTC", NOON) == 0
    cost(con, None, NOON)
    assert spent_today(con, "kim", "UTC", NOON) == 0
