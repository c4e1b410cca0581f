"""Read the lake as of the time a decision was written."""

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


class SnapshotMissingError(Exception):
    """The lake has no snapshot of that time; the message has the reason."""


def audit_in_lake(lake: Lake, decided: JournaledDecision) -> Audit:
    """Rebuild the decision's input from the snapshot that added the decision.

    That snapshot contains all data of the decision: later writes on the athlete are excluded, and
    concurrent writes on others are irrelevant.

    Raises:
        SnapshotMissingError: the snapshot has expired, or the decision was migrated into the lake.
        WarehouseBusyError: the catalog does not answer.
    """
    with open_warehouse(lake, read_only=True) as con:
        snapshot, committed_at = _commit_of(con, decided.decision_id)
    if committed_at is None:
        raise SnapshotMissingError(_expired_message(decided.decision_id))
    if committed_at - decided.decided_at > _LONGEST_RUN:
        raise SnapshotMissingError(
            f"{decided.decision_id} was written into the lake at {committed_at:%Y-%m-%d %H:%M} "
            "UTC, long after it was made: the lake has no snapshot of that time."
        )
    with _open_snapshot(lake, snapshot, decided.decision_id) as con:
        return audit(con, decided, snapshot=snapshot)


def _commit_of(con: duckdb.DuckDBPyConnection, decision_id: str) -> tuple[int, datetime | None]:
    """Return the snapshot that added the decision and its time (UTC); None if it has expired."""
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
def _open_snapshot(
    lake: Lake, snapshot: int, decision_id: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect_duckdb() as con:
        try:
            attach_lake(con, lake, read_only=True, snapshot=snapshot)
        except duckdb.InvalidInputException as error:
            # The weekly maintenance expired it in between.
            if _FORGOTTEN not in str(error):
                raise
            raise SnapshotMissingError(_expired_message(decision_id)) from None
        con.execute(f"use {CATALOG_NAME}")
        yield con


def _expired_message(decision_id: str) -> str:
    return (
        f"The lake's snapshot of {decision_id} has expired: it keeps {KEEP_SNAPSHOTS.days} days. "
        "Without --from-lake the decision is replayed from its stored input."
    )
