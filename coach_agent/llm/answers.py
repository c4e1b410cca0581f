"""Accepted answers of models to the engine's decisions, stored as a cache. Times are UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.store.sealed_rows import rows_sha256
from coach_agent.store.upsert import upsert


@dataclass(frozen=True)
class Answered:
    """An accepted answer; `decided_by` is provider and model.

    `answered_at` is None for an answer that is not stored yet.
    """

    answer_json: str
    decided_by: str
    prompt_version: str
    prompt_sha256: str
    answered_at: datetime | None = None


def record_answer(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    answered: Answered,
    *,
    decision_id: str,
    engine_decision_id: str,
    is_shadow: bool,
    now: datetime,
) -> None:
    """Upsert an answer with the ids of both decisions: the engine's, and the one built from the
    answer.

    `is_shadow`: the engine's plan stays active.
    """
    row = {
        "decision_id": decision_id,
        "engine_decision_id": engine_decision_id,
        "athlete_id": athlete_id,
        "answered_at": naive_utc(now),
        "decided_by": answered.decided_by,
        "prompt_version": answered.prompt_version,
        "prompt_sha256": answered.prompt_sha256,
        "is_shadow": is_shadow,
        "answer": answered.answer_json,
    }
    sealed = {**row, "sha256": answer_sha256(row)}
    upsert(con, "coach.llm_answers", ["decision_id"], sealed)


def answer_sha256(row: Mapping[str, Any]) -> str:
    """Return the hash over all other stored columns of an answer."""
    return rows_sha256([{name: value for name, value in row.items() if name != "sha256"}])


def read_answer(con: duckdb.DuckDBPyConnection, engine_decision_id: str) -> Answered | None:
    """Return the latest answer to a decision of the engine; None without one."""
    rows: list[tuple[str, str, str, str, datetime]] = con.execute(
        """
        select answer, decided_by, prompt_version, prompt_sha256, answered_at
        from coach.llm_answers
        where engine_decision_id = $1 order by answered_at desc, decision_id limit 1
        """,
        [engine_decision_id],
    ).fetchall()
    if not rows:
        return None
    answer, decided_by, prompt_version, prompt_sha256, at = rows[0]
    return Answered(answer, decided_by, prompt_version, prompt_sha256, at.replace(tzinfo=UTC))
