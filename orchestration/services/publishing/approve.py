"""Requests of an athlete about a publication: approve, reject, roll back, or withdraw."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import duckdb

from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.journal.current_plans import JournaledPlan, decided_at, read_current_plan
from coach_agent.journal.publication_inputs import news_since
from coach_agent.journal.publications import publications_of, record_response
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.publication_rows import latest_of_plan, new_publication
from coach_agent.publishing.states import FINAL_STATES, PublicationRow
from coach_agent.publishing.unfinished import interrupted
from coach_agent.publishing.withdrawal import to_withdraw
from coach_agent.store.check_ins import read_open_red_flags
from hevy_connector.errors import HevyError
from hevy_connector.http.limits import RetryPolicy
from orchestration.config.athletes import hevy_client
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.lock import publication_lock
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import (
    AthletePublisher,
    PublicationOutcome,
    outcome_of,
    title_of,
)
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import open_warehouse

LATEST = "latest"

# The athlete waits for the answer, and the next run withdraws what this one could not.
_IMPATIENT = RetryPolicy(attempts=2, deadline_s=10.0)


class ApprovalError(Exception):
    """The requested action is not possible; the message has the reason and the alternatives."""


def find_publication(rows: Sequence[PublicationRow], name: str) -> PublicationRow:
    """Return a publication of an athlete by its id, by its plan's id, or the latest one.

    `rows` are all of the athlete, newest first.

    Raises:
        ApprovalError: there is none.
    """
    if name == LATEST:
        found = next(iter(rows), None)
    else:
        by_id = (row for row in rows if row.publication_id == name)
        found = next(by_id, None) or latest_of_plan(rows, name)
    if found is None:
        raise ApprovalError(f"There is no publication '{name}'. See: spotter publications")
    return found


def approve(settings: Settings, athlete: AthleteProfile, name: str) -> PublicationOutcome:
    """Publish the plan that is pending approval, immediately.

    Raises:
        ApprovalError: the plan is not pending, or it is out of date.
        HevyError: Hevy did not answer. The approval is stored; the next run publishes the plan.
    """
    if athlete.publish.mode == "preview":
        raise ApprovalError(
            'Nothing is ever sent while publish.mode is "preview". Write publish.mode = "approve" '
            f"into the profile of '{athlete.id}' to approve each plan, or \"auto\"."
        )
    with _publisher(settings, athlete, f"approval of {name}") as account:
        _complete_interrupted(account)
        current, row = _current(account, name)
        is_done = row.state in {"published", "unchanged", "failed", "publishing"}
        if is_done and row.rolled_back_by is None:
            name = row.publication_id
            raise ApprovalError(f"{name} is {row.state}: there is nothing to approve.")
        if row.is_final:
            # A rejected or rolled back plan is approved again.
            row = _new_publication(account.read_publications(), athlete, current, account.run_id)
        account.respond(row, "approved", "The athlete wants it.")
        return account.publish(current)


def reject(settings: Settings, athlete: AthleteProfile, name: str, reason: str) -> PublicationRow:
    """Reject a plan and store the reason, which the coach reads when it plans again.

    Raises:
        ApprovalError: the plan is published or otherwise final.
    """
    if not reason.strip():
        raise ApprovalError('Say why: --because "..."; the coach is to know it next time.')
    reason = secrets_scrubber(settings.keys)(reason.strip())
    recorder, run_id = Recorder(partial(open_warehouse, settings.warehouse)), f"rejection {uuid4()}"

    def change(con: duckdb.DuckDBPyConnection) -> PublicationRow:
        current, now = read_current_plan(con, athlete.id), recorder.now()
        rows = publications_of(con, athlete.id)
        row = _of_current(rows, athlete, current, name, run_id) or find_publication(rows, name)
        if row.kind != "plan" or row.state in FINAL_STATES | {"publishing"}:
            way_back = f" To undo it: spotter rollback {row.publication_id}" * row.was_sent
            raise ApprovalError(f"{row.publication_id} is {row.state} already.{way_back}")
        return record_response(con, row, "rejected", reason, at=now, run_id=run_id)

    with publication_lock(settings.warehouse_path, f"rejection of {name}"):
        return recorder.write(change)


def roll_back(
    settings: Settings, athlete: AthleteProfile, name: str, *, is_dry_run: bool
) -> PublicationRow:
    """Restore a routine to its state before a publication.

    Raises:
        RollbackError: there is nothing to roll back.
        HevyError: Hevy did not answer; the next run continues a rollback that has begun.
    """
    with _publisher(settings, athlete, f"rollback of {name}") as account:
        begun = frozenset[str]() if is_dry_run else _complete_interrupted(account)
        rows = account.read_publications()
        row = find_publication(rows, name)
        if row.rolled_back_by is not None and row.rolled_back_by in begun:
            # It was requested earlier and completed only now.
            return find_publication(rows, row.rolled_back_by)
        unit = athlete.gym.unit
        steps = account.publisher.roll_back(row, rows, unit, is_dry_run=is_dry_run)
        return account.complete(steps)


def withdraw(settings: Settings, athlete: AthleteProfile) -> PublicationOutcome | None:
    """Withdraw the published plan of an athlete with a red flag; None if there is none.

    Hevy that is not configured or cannot be reached is the outcome's problem; the next run tries
    again.
    """
    with open_warehouse(settings.warehouse, read_only=True) as con:
        rows = publications_of(con, athlete.id)
    held = to_withdraw(rows) or next(iter(interrupted(rows)), None)
    if held is None:
        return None
    title = title_of(held)
    try:
        with _publisher(settings, athlete, "withdrawal of latest", _IMPATIENT) as account:
            names = _complete_interrupted(account)
            done = account.withdraw()
            if done is not None or not names:
                return done
            settled = (row for row in account.read_publications() if row.publication_id in names)
            ended = next((row for row in settled if row.kind == "withdrawal"), None)
            return None if ended is None else outcome_of(athlete, title, ended)
    except (HevyError, SettingsError, LockedError) as error:
        return PublicationOutcome(athlete.id, title, None, problem=str(error))


def _complete_interrupted(account: AthletePublisher) -> frozenset[str]:
    """Complete interrupted publications first; returns their ids.

    Raises:
        HevyError: Hevy did not answer; the next run retries.
    """
    athlete, now = account.athlete, account.recorder.now()
    rows, current, flags = account.recorder.read(
        lambda con: (
            publications_of(con, athlete.id),
            read_current_plan(con, athlete.id),
            read_open_red_flags(con, athlete, now),
        )
    )
    account.complete_interrupted(rows, current, is_stopped=bool(flags))
    return frozenset(row.publication_id for row in interrupted(rows))


@contextmanager
def _publisher(
    settings: Settings, athlete: AthleteProfile, owner: str, retry: RetryPolicy | None = None
) -> Iterator[AthletePublisher]:
    with (
        publication_lock(settings.warehouse_path, owner),
        hevy_client(settings, athlete, retry) as client,
    ):
        recorder = Recorder(partial(open_warehouse, settings.warehouse))
        run_id = f"{owner.split(maxsplit=1)[0]} {uuid4()}"
        yield AthletePublisher(athlete, client, recorder, run_id)


def _current(account: AthletePublisher, name: str) -> tuple[JournaledPlan, PublicationRow]:
    """Return the active plan and its publication, if `name` refers to it.

    Raises:
        ApprovalError: `name` refers to a plan that is no longer active.
    """
    athlete = account.athlete

    def read(
        con: duckdb.DuckDBPyConnection,
    ) -> tuple[JournaledPlan | None, list[PublicationRow], bool]:
        current = read_current_plan(con, athlete.id)
        has_news = current is not None and news_since(
            con, athlete.id, decided_at(con, current.plan_id)
        )
        return current, publications_of(con, athlete.id), has_news

    current, rows, has_news = account.recorder.read(read)
    own = _of_current(rows, athlete, current, name, account.run_id)
    found = own or find_publication(rows, name)
    is_old = current is None or found.plan_id != current.plan_id or found.kind != "plan"
    if is_old or has_news or current is None:
        if found.state in {"waiting", "approved"}:
            account.respond(found, "expired", "Newer data came in before it was approved.")
        why = "newer data came in" if has_news else "another plan is active"
        raise ApprovalError(f"{found.publication_id} has expired: {why}. Run: spotter run")
    return current, found


def _of_current(
    rows: Sequence[PublicationRow],
    athlete: AthleteProfile,
    current: JournaledPlan | None,
    name: str,
    run_id: str,
) -> PublicationRow | None:
    """Return the active plan's publication, new if it has none; None if `name` is another one."""
    if current is None:
        return None
    row = latest_of_plan(rows, current.plan_id)
    known = {LATEST, current.plan_id, *([] if row is None else [row.publication_id])}
    if name not in known:
        return None
    return row or _new_publication(rows, athlete, current, run_id)


def _new_publication(
    rows: Sequence[PublicationRow], athlete: AthleteProfile, current: JournaledPlan, run_id: str
) -> PublicationRow:
    mode, now = athlete.publish.mode, datetime.now(UTC)
    return new_publication(rows, current.plan_id, current.plan, mode, at=now, run_id=run_id)
