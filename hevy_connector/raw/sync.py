"""Land fetches in the raw tables, each with its cursor.

A landing sends no HTTP request, so the warehouse is never locked during network waits. A fetch and
its cursor are landed in one transaction: after a kill at any moment the next sync continues from
the last commit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import duckdb

from hevy_connector.raw.landing import LandResult, land_all
from hevy_connector.raw.quarantine import count_all_quarantined
from hevy_connector.raw.sync_state import (
    LastLandings,
    read_last_landings,
    read_record_counts,
    save_sync_states,
)
from hevy_connector.raw.tables import known_records
from hevy_connector.raw.transactions import run_in_transaction
from hevy_connector.records import Batch, Entity, FetchResult, Record


@dataclass(frozen=True)
class Landed:
    """Results by athlete, and the athletes whose fetch is `outdated`: to be fetched again.

    `last_landings` are those after the commit, for the next fetch to be compared with.
    """

    results: Mapping[str, LandResult]
    outdated: Sequence[str]
    last_landings: Mapping[str, LastLandings]


def land_fetched(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    fetched: FetchResult,
    *,
    now: datetime,
    run_id: str,
) -> LandResult:
    """Land one fetch and its cursor in one transaction.

    Raises:
        duckdb.Error: the transaction was rolled back.
    """

    def work() -> LandResult:
        return land_all_fetched(con, {athlete_id: fetched}, now=now, run_id=run_id)[athlete_id]

    return run_in_transaction(con, work)


def land_all_fetched(
    con: duckdb.DuckDBPyConnection,
    fetched: Mapping[str, FetchResult],
    *,
    now: datetime,
    run_id: str,
) -> dict[str, LandResult]:
    """Land fetches of one entity, by athlete, and their cursors, in the caller's transaction."""
    if not fetched:
        return {}
    [entity] = {each.entity for each in fetched.values()}
    batches = {athlete: each.batch for athlete, each in fetched.items()}
    landed = land_all(con, entity, batches, now=now, run_id=run_id, origin="api")
    cursors = {athlete: each.cursor_at for athlete, each in fetched.items()}
    save_sync_states(con, entity, cursors, completed_at=now)
    return landed


def land_unless_outdated(
    con: duckdb.DuckDBPyConnection,
    fetched: Mapping[str, FetchResult],
    known: Mapping[str, LastLandings],
    *,
    now: datetime,
    run_id: str,
    ends_files: bool = False,
) -> Landed:
    """Land fetches of one entity in one transaction, without those that are outdated.

    `known` are the last landings before each fetch: if they changed, newer data may have been
    landed, such as a published routine. With `ends_files`, records from files are marked as
    deleted, since there is an account now.

    Raises:
        duckdb.Error: the transaction was rolled back.
    """
    [entity] = {each.entity for each in fetched.values()}
    athletes = list(fetched)

    def work() -> tuple[dict[str, LandResult], dict[str, LastLandings]]:
        before = read_last_landings(con, entity, athletes)
        current = {
            athlete: each
            for athlete, each in fetched.items()
            if before.get(athlete) == known.get(athlete)
        }
        results = land_all_fetched(con, current, now=now, run_id=run_id)
        if ends_files:
            nothing = {athlete: Batch((), is_complete=True) for athlete in current}
            ended = land_all(con, entity, nothing, now=now, run_id=run_id, origin="csv")
            results = {athlete: ended[athlete] + results[athlete] for athlete in results}
        return (
            _with_missing(con, entity, fetched, results),
            read_last_landings(con, entity, athletes),
        )

    results, committed = run_in_transaction(con, work)
    # In a lake, another commit may fall between the read in the transaction and its commit.
    found = read_last_landings(con, entity, athletes)
    return Landed(
        results,
        [
            athlete
            for athlete in athletes
            if athlete not in results or found.get(athlete) != committed.get(athlete)
        ],
        found,
    )


def unlanded(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str, records: Sequence[Record]
) -> tuple[Record, ...]:
    """Return the records that the raw table lacks or has with another content."""
    known = {
        record_id: None if is_deleted else sha256
        for record_id, sha256, is_deleted in con.execute(
            f"select record_id, payload_sha256, is_deleted from ({known_records(entity)}) "
            "where record_id in (select unnest($ids))",
            {"athlete_id": athlete_id, "ids": [each.record_id for each in records]},
        ).fetchall()
    }
    # An unknown record and one that is known as deleted are equivalent here.
    return tuple(
        each
        for each in records
        if known.get(each.record_id) != (None if each.is_deleted else each.payload_sha256)
    )


def count_missing(
    con: duckdb.DuckDBPyConnection, entity: Entity, counted: Mapping[str, int]
) -> dict[str, int]:
    """Return how many of the records that each account counts are neither landed nor in quarantine.

    Negative if the tables have more.
    """
    if not counted:
        return {}
    known = read_record_counts(con, entity, list(counted))
    unreadable = count_all_quarantined(con, entity, list(counted))
    return {
        athlete: count - known.get(athlete, 0) - unreadable.get(athlete, 0)
        for athlete, count in counted.items()
    }


def _with_missing(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    fetched: Mapping[str, FetchResult],
    results: Mapping[str, LandResult],
) -> dict[str, LandResult]:
    counted = {
        athlete: count for athlete in results if (count := fetched[athlete].counted) is not None
    }
    missing = count_missing(con, entity, counted)
    return {
        athlete: replace(one, missing=missing.get(athlete, 0)) for athlete, one in results.items()
    }
