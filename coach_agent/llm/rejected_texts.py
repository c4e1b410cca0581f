"""Rejected texts of models with the reason, stored for model evaluation. Times are UTC."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import duckdb

from coach_agent.domain.model_calls import CallName
from coach_agent.domain.values import naive_utc
from coach_agent.llm.text_policy import text_policy
from coach_agent.store.upsert import upsert_all

if TYPE_CHECKING:  # the journal creates the table, and most commands parse no comment
    from coach_agent.llm.comments.comment import RejectedText


LONGEST_KEPT = 300
"""Stored characters of a sentence: enough to see the reason of the rejection."""


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
    """Insert the rejected texts of one answer; `scrub` hides keys in them.

    `decided_by` is provider and model. Idempotent for the same answer.
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
    """Return the number of rejected texts by model and reason."""
    rows: list[tuple[str, str, int]] = con.execute(
        """
        select decided_by, reason, count(*)
        from coach.llm_rejected_texts
        group by decided_by, reason
        order by decided_by, reason
        """
    ).fetchall()
    return {(decided_by, reason): count for decided_by, reason, count in rows}
