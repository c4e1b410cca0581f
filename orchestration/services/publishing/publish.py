"""Publish the active plans of several athletes at a time, with the dependencies of a run."""

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain

import duckdb

from coach_agent.journal.current_plans import JournaledPlan, read_current_plans
from coach_agent.journal.publications import (
    done_publications,
    pending_states,
    publications_of,
)
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.states import PublicationRow
from coach_agent.publishing.withdrawal import to_withdraw
from coach_agent.store.check_ins import read_red_flags_of
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyError
from orchestration.config.settings import SettingsError
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import WriteLock
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import (
    AthletePublisher,
    PublicationOutcome,
    outcome_of,
    title_of,
)
from orchestration.storage.warehouse import Connect

_log = logging.getLogger(__name__)

MakeClient = Callable[[AthleteProfile], HevyClient]

_BATCH_ATHLETES = 200
"""Limits memory: plans and publications contain whole routines."""


def publish_all(
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    *,
    run_id: str,
    concurrency: int = 4,
    turn: WriteLock = nullcontext,
) -> list[PublicationOutcome]:
    """Publish the plan of each athlete with a plan and an account.

    Interrupted publications are completed first. A published plan is detected without a
    request. Failures are isolated by athlete. An open red flag withdraws the published plan. The
    caller holds the `publication_lock`; `concurrency` limits the accounts; `turn` serializes
    commits with other publishing processes.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            infrastructure errors, which concern all athletes.
    """
    accounts = [athlete for athlete in athletes if athlete.hevy.account != "none"]
    publish = partial(
        _publish_in_turn,
        make_client=make_client,
        recorder=Recorder(connect, turn),
        run_id=run_id,
    )
    outcomes: list[PublicationOutcome] = []
    with ThreadPoolExecutor(concurrency, thread_name_prefix="hevy-publications") as pool:
        for begin in range(0, len(accounts), _BATCH_ATHLETES):
            with connect() as con:
                due = _read_due(con, accounts[begin : begin + _BATCH_ATHLETES])
            outcomes += chain.from_iterable(pool.map(publish, _by_account(due)))
    return outcomes


@dataclass(frozen=True)
class _Due:
    """An athlete with a plan to publish, with an interrupted publication, or with one to withdraw.

    `current` is the active plan, None with a red flag; `done` its publication, once it has ended.
    """

    athlete: AthleteProfile
    current: JournaledPlan | None
    done: PublicationRow | None
    has_pending: bool
    is_stopped: bool


def _read_due(con: duckdb.DuckDBPyConnection, athletes: Sequence[AthleteProfile]) -> list[_Due]:
    """Return the athletes with an outcome or with something to publish."""
    ids = [athlete.id for athlete in athletes]
    current, done = read_current_plans(con, ids), done_publications(con, ids)
    pending = pending_states(con, ids)
    stopped = read_red_flags_of(con, athletes, datetime.now(UTC)).keys()
    due = []
    for athlete in athletes:
        is_stopped = athlete.id in stopped
        stands = None if is_stopped else current.get(athlete.id)
        states = pending.get(athlete.id, frozenset())
        if (
            stands is not None
            or "publishing" in states
            or (is_stopped and to_withdraw(publications_of(con, athlete.id)))
        ):
            published = None if stands is None else done.get(athlete.id)
            due.append(_Due(athlete, stands, published, bool(states), is_stopped))
    return due


def _by_account(due: Sequence[_Due]) -> Iterable[list[_Due]]:
    """Group athletes that share an account: only one may be published to it at a time."""
    accounts: dict[tuple[str, str], list[_Due]] = {}
    for each in due:
        hevy = each.athlete.hevy
        accounts.setdefault((hevy.account, hevy.api_key_env), []).append(each)
    return accounts.values()


def _publish_in_turn(
    account: Sequence[_Due], *, make_client: MakeClient, recorder: Recorder, run_id: str
) -> list[PublicationOutcome]:
    outcomes = []
    for due in account:
        if due.current is not None and due.done is not None:
            title = due.current.plan.routine_title
            outcomes.append(outcome_of(due.athlete, title, due.done))
        else:
            outcomes += _publish_for(due, make_client, recorder, run_id)
    return outcomes


def _publish_for(
    due: _Due, make_client: MakeClient, recorder: Recorder, run_id: str
) -> list[PublicationOutcome]:
    athlete, current, is_stopped = due.athlete, due.current, due.is_stopped
    outcomes: list[PublicationOutcome] = []
    try:
        with make_client(athlete) as client:
            account = AthletePublisher(athlete, client, recorder, run_id)
            if due.has_pending:
                rows = account.read_publications()
                completed = account.complete_interrupted(rows, current, is_stopped=is_stopped)
                outcomes += [outcome_of(athlete, title_of(row), row) for row in completed]
                account.expire_waiting(rows, current)
            if current is not None:
                outcomes.append(account.publish(current))
            if is_stopped and (withdrawn := account.withdraw()) is not None:
                outcomes.append(withdrawn)
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
