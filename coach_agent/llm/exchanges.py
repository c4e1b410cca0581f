"""Sent prompts and received answers of language models, including rejected answers.

One row per request of the ledger `coach.llm_calls`. Keys are hidden in both texts, and data in
`llm.leave_out` was never in the prompt. The operator configures the retention of the texts; the
ledger itself, and the answers that became a plan, are kept.
"""

from collections.abc import Iterable
from datetime import datetime

import duckdb

from coach_agent.domain.model_calls import CallRecord
from coach_agent.domain.values import naive_utc
from coach_agent.store.upsert import upsert_all


def record_exchanges(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    records: Iterable[tuple[str, CallRecord]],
    *,
    asked_at: datetime,
) -> None:
    """Insert the texts of requests by their ids in the ledger; an unsent request has none."""
    rows = [
        {
            "llm_call_id": call_id,
            "athlete_id": athlete_id,
            "asked_at": naive_utc(asked_at),
            "prompt": record.prompt_text,
            "answer": record.answer_text,
        }
        for call_id, record in records
        if record.prompt_text is not None
    ]
    upsert_all(con, "coach.llm_exchanges", ["llm_call_id"], rows)


def forget_exchanges(con: duckdb.DuckDBPyConnection, before: datetime) -> int:
    """Delete the texts of requests sent before a time; returns their number."""
    rows: list[tuple[int]] = con.execute(
        "delete from coach.llm_exchanges where asked_at < $1", [naive_utc(before)]
    ).fetchall()
    return rows[0][0]
