"""Texts that were not shown: counted by model and reason, without keys."""

from datetime import UTC, datetime

import duckdb

from coach_agent.domain.redaction import scrubber
from coach_agent.llm.comments.comment import RejectedText
from coach_agent.llm.rejected_texts import record_rejected_texts, rejected_counts
from coach_agent.llm.text_policy import text_policy
from coach_agent.store.schema import create_coach_tables
from tests.coach.llm.fakes import KEY

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
REJECTED = (
    RejectedText("summary", "unknown_word", f"The key is {KEY}."),
    RejectedText("summary", "number", "Bench press at 300 kg."),
    RejectedText("reasoning", "number", "x" * 1000),
)


def record(con: duckdb.DuckDBPyConnection) -> None:
    record_rejected_texts(
        con,
        "demo",
        REJECTED,
        call_name="plan",
        decided_by="google:flash",
        scrub=scrubber([KEY]),
        now=NOW,
        run_id="run-1",
    )


def test_rejected_texts_are_kept_once_without_keys_and_counted_by_reason() -> None:
    con = duckdb.connect()
    create_coach_tables(con)
    record(con)
    record(con)
    assert rejected_counts(con) == {
        ("google:flash", "number"): 2,
        ("google:flash", "unknown_word"): 1,
    }
    rows = con.execute(
        "select field, sentence, text_policy from coach.llm_rejected_texts order by sentence"
    ).fetchall()
    assert [each[1] for each in rows] == ["Bench press at 300 kg.", "The key is ***.", "x" * 300]
    assert {each[2] for each in rows} == {text_policy()}
