"""Publish the active plans athlete by athlete, with the dependencies of a run."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime

from coach_agent.journal.current_plans import JournaledPlan, read_current_plans
from coach_agent.journal.publications import (
    done_publications,
    pending_states,
    publications_of,
)
from coach_agent.profile.model import AthleteProfile
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
    recorder = Recorder(connect, turn)
    outcomes = []
    for begin in range(0, len(accounts), _BATCH_ATHLETES):
        some = accounts[begin : begin + _BATCH_ATHLETES]
        with connect() as con:
            ids = [athlete.id for athlete in some]
            current, done = read_current_plans(con, ids), done_publications(con, ids)
            pending = pending_states(con, ids)
            stopped = read_red_flags_of(con, some, datetime.now(UTC)).keys()
            to_mark = {each for each in stopped if to_withdraw(publications_of(con, each))}
        for athlete in some:
            is_stopped = athlete.id in stopped
            stands = None if is_stopped else current.get(athlete.id)
            if stands is not None and athlete.id in done:
                outcomes.append(outcome_of(athlete, stands.plan.routine_title, done[athlete.id]))
                continue
            states = pending.get(athlete.id, frozenset())
            if stands is not None or "publishing" in states or athlete.id in to_mark:
                outcomes += _publish_for(
                    athlete,
                    stands,
                    make_client,
                    recorder,
                    run_id,
                    has_pending=bool(states),
                    is_stopped=is_stopped,
                )
    return outcomes


def _publish_for(
    athlete: AthleteProfile,
    current: JournaledPlan | None,
    make_client: MakeClient,
    recorder: Recorder,
    run_id: str,
    *,
    has_pending: bool,
    is_stopped: bool,
) -> list[PublicationOutcome]:
    outcomes: list[PublicationOutcome] = []
    try:
        with make_client(athlete) as client:
            account = AthletePublisher(athlete, client, recorder, run_id)
            if has_pending:
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
