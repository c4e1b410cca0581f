"""Publication: how a plan becomes a routine in Hevy, once, and never over an edit not seen.

read the routine → compare with what we know and with the plan → (preview: stop) → record the
intent → PUT → read back → compare → record. The intent is committed before anything is sent, so
that a run killed at any moment is continued by the next one: it reads the routine and sees whether
the PUT had arrived.

| state        | meaning                                                              | final |
| ------------ | -------------------------------------------------------------------- | ----- |
| `previewed`  | the athlete only wants to see the difference; nothing was sent       | no    |
| `publishing` | the intent is recorded; the PUT may or may not have arrived          | no    |
| `conflict`   | the routine is not the one that the plan was made for; nothing sent  | no    |
| `published`  | read back and equal to the plan                                      | yes   |
| `unchanged`  | the routine already said what the plan says; nothing was sent        | yes   |
| `superseded` | the PUT never arrived, and meanwhile another plan stands             | yes   |
| `failed`     | Hevy refused the body, or what was read back differs from the plan   | yes   |

Each publication has a row of its own, numbered within its routine. A plan whose row is final and
the routine's latest is done; one that returns after another plan was published gets a new row.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol

import duckdb
from pydantic import ValidationError

from coach_agent.plan import Plan
from coach_agent.routine_changes import (
    Change,
    StructureConflictError,
    differences,
    first_difference,
    merged,
)
from hevy_connector.errors import HevyNotFoundError, HevyRequestError
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite

Mode = Literal["preview", "auto"]
State = Literal[
    "previewed", "publishing", "conflict", "published", "unchanged", "superseded", "failed"
]
Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
LandRoutine = Callable[[duckdb.DuckDBPyConnection, JsonObject], str]

FINAL_STATES: frozenset[State] = frozenset({"published", "unchanged", "superseded", "failed"})


class RoutineService(Protocol):
    """The part of the Hevy client that publishing needs."""

    def routine(self, routine_id: str) -> Routine:
        """The routine as it is now."""

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> object:
        """Replace the routine."""


@dataclass(frozen=True)
class Publication:
    """How the publication of a plan stands, and what it changes in the routine.

    `is_new` says whether this call brought it into this state.
    """

    publication_id: str
    state: State
    changes: tuple[Change, ...]
    detail: str
    is_new: bool


@dataclass(frozen=True)
class Publisher:
    """Publishes plans of one account.

    No connection from `connect` is held while `service` is asked. `land_routine` stores a routine
    as it was read back and returns its content's hash; it runs in the transaction that records the
    publication. `now` gives aware times.
    """

    service: RoutineService
    connect: Connect
    land_routine: LandRoutine
    now: Callable[[], datetime]
    run_id: str

    def publish(self, plan_id: str, plan: Plan, mode: Mode, known: JsonObject) -> Publication:
        """Bring the routine in Hevy to what the plan says, or say why not; safe to repeat.

        `known` is the routine as the plan was made for it: if the one in Hevy is another by now,
        somebody edited it, and nothing is sent until that edit has been read and planned for.

        Raises:
            HevyError: the service could not be asked; the next call continues from here.
        """
        journal = _Journal(plan_id, plan, mode, self)
        before = journal.read()
        if before is not None and before.state in FINAL_STATES:
            return before
        is_interrupted = before is not None and before.state == "publishing"
        try:
            now_in_hevy = _Routine.read(self.service.routine(plan.routine_id))
            expected = _content_hash(_Routine.read(Routine.read(known)).content)
            target = merged(now_in_hevy.content, plan)
        except HevyNotFoundError:
            return journal.finish("conflict", (), "The routine no longer exists in Hevy.")
        except ValidationError as error:
            return journal.finish("failed", (), _unsendable(error))
        except StructureConflictError as conflict:
            return journal.finish("conflict", (), str(conflict))
        changes = differences(now_in_hevy.routine, now_in_hevy.content, target, plan)
        if before is not None and is_interrupted:
            if not changes:
                return journal.finish_published(now_in_hevy.payload, before.changes)
            expected = journal.base_sha256() or expected
        if _content_hash(now_in_hevy.content) != expected:
            return journal.finish("conflict", changes, "The routine was edited since it was read.")
        if not changes:
            return journal.finish("unchanged", (), "The routine already says this.")
        if mode == "preview":
            return journal.start("previewed", now_in_hevy.content, target, changes)
        journal.start("publishing", now_in_hevy.content, target, changes)
        return self._send(journal, plan.routine_id, target, changes)

    def settle(self, plan_id: str, plan: Plan) -> Publication | None:
        """Find out what became of an interrupted publication whose plan stands no more.

        Raises:
            HevyError: the service could not be asked; the next call tries again.
        """
        journal = _Journal(plan_id, plan, "auto", self)
        before = journal.read()
        if before is None or before.state != "publishing":
            return before
        superseded = "It never arrived, and meanwhile another plan stands."
        try:
            now_in_hevy = _Routine.read(self.service.routine(plan.routine_id))
            target = merged(now_in_hevy.content, plan)
        except (HevyNotFoundError, ValidationError, StructureConflictError):
            return journal.finish("superseded", before.changes, superseded)
        if first_difference(now_in_hevy.content, target) is None:
            return journal.finish_published(now_in_hevy.payload, before.changes)
        return journal.finish("superseded", before.changes, superseded)

    def _send(
        self,
        journal: "_Journal",
        routine_id: str,
        target: RoutineWrite,
        changes: tuple[Change, ...],
    ) -> Publication:
        try:
            self.service.update_routine(routine_id, target)
        except HevyRequestError as error:
            return journal.finish("failed", changes, str(error))
        try:
            stored = _Routine.read(self.service.routine(routine_id))
        except ValidationError as error:
            return journal.finish("failed", changes, _unsendable(error))
        difference = first_difference(stored.content, target)
        if difference is not None:
            detail = f"What was read back is not what was sent: {difference}."
            return journal.finish("failed", changes, detail)
        return journal.finish_published(stored.payload, changes)


@dataclass(frozen=True)
class _Routine:
    """A routine as Hevy has it and as it would be sent."""

    routine: Routine
    content: RoutineWrite

    @property
    def payload(self) -> JsonObject:
        """As it was answered."""
        return self.routine.payload

    @classmethod
    def read(cls, routine: Routine) -> "_Routine":
        """Raises ValidationError for a routine that Hevy would not take back."""
        return cls(routine, RoutineWrite.from_read(routine))


def _unsendable(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"The routine holds what Hevy would not take back: {place}: {problem['msg']}."


def _content_hash(routine: RoutineWrite) -> str:
    return hashlib.sha256(routine.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True)
class _Journal:
    """The latest row of one plan in `coach.publications`."""

    plan_id: str
    plan: Plan
    mode: Mode
    publisher: Publisher

    def read(self) -> Publication | None:
        """The routine's latest publication if it is this plan's, otherwise None."""
        with self.publisher.connect() as con:
            row = self._latest(con)
        if row is None or row[1] != self.plan_id:
            return None
        number, _, state, diff, detail, _ = row
        changes = tuple(Change(**change) for change in json.loads(diff or "[]"))
        return Publication(self._id(number), state, changes, detail or "", is_new=False)

    def base_sha256(self) -> str | None:
        """The hash of the routine that the recorded intent was to change."""
        with self.publisher.connect() as con:
            row = self._latest(con)
        return None if row is None else row[5]

    def start(
        self,
        state: State,
        current: RoutineWrite,
        target: RoutineWrite,
        changes: tuple[Change, ...],
    ) -> Publication:
        """Record what is about to happen, with the moment from which it counts."""
        with self.publisher.connect() as con:
            return self._write(
                con,
                state,
                changes,
                detail="",
                base_sha256=_content_hash(current),
                request=json.dumps(target.put_body()),
                effective_at=self._moment() if state == "publishing" else None,
            )

    def finish(self, state: State, changes: tuple[Change, ...], detail: str) -> Publication:
        with self.publisher.connect() as con:
            return self._write(con, state, changes, detail=detail, finished_at=self._moment())

    def finish_published(self, stored: JsonObject, changes: tuple[Change, ...]) -> Publication:
        """Record success and the routine as it was read back, together or not at all."""
        with self.publisher.connect() as con:
            con.begin()
            try:
                published = self._write(
                    con,
                    "published",
                    changes,
                    detail="",
                    published_sha256=self.publisher.land_routine(con, stored),
                    finished_at=self._moment(),
                )
            except BaseException:
                con.rollback()
                raise
            con.commit()
        return published

    def _id(self, number: int) -> str:
        return f"pub_{self.plan_id.removeprefix('plan_')}_{number}"

    def _moment(self) -> datetime:
        return self.publisher.now().astimezone(UTC).replace(tzinfo=None)

    def _latest(
        self, con: duckdb.DuckDBPyConnection
    ) -> tuple[int, str, State, str | None, str | None, str | None] | None:
        rows: list[tuple[int, str, State, str | None, str | None, str | None]] = con.execute(
            """
            select publication_number, plan_id, state, diff, detail, base_sha256
            from coach.publications
            where athlete_id = $1 and routine_id = $2
            order by publication_number desc
            limit 1
            """,
            [self.plan.athlete_id, self.plan.routine_id],
        ).fetchall()
        return rows[0] if rows else None

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
    ) -> Publication:
        """Move this plan's latest row on, or begin one; what is not given now stays as it was.

        A row that is final is never changed, whoever else has come first.
        """
        latest = self._latest(con)
        is_ours = latest is not None and latest[1] == self.plan_id and latest[2] not in FINAL_STATES
        number = 1 if latest is None else latest[0] if is_ours else latest[0] + 1
        con.execute(
            """
            insert into coach.publications (
                publication_id, publication_number, plan_id, athlete_id, routine_id, mode, state,
                base_sha256, published_sha256, request, diff, detail, staged_at, effective_at,
                finished_at, run_id
            )
            values (
                $publication_id, $publication_number, $plan_id, $athlete_id, $routine_id, $mode,
                $state, $base_sha256, $published_sha256, $request, $diff, $detail, $staged_at,
                $effective_at, $finished_at, $run_id
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
                "publication_id": self._id(number),
                "publication_number": number,
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
                "run_id": self.publisher.run_id,
            },
        )
        return Publication(self._id(number), state, changes, detail, is_new=True)
