"""The lake as it was when a decision was written into it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.verification.audit import Audit, audit
from coach_agent.verification.replay import JournaledDecision
from orchestration.config.lake import Lake
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.lake.catalog import CATALOG_NAME, attach_lake
from orchestration.storage.lake.upkeep import KEEP_SNAPSHOTS
from orchestration.storage.warehouse import open_warehouse

_LONGEST_RUN = timedelta(hours=2)
_FORGOTTEN = "No snapshot found"


class PastUnknownError(Exception):
    """The lake has nothing of that moment; the text says why."""


def audit_in_lake(lake: Lake, decided: JournaledDecision) -> Audit:
    """Make the decision's input again from the snapshot in which the decision came into the lake.

    That has all that it was made from: what is written of an athlete later cannot be in it, and
    what others wrote meanwhile decides nothing.

    Raises:
        PastUnknownError: that snapshot is forgotten, or the decision was moved into the lake.
        WarehouseBusyError: the catalog does not answer.
    """
    with open_warehouse(lake, read_only=True) as con:
        snapshot, committed_at = _commit_of(con, decided.decision_id)
    if committed_at is None:
        raise PastUnknownError(_forgotten(decided.decision_id))
    if committed_at - decided.decided_at > _LONGEST_RUN:
        raise PastUnknownError(
            f"{decided.decision_id} came into the lake at {committed_at:%Y-%m-%d %H:%M} UTC, long "
            "after it was made: of the moment itself the lake knows nothing."
        )
    with _past(lake, snapshot, decided.decision_id) as con:
        return audit(con, decided, snapshot=snapshot)


def _commit_of(con: duckdb.DuckDBPyConnection, decision_id: str) -> tuple[int, datetime | None]:
    """The snapshot that brought the decision, and when (UTC); no time if it is forgotten."""
    [(snapshot, at)] = con.execute(
        f"""
        select decisions.snapshot_id, snapshots.snapshot_time
        from (select snapshot_id from coach.decisions where decision_id = $1) as decisions
        left join ducklake_snapshots('{CATALOG_NAME}') as snapshots
            on decisions.snapshot_id = snapshots.snapshot_id
        """,  # noqa: S608 - a constant
        [decision_id],
    ).fetchall()
    return int(snapshot), None if at is None else at.astimezone(UTC)


@contextmanager
def _past(lake: Lake, snapshot: int, decision_id: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect_duckdb() as con:
        try:
            attach_lake(con, lake, read_only=True, snapshot=snapshot)
        except duckdb.InvalidInputException as error:
            # The weekly upkeep came between.
            if _FORGOTTEN not in str(error):
                raise
            raise PastUnknownError(_forgotten(decision_id)) from None
        con.execute(f"use {CATALOG_NAME}")
        yield con


def _forgotten(decision_id: str) -> str:
    return (
        f"The lake has forgotten the moment of {decision_id}: it remembers "
        f"{KEEP_SNAPSHOTS.days} days. Without --from-lake it is replayed from its stored input."
    )
