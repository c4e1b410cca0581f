"""Publish the active plans athlete by athlete, with the dependencies of a run."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb

from coach_agent.journal.decisions import JournaledPlan, read_current_plans
from coach_agent.planning.rotation import local_date
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.new_routine import OwnRoutine
from coach_agent.publishing.plan_basis import read_basis
from coach_agent.publishing.publication_safety import why_unsafe
from coach_agent.publishing.publications import (
    athletes_interrupted,
    done_publications,
    interrupted_publications,
    publications_of,
    record_response,
)
from coach_agent.publishing.publisher import Publisher
from coach_agent.publishing.routine_changes import Change
from coach_agent.publishing.routine_writer import RoutineService, RoutineWriter
from coach_agent.publishing.states import PublicationRow, State
from coach_agent.publishing.withdrawal import to_withdraw
from coach_agent.store.check_ins import read_red_flags_of
from hevy_connector.canonical_json import canonical_json
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyError
from hevy_connector.raw.landing import Record, land
from hevy_connector.raw.transactions import retry_on_conflict, transaction
from hevy_connector.schemas import JsonObject, Routine
from orchestration.config.settings import SettingsError
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import WriteLock, shard_lock
from orchestration.runs.partitions import Shard
from orchestration.services.kept_open import ClosingService, ReusedConnection
from orchestration.storage.warehouse import Connect

_log = logging.getLogger(__name__)

MakeClient = Callable[[AthleteProfile], HevyClient]

PUBLICATION_LOCK_FILE = "publishing.lock"

_LONGEST_WAIT_S = 120.0

_BATCH_ATHLETES = 200
"""Limits memory: plans and publications contain whole routines."""


@dataclass(frozen=True)
class PublicationOutcome:
    """State of one publication; `problem` is a message for the operator.

    `state` is None if Hevy did not answer.
    """

    athlete_id: str
    routine_title: str
    state: State | None
    changes: tuple[Change, ...] = ()
    problem: str | None = None
    is_new: bool = False

    @property
    def was_sent(self) -> bool:
        """Return true if this run sent the change to Hevy, or found it there."""
        return self.is_new and self.state == "published"


def publication_lock(
    warehouse: Path, owner: str, shard: Shard | None = None
) -> AbstractContextManager[None]:
    """Lock for writes to Hevy: one process per home, others wait.

    In a lake, one process per partition of the athletes.

    Raises:
        LockedError: timeout after minutes.
    """
    path = warehouse.with_name(PUBLICATION_LOCK_FILE)
    return shard_lock(path, owner, wait_s=_LONGEST_WAIT_S, shard=shard)


def publish_all(
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    *,
    run_id: str,
    turn: WriteLock = nullcontext,
) -> list[PublicationOutcome]:
    """Publish the plan of each athlete with a plan and an account.

    Interrupted publications are completed first. A published plan is detected without a
    request. Failures are isolated by athlete. An open red flag withdraws the published plan. The
    caller holds the `publication_lock`; `turn` serializes commits with other publishing processes.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            infrastructure errors, which concern all athletes.
    """
    accounts = [athlete for athlete in athletes if athlete.hevy.account != "none"]
    outcomes = []
    for begin in range(0, len(accounts), _BATCH_ATHLETES):
        some = accounts[begin : begin + _BATCH_ATHLETES]
        with connect() as con:
            ids = [athlete.id for athlete in some]
            current, done = read_current_plans(con, ids), done_publications(con, ids)
            interrupted = athletes_interrupted(con)
            stopped = read_red_flags_of(con, some, datetime.now(UTC)).keys()
            to_mark = {each for each in stopped if to_withdraw(publications_of(con, each))}
        for athlete in some:
            is_stopped = athlete.id in stopped
            stands = None if is_stopped else current.get(athlete.id)
            if stands is not None and athlete.id in done:
                outcomes.append(outcome_of(athlete, stands.plan.routine_title, done[athlete.id]))
            elif stands is not None or athlete.id in interrupted or athlete.id in to_mark:
                outcomes += _publish_for(
                    athlete, stands, make_client, connect, run_id, turn, is_stopped=is_stopped
                )
    return outcomes


def publisher_for(
    athlete: AthleteProfile,
    service: RoutineService,
    connect: Connect,
    run_id: str,
    turn: WriteLock = nullcontext,
) -> Publisher:
    """Return the athlete's publisher; each use of its warehouse is one transaction."""

    @contextmanager
    def connect_once() -> Iterator[duckdb.DuckDBPyConnection]:
        with connect() as con, transaction(con):
            yield con

    def record_in_turn(once: Callable[[], PublicationRow]) -> PublicationRow:
        """Retry only the write after a conflict, without another request to Hevy."""
        with turn():
            return retry_on_conflict(once)

    def land_routine(con: duckdb.DuckDBPyConnection, payload: JsonObject) -> str:
        return land_published(con, athlete.id, payload, run_id)

    return Publisher(
        RoutineWriter(
            service, connect_once, land_routine, lambda: datetime.now(UTC), run_id, record_in_turn
        )
    )


def complete_interrupted(
    athlete: AthleteProfile,
    rows: Sequence[PublicationRow],
    current: JournaledPlan | None,
    publisher: Publisher,
    *,
    is_stopped: bool = False,
) -> list[PublicationOutcome]:
    """Complete interrupted publications: continue a rollback; detect or abandon an inactive plan.

    A withdrawal is continued while a red flag is open (`is_stopped`), else given up.

    Raises:
        HevyError: the service did not answer; the next run retries.
    """
    outcomes = []
    for row in rows:
        if row.kind == "rollback" or (row.kind == "withdrawal" and is_stopped):
            settled = publisher.resume_rollback(row, athlete.gym.unit)
        elif row.kind == "withdrawal" or current is None or row.plan_id != current.plan_id:
            settled = publisher.settle(row)
            if settled.state == "publishing":
                settled = publisher.give_up(settled)
        else:
            continue
        title = "?" if settled.request is None else settled.request.title
        outcomes.append(outcome_of(athlete, title, settled))
    return outcomes


def _publish_for(
    athlete: AthleteProfile,
    current: JournaledPlan | None,
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
    turn: WriteLock,
    *,
    is_stopped: bool,
) -> list[PublicationOutcome]:
    outcomes: list[PublicationOutcome] = []

    def publish(publisher: Publisher) -> None:
        """Publish; a retry after a write conflict continues like after a kill."""
        outcomes.clear()
        with publisher.writer.connect() as con:
            rows = interrupted_publications(con, athlete.id)
        outcomes.extend(
            complete_interrupted(athlete, rows, current, publisher, is_stopped=is_stopped)
        )
        _expire_waiting(athlete, current, publisher)
        if current is not None:
            outcomes.append(publish_current(athlete, current, publisher))
        if is_stopped and (withdrawn := withdraw_published(athlete, publisher)) is not None:
            outcomes.append(withdrawn)

    @contextmanager
    def turn_when_open() -> Iterator[None]:
        """Open the warehouse first, so that no other process waits for the opening."""
        with warehouse.connect():
            pass
        with turn():
            yield

    try:
        with make_client(athlete) as client, closing(ReusedConnection(connect)) as warehouse:
            service = ClosingService(client, warehouse)
            publisher = publisher_for(athlete, service, warehouse.connect, run_id, turn_when_open)
            retry_on_conflict(partial(publish, publisher))
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        # Any error is isolated to its athlete.
        is_known = isinstance(error, HevyError | SettingsError)
        if not is_known:
            _log.exception("Nothing is published for %s", athlete.id)
        problem = str(error) if is_known else f"{type(error).__name__}: {error}"
        title = current.plan.routine_title if current else "?"
        outcomes.append(PublicationOutcome(athlete.id, title, None, problem=problem))
    return outcomes


def publish_current(
    athlete: AthleteProfile, current: JournaledPlan, publisher: Publisher
) -> PublicationOutcome:
    """Publish the active plan in the athlete's mode.

    Raises:
        HevyError: the service did not answer; the next run continues.
    """
    title = current.plan.routine_title
    with publisher.writer.connect() as con:
        basis = read_basis(con, athlete.id, current.plan_id)
        sha256 = None if basis is None else basis.routine_sha256
        known = _known_routine(con, athlete.id, current.plan.routine_id, sha256)
        unsafe = why_unsafe(con, athlete, current.plan, basis, publisher.writer.now())
    if known is None:
        return PublicationOutcome(athlete.id, title, None, problem="Unknown routine.")
    wishes = athlete.publish
    own = None
    if wishes.target == "new_routine":
        own = OwnRoutine(local_date(publisher.writer.now(), athlete.timezone), wishes.keep)
    done = publisher.publish(
        current.plan_id, current.plan, wishes.mode, known, unsafe=unsafe, own=own
    )
    return outcome_of(athlete, title, done)


def withdraw_published(athlete: AthleteProfile, publisher: Publisher) -> PublicationOutcome | None:
    """Withdraw the published plan of an athlete with a red flag; None if there is none.

    Raises:
        HevyError: the service could not be reached; the next run continues.
    """
    with publisher.writer.connect() as con:
        row = to_withdraw(publications_of(con, athlete.id))
    if row is None:
        return None
    done = publisher.withdraw(row, athlete.gym.unit, athlete.publish.mode)
    return outcome_of(athlete, "?" if row.request is None else row.request.title, done)


def _expire_waiting(
    athlete: AthleteProfile, current: JournaledPlan | None, publisher: Publisher
) -> None:
    """Expire pending publications of plans that are no longer active."""
    reason, now = "Newer data made another plan.", publisher.writer.now()
    with publisher.writer.connect() as con:
        for row in publications_of(con, athlete.id):
            is_current = current is not None and row.plan_id == current.plan_id
            if row.state in {"waiting", "approved"} and not is_current:
                record_response(con, row, "expired", reason, at=now, run_id=publisher.writer.run_id)


def outcome_of(athlete: AthleteProfile, title: str, done: PublicationRow) -> PublicationOutcome:
    """The outcome of a recorded publication of a routine with this title."""
    problem = done.detail if done.state in {"conflict", "failed", "withheld"} else None
    return PublicationOutcome(athlete.id, title, done.state, done.changes, problem, done.is_new)


def _known_routine(
    con: duckdb.DuckDBPyConnection, athlete_id: str, routine_id: str, sha256: str | None
) -> JsonObject | None:
    """Return the routine with this content, or else its latest version."""
    rows: list[tuple[str | None]] = con.execute(
        """
        select coalesce(
            arg_max(payload, loaded_at) filter (payload_sha256 = $3),
            arg_max(payload, loaded_at)
        )
        from raw.hevy_routines
        where athlete_id = $1 and record_id = $2
        """,
        [athlete_id, routine_id, sha256],
    ).fetchall()
    payload: JsonObject | None = json.loads(rows[0][0]) if rows[0][0] else None
    return payload


def land_published(
    con: duckdb.DuckDBPyConnection, athlete_id: str, payload: JsonObject, run_id: str
) -> str:
    """Store a routine as read back after publishing; returns the hash of its content."""
    routine = Routine.model_validate(payload)
    record = Record(routine.id, canonical_json(payload), routine.updated_at)
    land(
        con,
        "hevy_routines",
        athlete_id,
        [record],
        now=datetime.now(UTC),
        run_id=run_id,
        origin="publication",
    )
    return record.payload_sha256
