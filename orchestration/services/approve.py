"""Requests of an athlete about a publication: approve, reject, roll back, or withdraw."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import duckdb

from coach_agent.journal.decisions import JournaledPlan, read_current_plan
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.publication_safety import news_since
from coach_agent.publishing.publications import (
    interrupted_publications,
    latest_of_plan,
    new_publication,
    publication_named,
    publications_of,
    record_response,
)
from coach_agent.publishing.publisher import Publisher
from coach_agent.publishing.states import FINAL_STATES, PublicationRow
from coach_agent.publishing.withdrawal import to_withdraw
from coach_agent.store.check_ins import read_open_red_flags
from hevy_connector.client.limits import RetryPolicy
from hevy_connector.errors import HevyError
from hevy_connector.raw.transactions import transaction
from orchestration.config.athletes import hevy_client
from orchestration.config.settings import Settings, SettingsError
from orchestration.services.publish import (
    PublicationOutcome,
    complete_interrupted,
    outcome_of,
    publication_lock,
    publish_current,
    publisher_for,
    withdraw_published,
)
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import open_warehouse

LATEST = "latest"

# The athlete waits for the answer, and the next run withdraws what this one could not.
_IMPATIENT = RetryPolicy(attempts=2, deadline_s=10.0)


class ApprovalError(Exception):
    """The requested action is not possible; the message has the reason and the alternatives."""


def find_publication(con: duckdb.DuckDBPyConnection, athlete_id: str, name: str) -> PublicationRow:
    """Return the athlete's publication by its id, by its plan's id, or the latest one.

    Raises:
        ApprovalError: there is none.
    """
    if name == LATEST:
        found = next(iter(publications_of(con, athlete_id)), None)
    else:
        found = publication_named(con, name) or latest_of_plan(con, athlete_id, name)
    if found is None or found.athlete_id != athlete_id:
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
    with _publisher(settings, athlete, f"approval of {name}") as publisher:
        _complete_interrupted(athlete, publisher)
        current, row = _current(settings, athlete, name, publisher)
        is_done = row.state in {"published", "unchanged", "failed", "publishing"}
        if is_done and row.rolled_back_by is None:
            name = row.publication_id
            raise ApprovalError(f"{name} is {row.state}: there is nothing to approve.")
        with publisher.writer.connect() as con:
            if row.is_final:
                # A rejected or rolled back plan is approved again.
                row = _new_publication(con, athlete, current, publisher.writer.run_id)
            record_response(
                con,
                row,
                "approved",
                "The athlete wants it.",
                at=publisher.writer.now(),
                run_id=publisher.writer.run_id,
            )
        return publish_current(athlete, current, publisher)


def reject(settings: Settings, athlete: AthleteProfile, name: str, reason: str) -> PublicationRow:
    """Reject a plan and store the reason, which the coach reads when it plans again.

    Raises:
        ApprovalError: the plan is published or otherwise final.
    """
    if not reason.strip():
        raise ApprovalError('Say why: --because "..."; the coach is to know it next time.')
    run_id, now = f"rejection {uuid4()}", datetime.now(UTC)
    with (
        publication_lock(settings.warehouse_path, f"rejection of {name}"),
        open_warehouse(settings.warehouse) as con,
        transaction(con),
    ):
        current = read_current_plan(con, athlete.id)
        row = _of_current(con, athlete, current, name, run_id)
        row = row or find_publication(con, athlete.id, name)
        if row.kind != "plan" or row.state in FINAL_STATES | {"publishing"}:
            way_back = f" To undo it: spotter rollback {row.publication_id}" * row.was_sent
            raise ApprovalError(f"{row.publication_id} is {row.state} already.{way_back}")
        return record_response(con, row, "rejected", reason.strip(), at=now, run_id=run_id)


def roll_back(
    settings: Settings, athlete: AthleteProfile, name: str, *, is_dry_run: bool
) -> PublicationRow:
    """Restore a routine to its state before a publication.

    Raises:
        RollbackError: there is nothing to roll back.
        HevyError: Hevy did not answer; the next run continues a rollback that has begun.
    """
    with _publisher(settings, athlete, f"rollback of {name}") as publisher:
        begun = frozenset[str]() if is_dry_run else _complete_interrupted(athlete, publisher)
        with publisher.writer.connect() as con:
            row = find_publication(con, athlete.id, name)
            if row.rolled_back_by is not None and row.rolled_back_by in begun:
                # It was requested earlier and completed only now.
                return find_publication(con, athlete.id, row.rolled_back_by)
        return publisher.roll_back(row, athlete.gym.unit, is_dry_run=is_dry_run)


def withdraw(settings: Settings, athlete: AthleteProfile) -> PublicationOutcome | None:
    """Withdraw the published plan of an athlete with a red flag; None if there is none.

    Hevy that is not configured or cannot be reached is the outcome's problem; the next run tries
    again.
    """
    with open_warehouse(settings.warehouse, read_only=True) as con:
        rows = publications_of(con, athlete.id)
        begun = interrupted_publications(con, athlete.id)
    held = to_withdraw(rows) or next(iter(begun), None)
    if held is None:
        return None
    title = "?" if held.request is None else held.request.title
    try:
        with _publisher(settings, athlete, "withdrawal of latest", _IMPATIENT) as publisher:
            names = _complete_interrupted(athlete, publisher)
            done = withdraw_published(athlete, publisher)
            if done is not None or not names:
                return done
            with publisher.writer.connect() as con:
                settled = [publication_named(con, name) for name in sorted(names)]
            ended = next((row for row in settled if row and row.kind == "withdrawal"), None)
            return None if ended is None else outcome_of(athlete, title, ended)
    except (HevyError, SettingsError, LockedError) as error:
        return PublicationOutcome(athlete.id, title, None, problem=str(error))


def _complete_interrupted(athlete: AthleteProfile, publisher: Publisher) -> frozenset[str]:
    """Complete interrupted publications first; returns their ids.

    Raises:
        HevyError: Hevy did not answer; the next run retries.
    """
    with publisher.writer.connect() as con:
        current = read_current_plan(con, athlete.id)
        begun = interrupted_publications(con, athlete.id)
        is_stopped = bool(read_open_red_flags(con, athlete, publisher.writer.now()))
    complete_interrupted(athlete, begun, current, publisher, is_stopped=is_stopped)
    return frozenset(each.publication_id for each in begun)


@contextmanager
def _publisher(
    settings: Settings, athlete: AthleteProfile, owner: str, retry: RetryPolicy | None = None
) -> Iterator[Publisher]:
    with (
        publication_lock(settings.warehouse_path, owner),
        hevy_client(settings, athlete, retry) as client,
    ):
        connect = partial(open_warehouse, settings.warehouse)
        yield publisher_for(athlete, client, connect, f"{owner.split(maxsplit=1)[0]} {uuid4()}")


def _current(
    settings: Settings, athlete: AthleteProfile, name: str, publisher: Publisher
) -> tuple[JournaledPlan, PublicationRow]:
    """Return the active plan and its publication, if `name` refers to it.

    Raises:
        ApprovalError: `name` refers to a plan that is no longer active.
    """
    with open_warehouse(settings.warehouse, read_only=True) as con:
        current = read_current_plan(con, athlete.id)
        row = _of_current(con, athlete, current, name, publisher.writer.run_id)
        found = row or find_publication(con, athlete.id, name)
        is_old = current is None or found.plan_id != current.plan_id or found.kind != "plan"
        has_news = current is not None and news_since(con, athlete.id, _decided_at(con, current))
    if is_old or has_news or current is None:
        if found.state in {"waiting", "approved"}:
            reason = "Newer data came in before it was approved."
            with publisher.writer.connect() as con:
                record_response(
                    con,
                    found,
                    "expired",
                    reason,
                    at=publisher.writer.now(),
                    run_id=publisher.writer.run_id,
                )
        why = "newer data came in" if has_news else "another plan is active"
        raise ApprovalError(f"{found.publication_id} has expired: {why}. Run: spotter run")
    return current, found


def _of_current(
    con: duckdb.DuckDBPyConnection,
    athlete: AthleteProfile,
    current: JournaledPlan | None,
    name: str,
    run_id: str,
) -> PublicationRow | None:
    """Return the active plan's publication, new if it has none; None if `name` is another one."""
    if current is None:
        return None
    row = latest_of_plan(con, athlete.id, current.plan_id)
    known = {LATEST, current.plan_id, *([] if row is None else [row.publication_id])}
    if name not in known:
        return None
    return row or _new_publication(con, athlete, current, run_id)


def _new_publication(
    con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, current: JournaledPlan, run_id: str
) -> PublicationRow:
    mode, now = athlete.publish.mode, datetime.now(UTC)
    return new_publication(con, current.plan_id, current.plan, mode, at=now, run_id=run_id)


def _decided_at(con: duckdb.DuckDBPyConnection, current: JournaledPlan) -> datetime:
    """Return the time of the plan's latest decision; newer data may have confirmed it."""
    rows: list[tuple[datetime]] = con.execute(
        "select decided_at from coach.current_plans where plan_id = $1", [current.plan_id]
    ).fetchall()
    return rows[0][0].replace(tzinfo=UTC)
