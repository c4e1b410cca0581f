"""Publication: how a plan becomes a routine in Hevy, once, and never over an edit not seen.

stage → read the routine → compare → (preview: stop) → record the intent → PUT → read back →
compare → record. The intent is committed before anything is sent, so that a run killed at any
moment is continued by the next one: it reads the routine and sees whether the PUT had arrived.

| state        | meaning                                                              | final |
| ------------ | -------------------------------------------------------------------- | ----- |
| `previewed`  | the athlete only wants to see the difference; nothing was sent       | no    |
| `publishing` | the intent is recorded; the PUT may or may not have arrived          | no    |
| `published`  | read back and equal to the plan                                      | yes   |
| `unchanged`  | the routine already said what the plan says; nothing was sent        | yes   |
| `conflict`   | the routine is no longer the one that the plan was made for          | yes   |
| `failed`     | Hevy refused the body, or what was read back differs from the plan   | yes   |
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol

import duckdb

from coach_agent.plan import Plan
from coach_agent.routine_changes import Change, StructureConflictError, differences, merged
from hevy_connector.client import JsonObject
from hevy_connector.errors import HevyNotFoundError, HevyRequestError
from hevy_connector.schemas import Routine, RoutineWrite

Mode = Literal["preview", "auto"]
State = Literal["previewed", "publishing", "published", "unchanged", "conflict", "failed"]
Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]

FINAL_STATES: frozenset[State] = frozenset({"published", "unchanged", "conflict", "failed"})


class RoutineService(Protocol):
    """The part of the Hevy client that publishing needs."""

    def routine(self, routine_id: str) -> JsonObject:
        """The routine as it is now."""

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
        """Replace the routine."""


@dataclass(frozen=True)
class Publication:
    """How the publication of a plan stands, and what it changes in the routine."""

    publication_id: str
    state: State
    changes: tuple[Change, ...]
    detail: str
    is_new: bool


def publish(
    plan_id: str,
    plan: Plan,
    mode: Mode,
    service: RoutineService,
    connect: Connect,
    land_routine: Callable[[duckdb.DuckDBPyConnection, JsonObject], str],
    *,
    now: Callable[[], datetime],
    run_id: str,
) -> Publication:
    """Bring the routine in Hevy to what `plan` says, or say why not; safe to repeat.

    A plan is published at most once: afterwards the routine is the athlete's to edit. No
    connection from `connect` is held while `service` is asked. `land_routine` stores the routine
    as it was read back and returns its content's hash; it runs in the transaction that records
    the publication.

    Raises:
        HevyError: the service could not be asked; the next call continues from here.
    """
    journal = _Journal(plan_id, plan, mode, connect, now, run_id)
    before = journal.read()
    if before is not None and (before.state in FINAL_STATES or _is_settled(before, mode)):
        return before
    try:
        payload = service.routine(plan.routine_id)
    except HevyNotFoundError:
        return journal.finish("conflict", (), "The routine no longer exists in Hevy.")
    routine = Routine.model_validate(payload)
    current = RoutineWrite.from_read(routine)
    try:
        target = merged(current, plan)
    except StructureConflictError as conflict:
        return journal.finish("conflict", (), str(conflict))
    changes = differences(routine, current, target)
    if before is not None and before.state == "publishing":
        if not changes:
            return journal.finish_published(payload, before.changes, land_routine)
        if journal.base_sha256() != _content_hash(current):
            return journal.finish(
                "conflict", before.changes, "The routine was edited while it was being published."
            )
    elif not changes:
        return journal.finish("unchanged", (), "The routine already says this.")
    elif mode == "preview":
        return journal.start("previewed", current, target, changes)
    journal.start("publishing", current, target, changes)
    return _send(journal, service, routine.id, target, changes, land_routine)


def _send(
    journal: "_Journal",
    service: RoutineService,
    routine_id: str,
    target: RoutineWrite,
    changes: tuple[Change, ...],
    land_routine: Callable[[duckdb.DuckDBPyConnection, JsonObject], str],
) -> Publication:
    try:
        service.update_routine(routine_id, target)
    except HevyRequestError as error:
        return journal.finish("failed", changes, str(error))
    stored = service.routine(routine_id)
    routine = Routine.model_validate(stored)
    left = differences(routine, RoutineWrite.from_read(routine), target)
    if left:
        first = left[0]
        return journal.finish(
            "failed",
            changes,
            f"Read back, {len(left)} fields differ from what was sent; first "
            f"{first.exercise_title}, set {first.set_index + 1}, {first.field}: "
            f"{first.before} instead of {first.after}.",
        )
    return journal.finish_published(stored, changes, land_routine)


def _is_settled(before: Publication, mode: Mode) -> bool:
    return before.state == "previewed" and mode == "preview"


def _content_hash(routine: RoutineWrite) -> str:
    return hashlib.sha256(routine.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True)
class _Journal:
    """The row of one plan in `coach.publications`."""

    plan_id: str
    plan: Plan
    mode: Mode
    connect: Connect
    now: Callable[[], datetime]
    run_id: str

    @property
    def publication_id(self) -> str:
        return f"pub_{self.plan_id.removeprefix('plan_')}"

    def read(self) -> Publication | None:
        with self.connect() as con:
            rows: list[tuple[State, str, str | None]] = con.execute(
                "select state, diff, detail from coach.publications where publication_id = $1",
                [self.publication_id],
            ).fetchall()
        if not rows:
            return None
        state, diff, detail = rows[0]
        changes = tuple(Change(**change) for change in json.loads(diff or "[]"))
        return Publication(self.publication_id, state, changes, detail or "", is_new=False)

    def base_sha256(self) -> str | None:
        """The hash of the routine that the recorded intent was to change."""
        with self.connect() as con:
            rows: list[tuple[str | None]] = con.execute(
                "select base_sha256 from coach.publications where publication_id = $1",
                [self.publication_id],
            ).fetchall()
        return rows[0][0] if rows else None

    def start(
        self,
        state: State,
        current: RoutineWrite,
        target: RoutineWrite,
        changes: tuple[Change, ...],
    ) -> Publication:
        """Record what is about to happen, with the moment from which it counts."""
        with self.connect() as con:
            self._write(
                con,
                state,
                changes,
                detail="",
                base_sha256=_content_hash(current),
                request=json.dumps(target.put_body()),
                effective_at=self._moment() if state == "publishing" else None,
            )
        return Publication(self.publication_id, state, changes, "", is_new=True)

    def finish(self, state: State, changes: tuple[Change, ...], detail: str) -> Publication:
        with self.connect() as con:
            self._write(con, state, changes, detail=detail, finished_at=self._moment())
        return Publication(self.publication_id, state, changes, detail, is_new=True)

    def finish_published(
        self,
        stored: JsonObject,
        changes: tuple[Change, ...],
        land_routine: Callable[[duckdb.DuckDBPyConnection, JsonObject], str],
    ) -> Publication:
        """Record success and the routine as it was read back, together or not at all."""
        with self.connect() as con:
            con.begin()
            try:
                self._write(
                    con,
                    "published",
                    changes,
                    detail="",
                    published_sha256=land_routine(con, stored),
                    finished_at=self._moment(),
                )
            except BaseException:
                con.rollback()
                raise
            con.commit()
        return Publication(self.publication_id, "published", changes, "", is_new=True)

    def _moment(self) -> datetime:
        return self.now().astimezone(UTC).replace(tzinfo=None)

    def _write(
        self,
        con: duckdb.DuckDBPyConnection,
        state: State,
        changes: tuple[Change, ...],
        *,
        detail: str,
        base_sha256: str | None = None,
        published_sha256: str | None = None,
        request: str | None = None,
        effective_at: datetime | None = None,
        finished_at: datetime | None = None,
    ) -> None:
        """Insert the row or move it on; what was recorded before and is not given now stays."""
        con.execute(
            """
            insert into coach.publications (
                publication_id, plan_id, athlete_id, routine_id, mode, state, base_sha256,
                published_sha256, request, diff, detail, staged_at, effective_at, finished_at,
                run_id
            )
            values (
                $publication_id, $plan_id, $athlete_id, $routine_id, $mode, $state, $base_sha256,
                $published_sha256, $request, $diff, $detail, $staged_at, $effective_at,
                $finished_at, $run_id
            )
            on conflict (publication_id) do update set
                mode = excluded.mode,
                state = excluded.state,
                base_sha256 = coalesce(excluded.base_sha256, base_sha256),
                published_sha256 = coalesce(excluded.published_sha256, published_sha256),
                request = coalesce(excluded.request, request),
                diff = excluded.diff,
                detail = excluded.detail,
                effective_at = coalesce(excluded.effective_at, effective_at),
                finished_at = coalesce(excluded.finished_at, finished_at),
                run_id = excluded.run_id
            """,
            {
                "publication_id": self.publication_id,
                "plan_id": self.plan_id,
                "athlete_id": self.plan.athlete_id,
                "routine_id": self.plan.routine_id,
                "mode": self.mode,
                "state": state,
                "base_sha256": base_sha256,
                "published_sha256": published_sha256,
                "request": request,
                "diff": json.dumps([vars(change) for change in changes]),
                "detail": detail,
                "staged_at": self._moment(),
                "effective_at": effective_at,
                "finished_at": finished_at,
                "run_id": self.run_id,
            },
        )
