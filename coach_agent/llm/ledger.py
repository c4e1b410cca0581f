"""The ledger of language models: one row per request or failure. All times are UTC."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import chain
from zoneinfo import ZoneInfo

import duckdb

from coach_agent.domain.model_calls import CallRecord
from coach_agent.domain.values import naive_utc
from coach_agent.llm.exchanges import record_exchanges


def record_calls(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    records: Sequence[CallRecord],
    *,
    asked_at: datetime,
    run_id: str,
    decision_id: str | None = None,
) -> None:
    """Insert the requests of one question, in the order in which they were sent.

    `decision_id` is the decision of the question. Idempotent for the same question.
    """
    if not records:
        return
    moment = naive_utc(asked_at)
    first = records[0]
    identity = "\0".join((athlete_id, run_id, moment.isoformat(), first.name, first.prompt_sha256))
    question_id = f"llm_{sha256(identity.encode()).hexdigest()[:16]}"
    rows = [
        [
            f"{question_id}/{index}",
            question_id,
            index,
            athlete_id,
            decision_id,
            run_id,
            moment,
            record.name,
            record.provider,
            record.model,
            record.tier,
            record.attempt,
            record.outcome,
            record.error,
            json.dumps(record.feedback, ensure_ascii=False),
            record.prompt_sha256,
            record.prompt_version,
            record.input_tokens,
            record.cached_tokens,
            record.cache_write_tokens,
            record.output_tokens,
            record.reasoning_tokens,
            record.cost_usd,
            record.seconds,
        ]
        for index, record in enumerate(records)
    ]
    places = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
    con.execute(
        f"""
        insert into coach.llm_calls select * from (values {places}) as asked
        where asked.col0 not in (select llm_call_id from coach.llm_calls)
        """,  # noqa: S608 - no values
        list(chain.from_iterable(rows)),
    )
    named = [(str(row[0]), record) for row, record in zip(rows, records, strict=True)]
    record_exchanges(con, athlete_id, named, asked_at=asked_at)


def read_calls(
    con: duckdb.DuckDBPyConnection,
) -> list[tuple[str, str, str, int | None, int | None, Decimal | None]]:
    """Return call, model, outcome, input tokens, output tokens and USD of all requests in order."""
    return con.execute(
        """
        select call_name, model, outcome, input_tokens, output_tokens, cost_usd
        from coach.llm_calls order by asked_at, request_index
        """
    ).fetchall()


def spent_today(
    con: duckdb.DuckDBPyConnection, athlete_id: str, timezone: str, now: datetime
) -> Decimal:
    """Return the known cost of the athlete's requests of the day so far, in USD.

    The day is that of the athlete's time zone.
    """
    return spent_today_of(con, {athlete_id: timezone}, now)[athlete_id]


def spent_today_of(
    con: duckdb.DuckDBPyConnection, timezones: Mapping[str, str], now: datetime
) -> dict[str, Decimal]:
    """Return the known cost of today by athlete, for each time zone given, in one query."""
    days = [_day(now, timezone) for timezone in timezones.values()]
    rows: list[tuple[str, Decimal | None]] = con.execute(
        """
        with days as (
            select unnest($1) as athlete_id, unnest($2) as begins_at, unnest($3) as ends_at
        )

        select calls.athlete_id, sum(calls.cost_usd)
        from coach.llm_calls as calls
        inner join days
            on
                calls.athlete_id = days.athlete_id
                and calls.asked_at >= days.begins_at
                and calls.asked_at < days.ends_at
        group by calls.athlete_id
        """,
        [list(timezones), [begins for begins, _ in days], [ends for _, ends in days]],
    ).fetchall()
    spent = dict(rows)
    return {athlete_id: spent.get(athlete_id) or Decimal(0) for athlete_id in timezones}


def _day(now: datetime, timezone: str) -> tuple[datetime, datetime]:
    """Return begin and end of the day of that moment in the time zone, in naive UTC."""
    zone = ZoneInfo(timezone)
    today = now.astimezone(zone).date()
    begins, ends = (
        naive_utc(datetime.combine(day, datetime.min.time(), zone).astimezone(UTC))
        for day in (today, today + timedelta(days=1))
    )
    return begins, ends
