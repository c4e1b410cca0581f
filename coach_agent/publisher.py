"""Publication: how a plan becomes a routine in Hevy, once, and never over an edit not seen.

read the routine → bring the plan's changes onto it → (preview, approve: stop) → record the intent
→ read the routine again → PUT → read back → compare → record. The intent is committed before
anything is sent, so that a run killed at any moment is continued by the next one: it reads the
routine and sees whether the PUT had arrived. See `publications.py` for the states.

What Hevy lacks is a write with a condition: an edit in the moment between the last reading and the
PUT cannot be seen. Nothing but the PUT itself happens between the two.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol

import duckdb
from pydantic import ValidationError

from coach_agent.plan import Plan
from coach_agent.publications import (
    REOPENED_STATES,
    PublicationRow,
    State,
    latest_of_plan,
    latest_of_routine,
    new_publication,
    publications_of,
    record,
    transaction,
    written_texts,
)
from coach_agent.rebase import RebaseConflictError, has_arrived, rebased
from coach_agent.rollback import RollbackError, rollback_of, sent_since
from coach_agent.routine_changes import (
    StructureConflictError,
    changes_between,
    first_difference,
    merged,
)
from coach_agent.units import Unit
from hevy_connector.errors import (
    HevyInvalidBodyError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite

Mode = Literal["preview", "approve", "auto"]
Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
LandRoutine = Callable[[duckdb.DuckDBPyConnection, JsonObject], str]

_SENDINGS = 3
"""How often a write that did not arrive is sent in one run, each after a look at the routine."""
_LOOKS = 3
"""How often a routine that is being edited is looked at again before it is left alone."""
_GONE = "The routine no longer exists in Hevy."


class RoutineService(Protocol):
    """The part of the Hevy client that publishing needs."""

    def routine(self, routine_id: str) -> Routine:
        """The routine as it is now."""

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> object:
        """Replace the routine."""


class _StopError(Exception):
    """The publication ends here for now: in which state, and why."""

    def __init__(self, state: State, detail: str) -> None:
        super().__init__(detail)
        self.state: State = state
        self.detail = detail


@dataclass(frozen=True)
class _Seen:
    """A routine as Hevy has it and as it would be sent."""

    routine: Routine
    content: RoutineWrite

    @property
    def titles(self) -> dict[str, str]:
        """The titles of its exercises by template."""
        return {each.exercise_template_id: each.title for each in self.routine.exercises}


@dataclass(frozen=True)
class Publisher:
    """Publishes plans of one account, and takes publications back.

    No connection from `connect` is held while `service` is asked. `land_routine` stores a routine
    as it was read back and returns its content's hash; it runs in the transaction that records the
    publication. `now` gives aware times. Two of them must not work on one account at a time.
    """

    service: RoutineService
    connect: Connect
    land_routine: LandRoutine
    now: Callable[[], datetime]
    run_id: str

    def publish(
        self,
        plan_id: str,
        plan: Plan,
        mode: Mode,
        known: JsonObject,
        *,
        unsafe: str | None = None,
    ) -> PublicationRow:
        """Bring the routine in Hevy to what the plan says, or say why not; safe to repeat.

        `known` is the routine as the plan was made for it: what the athlete edited since then
        stays. `unsafe` says why nothing may be sent now, if so.

        Raises:
            HevyError: the service could not be asked; the next call continues from here.
        """
        row = self._row_of(plan_id, plan, mode)
        if row.is_final:
            return row
        is_resumed = row.state == "publishing"
        if is_resumed:
            row = self.settle(row)
            if row.state != "publishing":
                return row
        row = replace(row, mode=mode, run_id=self.run_id)
        if unsafe is not None:
            return self._stop(row, _StopError("withheld", unsafe))
        try:
            current = self._look(plan.routine_id)
            base, ours = row.base, row.request
            if not is_resumed or base is None or ours is None:
                with self.connect() as con:
                    written = written_texts(con, plan.athlete_id, plan.routine_id)
                base = self._read(Routine.read(known)).content
                ours = self._merged(base, plan, written)
            target = self._rebased(base, current.content, ours)
        except _StopError as stop:
            return self._stop(row, stop)
        row = self._staged(row, current, target, plan)
        if first_difference(current.content, target) is None:
            return self._stop(row, _StopError("unchanged", "The routine already says this."))
        if mode == "preview":
            return self._stop(row, _StopError("previewed", ""))
        if mode == "approve" and row.state not in {"approved", "publishing"}:
            return self._stop(row, _StopError("waiting", ""))
        return self._write(row, current, target, plan.load_unit, was_sent=is_resumed)

    def settle(self, row: PublicationRow) -> PublicationRow:
        """Find out what became of an interrupted publication; one that never arrived stays so.

        Raises:
            HevyError: the service could not be asked; the next call tries again.
        """
        if row.state != "publishing" or row.base is None or row.request is None:
            return row
        try:
            current = self._look(row.written_id)
        except _StopError as stop:
            return self._stop(row, stop)
        if not has_arrived(row.base, current.content, row.request):
            return row
        is_edited = first_difference(current.content, row.request) is not None
        return self._finish(
            replace(row, run_id=self.run_id),
            current,
            "It had arrived, and was edited since." if is_edited else "It had arrived.",
        )

    def give_up(self, row: PublicationRow) -> PublicationRow:
        """Close an interrupted publication that never arrived and that nobody wants any more."""
        stop = _StopError("superseded", "It never arrived, and meanwhile another plan stands.")
        return self._stop(replace(row, run_id=self.run_id), stop)

    def roll_back(self, row: PublicationRow, unit: Unit, *, is_dry_run: bool) -> PublicationRow:
        """Bring the routine back to what it was before a publication; edits since then stay.

        Publications after it are taken back with it, the last one first. With `is_dry_run` only
        what would be done is told.

        Raises:
            RollbackError: there is nothing to take back.
            HevyError: the service could not be asked; what was begun the next run continues.
        """
        with self.connect() as con:
            rows = publications_of(con, row.athlete_id, row.routine_id)
            planned = rollback_of(row, rows, self.now(), self.run_id)
        try:
            current = self._look(planned.written_id)
            target = self._taken_back(row, rows, current.content)
        except _StopError as stop:
            raise RollbackError(f"It cannot be taken back: {stop.detail}") from stop
        planned = replace(
            planned,
            base=current.content,
            request=target,
            changes=changes_between(current.content, target, current.titles, unit),
        )
        if is_dry_run:
            return planned
        if first_difference(current.content, target) is None:
            return self._stop(planned, _StopError("unchanged", "The routine is already as it was."))
        return self._write(planned, current, target, unit, was_sent=False)

    def resume_rollback(self, row: PublicationRow, unit: Unit) -> PublicationRow:
        """Continue a rollback that was interrupted.

        Raises:
            HevyError: the service could not be asked; the next call tries again.
        """
        row = self.settle(row)
        if row.state != "publishing" or row.base is None or row.request is None:
            return row
        try:
            current = self._look(row.written_id)
            target = self._rebased(row.base, current.content, row.request)
        except _StopError as stop:
            return self._stop(row, stop)
        return self._write(row, current, target, unit, was_sent=True)

    def _taken_back(
        self, first: PublicationRow, rows: Sequence[PublicationRow], now: RoutineWrite
    ) -> RoutineWrite:
        for row in sent_since(first, rows):
            if row.base is not None and row.request is not None:
                now = self._rebased(row.request, now, row.base)
        return now

    def _row_of(self, plan_id: str, plan: Plan, mode: Mode) -> PublicationRow:
        """The row of the plan that is to be moved on or, if it is done, told; or a new one."""
        with self.connect() as con:
            row = latest_of_routine(con, plan.athlete_id, plan.routine_id)
            if row is not None and row.plan_id == plan_id and row.kind == "plan":
                if row.state not in REOPENED_STATES:
                    return row
            else:
                row = latest_of_plan(con, plan.athlete_id, plan_id)
                if row is not None and (row.state == "rejected" or row.rolled_back_by):
                    return row
            return new_publication(con, plan_id, plan, mode, at=self.now(), run_id=self.run_id)

    def _staged(
        self, row: PublicationRow, current: _Seen, target: RoutineWrite, plan: Plan
    ) -> PublicationRow:
        titles = current.titles
        titles |= {slot.exercise_template_id: slot.exercise_title for slot in plan.slots}
        changes = changes_between(current.content, target, titles, plan.load_unit)
        return replace(row, base=current.content, request=target, changes=changes)

    def _write(
        self,
        row: PublicationRow,
        current: _Seen,
        target: RoutineWrite,
        unit: Unit,
        *,
        was_sent: bool,
    ) -> PublicationRow:
        """Record the intent, look once more, send, read back.

        `was_sent`: an earlier write may be on its way. A write without an answer is sent again
        only after a look that shows that it did not arrive.
        """
        unclear: Exception | None = None
        for _ in range(_SENDINGS):
            try:
                row, current, target = self._ready(row, current, target, unit)
            except _StopError as stop:
                return self._stop(row, stop, is_unsent=not was_sent)
            if first_difference(current.content, target) is None:
                return self._finish(row, current, "It says so already.")
            try:
                self.service.update_routine(row.written_id, target)
                unclear = None
            except (HevyUnavailableError, HevyResponseError) as error:
                unclear = error
            except HevyNotFoundError:
                gone = _StopError("conflict", _GONE)
                return self._stop(row, gone, is_unsent=not was_sent)
            except (HevyRequestError, HevyInvalidBodyError) as error:
                refused = _StopError("failed", str(error))
                return self._stop(row, refused, is_unsent=not was_sent)
            was_sent = True
            try:
                stored = self._look(row.written_id)
            except _StopError as stop:
                return self._stop(row, stop)
            difference = self._difference(current, stored, target)
            if difference is None:
                return self._finish(row, stored, "Read back and equal.")
            if unclear is None or first_difference(stored.content, current.content) is not None:
                detail = f"What was read back is not what was sent: {difference}."
                return self._stop(row, _StopError("failed", detail))
        assert unclear is not None  # noqa: S101 - every other way out of the loop returns
        raise unclear

    def _ready(
        self, row: PublicationRow, current: _Seen, target: RoutineWrite, unit: Unit
    ) -> tuple[PublicationRow, _Seen, RoutineWrite]:
        """The intent, recorded and still true after it: the routine is as it was.

        Whatever was edited in between is kept, and looked at again.
        """
        for _ in range(_LOOKS):
            row = self._intend(row, current, target)
            again = self._look(row.written_id)
            if first_difference(again.content, current.content) is None:
                return row, again, target
            target = self._rebased(current.content, again.content, target)
            row = replace(row, changes=changes_between(again.content, target, again.titles, unit))
            current = again
        raise _StopError("conflict", "The routine is being edited right now.")

    @staticmethod
    def _difference(before: _Seen, stored: _Seen, target: RoutineWrite) -> str | None:
        """Where what was read back is not what was sent; the folder is never sent and stays."""
        if stored.routine.folder_id != before.routine.folder_id:
            return f"folder_id is {stored.routine.folder_id}"
        return first_difference(stored.content, target)

    def _look(self, routine_id: str) -> _Seen:
        try:
            return self._read(self.service.routine(routine_id))
        except HevyNotFoundError as error:
            raise _StopError("conflict", _GONE) from error
        except HevyRequestError as error:
            if error.status != 400:
                raise
            # Where the specification is followed to the letter, an unknown id is a bad request.
            raise _StopError("conflict", _GONE) from error

    @staticmethod
    def _read(routine: Routine) -> _Seen:
        try:
            content = RoutineWrite.from_read(routine)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise _StopError(
                "failed",
                f"The routine holds what Hevy would not take back: {place}: {problem['msg']}.",
            ) from error
        for exercise in routine.exercises:
            for planned in exercise.sets:
                reps = planned.rep_range
                if reps is not None and reps.start is None and reps.end is not None:
                    raise _StopError(
                        "failed",
                        "The routine holds what Hevy would not take back: "
                        f"{exercise.title} has a range of repetitions without a start.",
                    )
        return _Seen(routine, content)

    @staticmethod
    def _merged(base: RoutineWrite, plan: Plan, written: frozenset[str] | None) -> RoutineWrite:
        try:
            return merged(base, plan, written)
        except StructureConflictError as conflict:
            raise _StopError("conflict", str(conflict)) from conflict

    @staticmethod
    def _rebased(base: RoutineWrite, theirs: RoutineWrite, ours: RoutineWrite) -> RoutineWrite:
        try:
            return rebased(base, theirs, ours)
        except RebaseConflictError as conflict:
            detail = (
                f"The routine was edited since it was read. {conflict} The next run plans anew."
            )
            raise _StopError("conflict", detail) from conflict

    def _intend(self, row: PublicationRow, current: _Seen, target: RoutineWrite) -> PublicationRow:
        """Record what is about to be sent, with the moment from which it counts."""
        moved = replace(
            row,
            state="publishing",
            detail="",
            base=current.content,
            request=target,
            effective_at=self.now(),
            run_id=self.run_id,
        )
        with self.connect() as con, transaction(con):
            return record(con, moved, reason="To be sent.", at=self.now())

    def _stop(
        self, row: PublicationRow, stop: _StopError, *, is_unsent: bool = False
    ) -> PublicationRow:
        """Record where it stops; `is_unsent`: nothing is on its way to Hevy, for certain."""
        is_closed = stop.state in {"unchanged", "failed", "superseded"}
        moved = replace(
            row,
            state=stop.state,
            detail=stop.detail,
            effective_at=None if is_unsent else row.effective_at,
            finished_at=self.now() if is_closed or stop.state == "conflict" else row.finished_at,
            run_id=self.run_id,
        )
        with self.connect() as con, transaction(con):
            return record(con, moved, reason=stop.detail or _REASONS[stop.state], at=self.now())

    def _finish(self, row: PublicationRow, stored: _Seen, reason: str) -> PublicationRow:
        """Record success and the routine as it was read back, together or not at all."""
        with self.connect() as con, transaction(con):
            moved = replace(
                row,
                state="published",
                detail="",
                published_sha256=self.land_routine(con, stored.routine.payload),
                finished_at=self.now(),
            )
            return record(con, moved, reason=reason, at=self.now())


_REASONS = {
    "previewed": "Only shown: publish.mode is preview.",
    "waiting": "To be approved by the athlete.",
}
