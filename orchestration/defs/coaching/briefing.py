"""The daily briefing: written in each run, sent once a day or if its content changed."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

import dagster as dg
import duckdb

from coach_agent.profile.model import AthleteProfile
from coach_agent.sessions.catalogue import (
    Session,
    SessionsError,
    all_sessions,
    bundled_sessions,
)
from coach_agent.store.briefings import (
    Notification,
    WrittenBriefing,
    pending_destinations,
    record_briefings,
    record_notifications,
)
from hevy_connector.raw.transactions import retry_on_conflict, run_in_transaction, transaction
from orchestration.assets.coach_assets import check_result, coach_asset
from orchestration.config.settings import load_settings
from orchestration.defs.coaching.assets import PUBLICATION
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.infrastructure_errors import is_catalog_lost
from orchestration.runs.lock import WriteLock
from orchestration.services.briefing.brief import read_day_states, write_briefing
from orchestration.services.operations.notify import Message, send
from orchestration.services.operations.step_failures import describe_failures
from orchestration.services.planning.plan import ATHLETES_A_BATCH
from orchestration.services.planning.plan_outcome import SHOWN_ATHLETES
from orchestration.storage.table_metadata import table_metadata
from orchestration.text.briefing import Briefing

BRIEFING = dg.AssetKey(["coach", "briefing"])

_OUTDATED_AFTER_S = 60.0
"""Unsent briefings older than this are written again."""


@coach_asset(
    BRIEFING,
    deps=[PUBLICATION],
    checks={
        "written": "Each athlete has a briefing, with the sessions of the operator's files; the "
        "log has the errors.",
        "delivered": "Each briefing was delivered to every pending address of the profile. The "
        "next run retries failed deliveries.",
    },
)
@describe_failures("No briefing is written")
def coach_briefing(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The daily briefing of each athlete; one row per athlete, day and content.

    Failures of one athlete or service are isolated and do not fail the run: the plan is already in
    Hevy.
    """
    told: dict[str, Briefing] = {}
    unwritten: dict[str, Exception] = {}
    unsent: dict[str, Exception] = {}
    tried: list[tuple[str, Notification]] = []
    sessions, unread = _sessions(context)
    for profile, found in _write_fresh(athletes, warehouse, context.run.run_id, sessions):
        if isinstance(found, Exception):
            unwritten[profile.id] = found
            context.log.error("No briefing for %s", profile.id, exc_info=found)
            continue
        told[profile.id], kept = found
        try:
            sent = _send_pending(profile, told[profile.id], kept, warehouse)
        except Exception as error:
            if is_catalog_lost(error):
                raise
            unsent[profile.id] = error
            context.log.error("Sending the briefing of %s failed", profile.id, exc_info=error)
        else:
            tried += [(profile.id, each) for each in sent]
    undelivered = [
        f"{athlete_id}, {each.destination}: {each.detail}"
        for athlete_id, each in tried
        if each.state == "failed"
    ]
    with warehouse.connect(read_only=True) as con:
        table = table_metadata(con, "coach", "briefings")
    return dg.MaterializeResult(
        metadata={
            **table,
            "briefings": len(told),
            "sent": sum(each.state == "sent" for _, each in tried),
            **{
                f"briefing of {athlete_id}": dg.MetadataValue.md(briefing.markdown())
                for athlete_id, briefing in islice(told.items(), SHOWN_ATHLETES)
            },
        },
        check_results=[
            check_result(
                "written",
                [*unread, *(f"{each}: {_error_text(why)}" for each, why in unwritten.items())],
            ),
            check_result(
                "delivered",
                undelivered + [f"{each}: {_error_text(why)}" for each, why in unsent.items()],
            ),
        ],
    )


def _sessions(context: dg.AssetExecutionContext) -> tuple[tuple[Session, ...], list[str]]:
    """Return all sessions, or the bundled ones with the problem of the operator's files."""
    try:
        return all_sessions(load_settings().session_files), []
    except SessionsError as error:
        context.log.error("%s", error)
        return bundled_sessions(), [str(error)]


_WriteResult = tuple[Briefing, WrittenBriefing] | Exception
"""The written and stored briefing of an athlete, or the error."""


def _write_fresh(
    athletes: AthletesResource,
    warehouse: WarehouseResource,
    run_id: str,
    sessions: Sequence[Session],
) -> Iterator[tuple[AthleteProfile, _WriteResult]]:
    """Yield each athlete with a briefing that is not stale.

    Sending may take long, and the next athlete's plan may change in the meantime.
    """
    left = athletes.profiles()
    while left:
        some = left[:ATHLETES_A_BATCH]
        written = _write_batch(some, warehouse, run_id, athletes.turn, sessions)
        outdated_at = time.monotonic() + _OUTDATED_AFTER_S
        for profile in some:
            yield profile, written[profile.id]
            left = left[1:]
            if time.monotonic() > outdated_at:
                break


def _write_batch(
    profiles: Sequence[AthleteProfile],
    warehouse: WarehouseResource,
    run_id: str,
    turn: WriteLock,
    sessions: Sequence[Session],
) -> dict[str, _WriteResult]:
    """Write and store briefings, by athlete.

    If the batch fails, they are written one by one.
    """
    written: dict[str, _WriteResult] = {}

    def write(con: duckdb.DuckDBPyConnection) -> None:
        now = datetime.now(UTC)
        known = read_day_states(con, profiles, now, sessions)
        for profile in profiles:
            try:
                briefing = write_briefing(con, profile, known[profile.id], now)
            except duckdb.Error:
                raise
            except Exception as error:
                # Any error is isolated to its athlete.
                written[profile.id] = error
            else:
                written[profile.id] = briefing, briefing.written(now=now, run_id=run_id)

    try:
        with warehouse.connect() as con:
            with transaction(con):  # a consistent snapshot
                write(con)
            kept = [each[1] for each in written.values() if not isinstance(each, Exception)]
            with turn():
                run_in_transaction(con, lambda: record_briefings(con, kept))
    except Exception as error:
        if is_catalog_lost(error):
            raise
        if len(profiles) == 1:
            return {profiles[0].id: error}
        return {
            each.id: _write_batch([each], warehouse, run_id, turn, sessions)[each.id]
            for each in profiles
        }
    return written


def _send_pending(
    profile: AthleteProfile,
    briefing: Briefing,
    written: WrittenBriefing,
    warehouse: WarehouseResource,
) -> tuple[Notification, ...]:
    """Send a briefing to its pending destinations; the warehouse is closed during requests."""
    destinations = profile.notify.destinations(load_settings().keys)
    if not destinations:
        return ()
    with warehouse.connect(read_only=True) as con:
        waiting = pending_destinations(con, written, [name for name, _ in destinations])
    if not waiting:
        return ()
    asked = [each for each in destinations if each[0] in waiting]
    message = Message(briefing.title, briefing.body(), briefing.plain())
    sent = send(asked, message, lambda: datetime.now(UTC))

    def record() -> None:
        with warehouse.connect() as con, transaction(con):
            record_notifications(con, written, sent, run_id=written.run_id)

    retry_on_conflict(record)
    return sent


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
