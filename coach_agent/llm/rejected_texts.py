"""Texts of models that were not shown, with the reason: kept for model evaluation. UTC."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import duckdb

from coach_agent.domain.model_calls import CallName
from coach_agent.domain.values import naive_utc
from coach_agent.llm.text_policy import text_policy
from coach_agent.store.upsert import upsert_all

if TYPE_CHECKING:  # the journal creates the table, and most commands read no comment
    from coach_agent.llm.comments.comment import RejectedText


LONGEST_KEPT = 300
"""Characters of a sentence that are kept: enough to see why it was rejected."""


def record_rejected_texts(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    rejected: "Sequence[RejectedText]",
    *,
    call_name: CallName,
    decided_by: str,
    scrub: Callable[[str], str],
    now: datetime,
    run_id: str,
    decision_id: str | None = None,
) -> None:
    """Keep the rejected texts of one answer; `scrub` hides keys in them.

    `decided_by` is provider and model. The same answer written again adds nothing.
    """
    moment = naive_utc(now)
    rows = []
    for index, each in enumerate(rejected):
        identity = "\0".join((athlete_id, run_id, moment.isoformat(), call_name, str(index)))
        row = {
            "rejected_text_id": f"rej_{sha256(identity.encode()).hexdigest()[:16]}",
            "athlete_id": athlete_id,
            "run_id": run_id,
            "decision_id": decision_id,
            "rejected_at": moment,
            "call_name": call_name,
            "decided_by": decided_by,
            "text_policy": text_policy(),
            "field": each.field,
            "reason": each.reason,
            "sentence": scrub(each.sentence)[:LONGEST_KEPT],
        }
        rows.append(row)
    if rows:
        upsert_all(con, "coach.llm_rejected_texts", ["rejected_text_id"], rows)


def rejected_counts(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], int]:
    """By model and reason, how many texts were rejected."""
    rows: list[tuple[str, str, int]] = con.execute(
        """
        select decided_by, reason, count(*)
        from coach.llm_rejected_texts
        group by decided_by, reason
        order by decided_by, reason
        """
    ).fetchall()
    return {(decided_by, reason): count for decided_by, reason, count in rows}
