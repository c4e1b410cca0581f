"""Publication: write a plan into a Hevy routine, exactly once, and never over an unseen edit.

read the routine → rebase the plan's changes onto it → (preview, approve: stop) → record the intent
→ read the routine again → PUT → read back → compare → record. The intent is committed before the
PUT, so that the next run resumes after a crash at any point: it reads the routine and sees whether
the PUT arrived. See `states.py` for the states.

Hevy has no conditional write: an edit between the last read and the PUT cannot be detected. Nothing
but the PUT itself happens between the two.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from coach_agent.domain.plan import Plan
from coach_agent.domain.units import Unit
from coach_agent.language.messages import DEFAULT
from coach_agent.publishing.new_routine import OwnRoutine, resolve_own, write_into_own
from coach_agent.publishing.publication_rows import (
    latest_of_plan,
    latest_of_routine,
    new_publication,
    stored_routine,
    written_texts,
)
from coach_agent.publishing.rebase import RebaseConflictError, has_arrived, rebase
from coach_agent.publishing.rollback import RollbackError, rollback_of, sent_since
from coach_agent.publishing.routine_changes import (
    StructureConflictError,
    changes_between,
    first_difference,
    merge_plan,
    removed_replaced_title,
)
from coach_agent.publishing.routine_writer import RoutineWriter, Seen, StopError
from coach_agent.publishing.states import REOPENED_STATES, PublicationRow, Steps, Target
from coach_agent.publishing.withdrawal import marked, withdrawal_of
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite

Mode = Literal["preview", "approve", "auto"]


@dataclass(frozen=True)
class Publisher:
    """Publishes the plans of one account, and rolls publications back.

    Its publications are generators, which do nothing until they are run: the caller records each
    step before the next request, so that no warehouse is open during requests. `rows` are the
    publications of the athlete, newest first. `now` is the time of new ones (UTC).
    """

    writer: RoutineWriter
    now: datetime

    def publish(
        self,
        rows: Sequence[PublicationRow],
        plan_id: str,
        plan: Plan,
        mode: Mode,
        known: JsonObject,
        *,
        unsafe: str | None = None,
        own: OwnRoutine | None = None,
    ) -> Steps:
        """Bring the routine in Hevy to the plan, or record why not; idempotent.

        `known` is the routine that the plan was built for: later edits of the athlete are kept.
        `unsafe` is the reason not to write now, if any. With `own` the routine itself is unchanged:
        the plan goes into a separate one.

        Raises:
            HevyError: the service failed; the next call resumes.
        """
        row = self._row_of(rows, plan_id, plan, mode)
        if row.is_final:
            return row
        is_resumed = row.state == "publishing"
        if is_resumed:
            row = yield from self.settle(row, rows)
            if row.state != "publishing":
                return row
        row = replace(row, mode=mode, run_id=self.writer.run_id)
        if unsafe is not None:
            return (yield self.writer.stop(row, StopError("withheld", unsafe)))
        if is_resumed and row.target == "new_routine" and row.base and mode != "preview":
            return (yield from self._resume(row, plan.load_unit))
        try:
            current = self.writer.look(plan.routine_id)
            base, ours, made_from = row.base, row.request, row.made_from
            if not is_resumed or own is not None or base is None or ours is None:
                written = written_texts(rows, plan.routine_id)
                base = self.writer.read(Routine.read(known)).content
                ours = self._merge(base, plan, written)
                made_from = _request_inputs(base, written, current.content)
            if (removed_title := removed_replaced_title(plan, base, current.content)) is not None:
                raise StopError(
                    "conflict",
                    f"{removed_title} was removed, and the plan has another exercise in its place; "
                    "the next run plans again.",
                )
            target = self.writer.rebase(base, current.content, ours)
        except StopError as stop:
            return (yield self.writer.stop(row, stop))
        row = replace(self._staged(row, current, target, plan), made_from=made_from)
        kind: Target = "update" if own is None else "new_routine"
        # A setting that changed in the meantime applies from here on.
        row = replace(row, target=kind, written_routine_id=None)
        if own is None and first_difference(current.content, target) is None:
            same = StopError("unchanged", "The routine already says this.")
            return (yield self.writer.stop(row, same))
        if mode == "preview":
            return (yield self.writer.stop(row, StopError("previewed", "")))
        if mode == "approve" and row.state not in {"approved", "publishing"}:
            return (yield self.writer.stop(row, StopError("waiting", "")))
        unit = plan.load_unit
        if own is not None:
            return (yield from write_into_own(self.writer, row, rows, target, own, unit))
        return (yield from self.writer.write(row, current, target, unit, was_sent=is_resumed))

    def settle(self, row: PublicationRow, rows: Sequence[PublicationRow]) -> Steps:
        """Resolve an interrupted publication; without a confirmed write the row stays pending.

        Raises:
            HevyError: the service failed; the next call retries.
        """
        if row.state == "publishing" and row.target == "new_routine" and row.base is None:
            return (yield from resolve_own(self.writer, row, rows))
        if row.state != "publishing" or row.request is None:
            return row
        try:
            current = self.writer.look(row.written_id)
        except StopError as stop:
            return (yield self.writer.stop(row, stop))
        is_edited = first_difference(current.content, row.request) is not None
        # Older versions did not record the base.
        if is_edited and not (row.base and has_arrived(row.base, current.content, row.request)):
            return row
        arrived = "It had arrived, and was edited since." if is_edited else "It had arrived."
        return (yield self.writer.finish(replace(row, run_id=self.writer.run_id), current, arrived))

    def give_up(self, row: PublicationRow) -> Steps:
        """Close an interrupted publication that never arrived and is no longer needed."""
        stop = StopError("superseded", "It never arrived, and another plan is active now.")
        return (yield self.writer.stop(replace(row, run_id=self.writer.run_id), stop))

    def roll_back(
        self,
        row: PublicationRow,
        rows: Sequence[PublicationRow],
        unit: Unit,
        *,
        is_dry_run: bool,
    ) -> Steps:
        """Restore the routine to its content before a publication; later edits are kept.

        Later publications are rolled back with it, newest first. `is_dry_run` only returns the
        planned changes.

        Raises:
            RollbackError: there is nothing to roll back.
            HevyError: the service failed; the next run resumes.
        """
        rows = [each for each in rows if each.routine_id == row.routine_id]
        planned = rollback_of(row, rows, self.now, self.writer.run_id)
        try:
            current = self.writer.look(planned.written_id)
            target = self._reverted_content(row, rows, current.content)
        except StopError as stop:
            raise RollbackError(f"It cannot be taken back: {stop.detail}") from stop
        except RebaseConflictError as conflict:
            raise RollbackError(
                f"It cannot be taken back: the routine was edited since. {conflict}"
            ) from conflict
        planned = replace(
            planned,
            base=current.content,
            request=target,
            changes=changes_between(current.content, target, current.titles, unit),
        )
        if is_dry_run:
            return planned
        if first_difference(current.content, target) is None:
            same = StopError("unchanged", "The routine is already as it was.")
            return (yield self.writer.stop(planned, same))
        return (yield from self.writer.write(planned, current, target, unit, was_sent=False))

    def withdraw(
        self,
        row: PublicationRow,
        rows: Sequence[PublicationRow],
        unit: Unit,
        mode: Mode,
        language: str = DEFAULT,
    ) -> Steps:
        """Mark each exercise of a published plan as withdrawn; a preview sends nothing.

        A routine that was edited since is left alone: the result is a conflict.

        Raises:
            HevyError: the service could not be reached; the next run continues.
        """
        rows = [each for each in rows if each.routine_id == row.routine_id]
        planned = withdrawal_of(row, rows, mode, self.now, self.writer.run_id)
        try:
            current = self.writer.look(planned.written_id)
            if row.request is None or first_difference(current.content, row.request) is not None:
                raise StopError("conflict", "The routine was edited since the plan was published.")
        except StopError as stop:
            return (yield self.writer.stop(planned, stop))
        target = marked(current.content, written_texts(rows, row.routine_id), language)
        planned = replace(
            planned,
            base=current.content,
            request=target,
            changes=changes_between(current.content, target, current.titles, unit),
        )
        if mode == "preview":
            return (yield self.writer.stop(planned, StopError("previewed", "")))
        return (yield from self.writer.write(planned, current, target, unit, was_sent=False))

    def resume_rollback(
        self, row: PublicationRow, rows: Sequence[PublicationRow], unit: Unit
    ) -> Steps:
        """Resume an interrupted rollback or withdrawal.

        Raises:
            HevyError: the service failed; the next call retries.
        """
        row = yield from self.settle(row, rows)
        return (yield from self._resume(row, unit)) if row.state == "publishing" else row

    def _resume(self, row: PublicationRow, unit: Unit) -> Steps:
        """Retry a write that never arrived."""
        if row.base is None or row.request is None:
            return row
        try:
            current = self.writer.look(row.written_id)
            target = self.writer.rebase(row.base, current.content, row.request)
        except StopError as stop:
            return (yield self.writer.stop(row, stop))
        return (yield from self.writer.write(row, current, target, unit, was_sent=True))

    def _reverted_content(
        self, first: PublicationRow, rows: Sequence[PublicationRow], now: RoutineWrite
    ) -> RoutineWrite:
        for row in sent_since(first, rows):
            if row.base is not None and row.request is not None:
                now = rebase(row.request, now, row.base)
        return now

    def _row_of(
        self, rows: Sequence[PublicationRow], plan_id: str, plan: Plan, mode: Mode
    ) -> PublicationRow:
        """Return the plan's existing row, pending or final; otherwise build a new one."""
        row = latest_of_routine(rows, plan.routine_id)
        if row is not None and row.plan_id == plan_id and row.kind == "plan":
            if row.state not in REOPENED_STATES:
                return row
        else:
            row = latest_of_plan(rows, plan_id)
            if row is not None and (row.state == "rejected" or row.rolled_back_by):
                return row
        return new_publication(rows, plan_id, plan, mode, at=self.now, run_id=self.writer.run_id)

    def _staged(
        self, row: PublicationRow, current: Seen, target: RoutineWrite, plan: Plan
    ) -> PublicationRow:
        titles = current.titles
        titles |= {slot.exercise_template_id: slot.exercise_title for slot in plan.slots}
        changes = changes_between(current.content, target, titles, plan.load_unit)
        return replace(row, base=current.content, request=target, changes=changes)

    @staticmethod
    def _merge(base: RoutineWrite, plan: Plan, written: frozenset[str]) -> RoutineWrite:
        try:
            return merge_plan(base, plan, written)
        except StructureConflictError as conflict:
            raise StopError("conflict", str(conflict)) from conflict


def _request_inputs(known: RoutineWrite, written: Collection[str], seen: RoutineWrite) -> str:
    """Serialize the inputs, apart from the plan, from which a request is rebuilt."""
    made_from = {"known": known.put_body(), "written": sorted(written), "seen": seen.put_body()}
    return json.dumps(made_from)


def rebuilt_request(row: PublicationRow, plan: Plan) -> RoutineWrite | None:
    """Rebuild the request of a publication from its plan; None without stored inputs.

    Raises:
        StructureConflictError, RebaseConflictError: the plan does not fit the stored routine.
        pydantic.ValidationError: the stored schema is unknown to this code.
    """
    if row.made_from is None or row.request is None:
        return None
    stored = json.loads(row.made_from)
    known, seen = stored_routine(stored["known"]), stored_routine(stored["seen"])
    request = rebase(known, seen, merge_plan(known, plan, stored["written"]))
    if row.target == "new_routine":
        # Only its title contains its date.
        return request.model_copy(update={"title": row.request.title})
    # Edited between the first read and the last one.
    return request if row.base is None else rebase(seen, row.base, request)
