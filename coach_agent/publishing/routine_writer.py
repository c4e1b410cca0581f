"""Write one routine to Hevy safely: the steps common to all publications.

record the intent → read the routine again → PUT → read back → compare → record.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Protocol

from pydantic import ValidationError

from coach_agent.domain.units import Unit
from coach_agent.publishing.rebase import RebaseConflictError, has_arrived, rebase
from coach_agent.publishing.routine_changes import changes_between, first_difference
from coach_agent.publishing.states import PublicationRow, State, Step, Steps
from hevy_connector.errors import (
    HevyInvalidBodyError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.schemas import Routine, RoutineWrite

_SENDINGS = 3
"""Attempts per run to send a write that did not arrive, each after a read of the routine."""
_LOOKS = 3
"""Reads of a routine that is being edited before the publication stops."""
_GONE = "The routine no longer exists in Hevy."


class RoutineService(Protocol):
    """The part of the Hevy client that publishing needs."""

    def routine(self, routine_id: str) -> Routine:
        """Fetch the current routine."""

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> object:
        """Replace the routine."""


class StopError(Exception):
    """The publication stops for now, with its state and the reason."""

    def __init__(self, state: State, detail: str) -> None:
        super().__init__(detail)
        self.state: State = state
        self.detail = detail


@dataclass(frozen=True)
class Seen:
    """A routine as read from Hevy and as it would be written."""

    routine: Routine
    content: RoutineWrite

    @property
    def titles(self) -> dict[str, str]:
        """The titles of its exercises by template."""
        return {each.exercise_template_id: each.title for each in self.routine.exercises}


@dataclass(frozen=True)
class RoutineWriter:
    """Writes the routines of one account; the caller records each step that it yields.

    Two writers must not work on one account at a time.
    """

    service: RoutineService
    run_id: str

    def write(
        self,
        row: PublicationRow,
        current: Seen,
        target: RoutineWrite,
        unit: Unit,
        *,
        was_sent: bool,
    ) -> Steps:
        """Record the intent, read once more, send, read back.

        `was_sent`: an earlier write may be in flight. A write without a response is only retried
        after a read that proves that it did not arrive.
        """
        unclear: Exception | None = None
        for _ in range(_SENDINGS):
            try:
                row, current, target = yield from self._ready(row, current, target, unit)
            except StopError as stop:
                return (yield self.stop(row, stop, is_unsent=not was_sent))
            if first_difference(current.content, target) is None:
                return (yield self.finish(row, current, "The routine already matches the plan."))
            try:
                self.service.update_routine(row.written_id, target)
                unclear = None
            except (HevyUnavailableError, HevyResponseError) as error:
                unclear = error
            except HevyNotFoundError:
                missing = StopError("conflict", _GONE)
                return (yield self.stop(row, missing, is_unsent=not was_sent))
            except (HevyRequestError, HevyInvalidBodyError) as error:
                refused = StopError("failed", str(error))
                return (yield self.stop(row, refused, is_unsent=not was_sent))
            was_sent = True
            try:
                stored = self.look(row.written_id)
            except StopError as stop:
                return (yield self.stop(row, stop))
            difference = self._difference(current, stored, target)
            if difference is None:
                return (yield self.finish(row, stored, "Read back and equal."))
            # Without a response, a difference may be an edit: the next read rebases the plan onto
            # it.
            if unclear is None or has_arrived(current.content, stored.content, target):
                detail = f"What was read back is not what was sent: {difference}."
                return (yield self.stop(row, StopError("failed", detail)))
        assert unclear is not None  # noqa: S101 - every other way out of the loop returns
        raise unclear

    def _ready(
        self, row: PublicationRow, current: Seen, target: RoutineWrite, unit: Unit
    ) -> Generator[Step, PublicationRow, tuple[PublicationRow, Seen, RoutineWrite]]:
        """Record the intent and check that the routine is unchanged after it.

        A concurrent edit is kept, and the routine is read again.
        """
        for _ in range(_LOOKS):
            row = yield self.intend(row, current, target)
            again = self.look(row.written_id)
            if first_difference(again.content, current.content) is None:
                return row, again, target
            target = self.rebase(current.content, again.content, target)
            row = replace(row, changes=changes_between(again.content, target, again.titles, unit))
            current = again
        raise StopError("conflict", "The routine is being edited right now.")

    @staticmethod
    def _difference(before: Seen, stored: Seen, target: RoutineWrite) -> str | None:
        """Describe the difference between sent and read back; the folder is never sent and must
        stay.
        """
        if stored.routine.folder_id != before.routine.folder_id:
            return f"folder_id is {stored.routine.folder_id}"
        return first_difference(stored.content, target)

    def look(self, routine_id: str) -> Seen:
        """Fetch the current routine.

        Raises:
            StopError: it does not exist, or could not be sent back.
        """
        try:
            return self.read(self.service.routine(routine_id))
        except HevyNotFoundError as error:
            raise StopError("conflict", _GONE) from error
        except HevyRequestError as error:
            if error.status != 400:
                raise
            # A strict server answers an unknown id with a bad request.
            raise StopError("conflict", _GONE) from error

    @staticmethod
    def read(routine: Routine) -> Seen:
        """Convert a fetched routine to the write schema.

        Raises:
            StopError: the service would reject a part of it; sent without that part, it would be
                lost.
        """
        try:
            content = RoutineWrite.from_read(routine)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise StopError(
                "failed",
                f"The routine holds what Hevy would not take back: {place}: {problem['msg']}.",
            ) from error
        for exercise in routine.exercises:
            for planned in exercise.sets:
                reps = planned.rep_range
                if reps is not None and reps.start is None and reps.end is not None:
                    raise StopError(
                        "failed",
                        "The routine holds what Hevy would not take back: "
                        f"{exercise.title} has a range of repetitions without a start.",
                    )
        return Seen(routine, content)

    @staticmethod
    def rebase(base: RoutineWrite, theirs: RoutineWrite, ours: RoutineWrite) -> RoutineWrite:
        """Rebase the change from `base` to `ours` onto theirs.

        Raises:
            StopError: both changed the same value.
        """
        try:
            return rebase(base, theirs, ours)
        except RebaseConflictError as conflict:
            detail = (
                f"The routine was edited since it was read. {conflict} The next run plans again."
            )
            raise StopError("conflict", detail) from conflict

    def intend(self, row: PublicationRow, current: Seen | None, target: RoutineWrite) -> Step:
        """Return the step before a request: what is sent, and the time from which it counts."""
        row = replace(
            row,
            state="publishing",
            detail="",
            base=None if current is None else current.content,
            request=target,
            run_id=self.run_id,
        )
        return Step(row, "To be sent.", frozenset({"effective_at"}))

    def stop(self, row: PublicationRow, stop: StopError, *, is_unsent: bool = False) -> Step:
        """Return the step of a stop; `is_unsent`: no write is in flight to Hevy, for certain."""
        is_closed = stop.state in {"unchanged", "failed", "superseded", "conflict"}
        row = replace(
            row,
            state=stop.state,
            detail=stop.detail,
            effective_at=None if is_unsent else row.effective_at,
            run_id=self.run_id,
        )
        reason = stop.detail or _REASONS[stop.state]
        return Step(row, reason, frozenset({"finished_at"} if is_closed else ()))

    @staticmethod
    def finish(row: PublicationRow, stored: Seen, reason: str) -> Step:
        """Return the step of success, with the routine as read back."""
        row = replace(row, state="published", detail="")
        return Step(row, reason, frozenset({"finished_at"}), stored.routine.payload)


_REASONS = {
    "previewed": "Only shown: publish.mode is preview.",
    "waiting": "To be approved by the athlete.",
}
