"""Publications of one athlete: read what is stored, ask Hevy, record."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

import duckdb

from coach_agent.domain.days import local_date
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.journal.publication_inputs import read_publication_inputs
from coach_agent.journal.publications import (
    publication_named,
    publications_of,
    record_response,
    record_step,
)
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.new_routine import OwnRoutine
from coach_agent.publishing.publication_safety import why_unsafe
from coach_agent.publishing.publisher import Publisher
from coach_agent.publishing.routine_changes import Change
from coach_agent.publishing.routine_writer import RoutineService, RoutineWriter
from coach_agent.publishing.states import PublicationRow, Response, State, Step, Steps
from coach_agent.publishing.unfinished import completion_of, interrupted, outdated_proposals
from coach_agent.publishing.withdrawal import to_withdraw
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.records import Record
from hevy_connector.schemas import JsonObject, Routine
from orchestration.runs.recorder import Recorder

T = TypeVar("T")
Yielded = TypeVar("Yielded")


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


def outcome_of(athlete: AthleteProfile, title: str, done: PublicationRow) -> PublicationOutcome:
    """The outcome of a recorded publication of a routine with this title."""
    problem = done.detail if done.state in {"conflict", "failed", "withheld"} else None
    return PublicationOutcome(athlete.id, title, done.state, done.changes, problem, done.is_new)


@dataclass(frozen=True)
class AthletePublisher:
    """Runs the publications of one athlete; only one may work on an account at a time."""

    athlete: AthleteProfile
    service: RoutineService
    recorder: Recorder
    run_id: str

    @property
    def publisher(self) -> Publisher:
        """The publisher of the account."""
        return Publisher(RoutineWriter(self.service, self.run_id), self.recorder.now())

    def complete(self, steps: Steps) -> PublicationRow:
        """Run a publication to its end: each step is committed before the next request.

        Raises:
            HevyError: the service failed; the steps until then are recorded.
            RollbackError: there is nothing to roll back.
            TransitionError: a step is not allowed.
            duckdb.TransactionException: eight commits conflicted with other writers; the next run
                continues.
        """
        return complete(steps, partial(record_publication, self.recorder))

    def read_publications(self) -> list[PublicationRow]:
        """Return the athlete's publications, newest first."""
        return self.recorder.read(lambda con: publications_of(con, self.athlete.id))

    def complete_interrupted(
        self, rows: Sequence[PublicationRow], current: JournaledPlan | None, *, is_stopped: bool
    ) -> list[PublicationRow]:
        """Complete interrupted publications: continue a rollback; detect or abandon an old plan.

        The active plan is left to `publish`, see `completion_of`.

        Raises:
            HevyError: the service did not answer; the next run retries.
        """
        completed = []
        for row in interrupted(rows):
            match completion_of(row, _id_of(current), is_stopped=is_stopped):
                case "resume":
                    unit = self.athlete.gym.unit
                    settled = self.complete(self.publisher.resume_rollback(row, rows, unit))
                case "settle":
                    settled = self.complete(self.publisher.settle(row, rows))
                    if settled.state == "publishing":
                        settled = self.complete(self.publisher.give_up(settled))
                case None:
                    continue
            completed.append(settled)
        return completed

    def expire_waiting(self, rows: Sequence[PublicationRow], current: JournaledPlan | None) -> None:
        """Expire pending publications of plans that are no longer active.

        Raises:
            TransitionError: one was sent meanwhile; the publication lock prevents that.
        """
        for row in outdated_proposals(rows, _id_of(current)):
            self.respond(row, "expired", "Newer data made another plan.")

    def respond(self, row: PublicationRow, state: Response, reason: str) -> PublicationRow:
        """Record an answer to an unsent publication, as it is stored now.

        Raises:
            TransitionError: it was sent or is final.
        """

        def change(con: duckdb.DuckDBPyConnection) -> PublicationRow:
            stored = publication_named(con, row.publication_id) or row
            now = self.recorder.now()
            return record_response(con, stored, state, reason, at=now, run_id=self.run_id)

        return self.recorder.write(change)

    def publish(self, current: JournaledPlan) -> PublicationOutcome:
        """Publish the active plan in the athlete's mode.

        Raises:
            HevyError: the service did not answer; the next run continues.
        """
        athlete, plan = self.athlete, current.plan
        inputs = self.recorder.read(
            lambda con: read_publication_inputs(
                con, athlete, current.plan_id, plan, self.recorder.now()
            )
        )
        if inputs.known is None:
            return PublicationOutcome(
                athlete.id, plan.routine_title, None, problem="Unknown routine."
            )
        own = None
        if athlete.publish.target == "new_routine":
            day = local_date(self.recorder.now(), athlete.timezone)
            own = OwnRoutine(day, athlete.publish.keep)
        steps = self.publisher.publish(
            inputs.rows,
            current.plan_id,
            plan,
            athlete.publish.mode,
            inputs.known,
            unsafe=why_unsafe(athlete, plan, inputs.facts),
            own=own,
        )
        return outcome_of(athlete, plan.routine_title, self.complete(steps))

    def withdraw(self) -> PublicationOutcome | None:
        """Withdraw the published plan of an athlete with a red flag; None if there is none.

        Raises:
            HevyError: the service could not be reached; the next run continues.
        """
        athlete, rows = self.athlete, self.read_publications()
        row = to_withdraw(rows)
        if row is None:
            return None
        steps = self.publisher.withdraw(
            *(row, rows, athlete.gym.unit, athlete.publish.mode),
            language=athlete.preferences.language,
        )
        return outcome_of(athlete, title_of(row), self.complete(steps))


def complete(steps: Generator[Yielded, T, T], record: Callable[[Yielded], T]) -> T:
    """Run a generator to its end, with each step that it yields recorded; returns its result.

    Raises:
        The errors of the generator and of `record`; the steps before are recorded.
    """
    resume = partial(next, steps)
    try:
        while True:
            try:
                step = resume()
            except StopIteration as end:
                done: T = end.value
                return done
            # Outside of the inner block: an error of the record is no end of the steps.
            resume = partial(steps.send, record(step))
    finally:
        steps.close()


def record_publication(recorder: Recorder, step: Step) -> PublicationRow:
    """Record a step of a publication, and the routine that it read back as a raw record."""

    def change(con: duckdb.DuckDBPyConnection) -> PublicationRow:
        now, row = recorder.now(), step.row
        sha256 = None
        if step.read_back is not None:
            sha256 = land_published(con, row.athlete_id, step.read_back, now=now, run_id=row.run_id)
        return record_step(con, step, at=now, read_back_sha256=sha256)

    return recorder.write(change)


def land_published(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    payload: JsonObject,
    *,
    now: datetime,
    run_id: str,
) -> str:
    """Store a routine as read back after publishing; returns the hash of its content."""
    routine = Routine.model_validate(payload)
    record = Record(routine.id, canonical_json(payload), routine.updated_at)
    land(
        con,
        "hevy_routines",
        athlete_id,
        [record],
        now=now,
        run_id=run_id,
        origin="publication",
    )
    return record.payload_sha256


def title_of(row: PublicationRow) -> str:
    """Return the title of the routine that a publication writes."""
    return "?" if row.request is None else row.request.title


def _id_of(current: JournaledPlan | None) -> str | None:
    return None if current is None else current.plan_id
