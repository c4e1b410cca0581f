"""A simulated account, a warehouse file and a routine with a plan for it, to publish with.

The service is asked in this process, without a socket: hundreds of worlds take seconds.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import duckdb
import httpx

from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.journal.publications import events_of, publications_of
from coach_agent.publishing import states
from coach_agent.publishing.publisher import Mode, Publisher
from coach_agent.publishing.routine_writer import RoutineService, RoutineWriter
from coach_agent.publishing.states import PublicationEvent, PublicationRow
from coach_agent.store.schema import create_coach_tables
from hevy_connector.client.client import HevyClient
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite
from hevy_connector.simulator import (
    LIVE,
    SIMULATOR_KEY,
    Account,
    AccountState,
    Quirks,
    Service,
    SimulatedClock,
    create_app,
)
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import complete, record_publication
from orchestration.storage.warehouse import Connect

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
PLAN_ID = "plan_0123456789abcdef"
BENCH, ROW, CURL = "79D0BB3A", "55E6546F", "37FCC2BB"


class KilledError(BaseException):
    """The process dies here: nothing of ours may catch it."""


@dataclass
class Steps:
    """Counts the boundaries between steps; at one of them the process dies, or something happens.

    Every request has a boundary before it and one after it took effect, and so has every use of the
    warehouse.
    """

    at: int = 0
    does: Callable[[], object] | None = None
    passed: list[str] = field(default_factory=list)

    def reach(self, name: str) -> None:
        """A boundary."""
        self.passed.append(name)
        if len(self.passed) == self.at:
            if self.does is None:
                raise KilledError(name)
            self.does()


@dataclass
class Stepping:
    """A service with boundaries around each of its calls."""

    service: HevyClient
    steps: Steps

    def routine(self, routine_id: str) -> Routine:
        self.steps.reach("before GET")
        answer = self.service.routine(routine_id)
        self.steps.reach("after GET")
        return answer

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
        self.steps.reach("before PUT")
        self.service.update_routine(routine_id, routine)
        self.steps.reach("after PUT")


def planned(weight_kg: float | None, reps: int | None, **more: Any) -> JsonObject:
    """A set of a routine as the app makes it."""
    return {"type": "normal", "weight_kg": weight_kg, "reps": reps, **more}


def exercise(template_id: str, sets: list[JsonObject], **more: Any) -> JsonObject:
    """An exercise of a routine as the app makes it."""
    return {"exercise_template_id": template_id, "sets": sets, **more}


FIVE_TO_EIGHT = {"start": 5, "end": 8}
PUSH: JsonObject = {
    "title": "Push",
    "notes": "mine",
    "exercises": [
        exercise(
            BENCH,
            [
                planned(40, 8, type="warmup"),
                *[planned(100, None, rep_range={"start": 5, "end": 8})] * 3,
            ],
            rest_seconds=180,
            notes="narrow grip",
        ),
        exercise(ROW, [planned(60, 10), planned(60, 10)], superset_id=0, rest_seconds=90),
        exercise(
            CURL, [planned(20.41168092460379, 12), planned(15, 15, type="dropset")], superset_id=0
        ),
    ],
}


USER = {
    "id": "1c7de5b0-3f42-4a9b-b6a8-90e2d7715c44",
    "username": "demo",
    "name": "Demo",
    "url": "https://hevy.com/user/demo",
    "weight_unit": "kg",
    "distance_unit": "kilometers",
}


class World:
    """A simulated account, a warehouse and one routine with a plan for it."""

    def __init__(self, routine: JsonObject | None = None, *, quirks: Quirks = LIVE) -> None:
        self.account = Account(AccountState(seed=1, user=USER), clock=SimulatedClock(NOW))
        self.simulated = Service(self.account, SIMULATOR_KEY, quirks)
        self.hevy = HevyClient(
            SIMULATOR_KEY,
            base_url="http://hevy",
            retry=RetryPolicy(attempts=1),
            limit=RateLimit(per_second=None),
            transport=httpx.ASGITransport(create_app(self.simulated)),
        )
        self.routine_id: str = self.account.make_routine(routine or PUSH)["id"]
        self.before = self.now_in_hevy()
        self.plan = plan_with_heavier_sets(Routine.model_validate(self.before))
        self.warehouse = duckdb.connect(config={"threads": 1})
        self.steps = Steps()
        create_raw_tables(self.warehouse)
        create_coach_tables(self.warehouse)

    def close(self) -> None:
        """Let go of the client's thread and the warehouse."""
        self.hevy.close()
        self.warehouse.close()

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Uncommitted writes are lost at its end, as in a process that dies."""
        self.steps.reach("before warehouse")
        con = self.warehouse.cursor()
        try:
            yield con
        finally:
            con.close()
        self.steps.reach("after warehouse")

    def publisher(
        self,
        service: RoutineService | None = None,
        run_id: str = "run",
        *,
        now: datetime = NOW,
        connect: Connect | None = None,
    ) -> "Publishing":
        """A publisher of another run each time; without a service the simulated one."""
        writer = RoutineWriter(service or Stepping(self.hevy, self.steps), run_id)
        recorder = Recorder(connect or self.connect, now=lambda: now)
        return Publishing(Publisher(writer, now), recorder)

    def publish(
        self,
        mode: Mode = "auto",
        *,
        service: RoutineService | None = None,
        plan: Plan | None = None,
        plan_id: str = PLAN_ID,
        known: JsonObject | None = None,
        unsafe: str | None = None,
    ) -> PublicationRow:
        """Publish like a run: the plan was built for the routine as it was at the beginning."""
        return self.publisher(service).publish(
            plan_id, plan or self.plan, mode, known or self.before, unsafe=unsafe
        )

    def now_in_hevy(self) -> JsonObject:
        """The routine as it is read."""
        return self.hevy.routine(self.routine_id).payload

    def edit(
        self, change: Callable[[JsonObject], object] | None = None, **fields: Any
    ) -> JsonObject:
        """Edit the routine like the athlete in the app; returns it."""
        record: JsonObject = json.loads(json.dumps(self.account.routine(self.routine_id)))
        if change is not None:
            change(record)
        self.account.edit_routine(self.routine_id, {**record, **fields})
        return self.now_in_hevy()

    def rows(self) -> list[PublicationRow]:
        """All publications, oldest first."""
        rows = publications_of(self.warehouse.cursor(), "demo")
        return sorted(rows, key=lambda row: row.number)

    def states(self) -> list[str]:
        """Return the states of the publications, oldest first."""
        return [row.state for row in self.rows()]

    def events(self, row: PublicationRow) -> list[PublicationEvent]:
        """The steps of a publication."""
        return events_of(self.warehouse.cursor(), row.publication_id)

    def landed(self) -> list[tuple[Any, ...]]:
        """Return the stored versions of the routine."""
        return (
            self.warehouse.cursor()
            .execute("select record_id, origin, payload from raw.hevy_routines order by loaded_at")
            .fetchall()
        )

    def puts(self) -> list[JsonObject]:
        """The bodies of the writes that took effect."""
        entries = self.simulated.log.entries()
        return [
            each.body for each in entries if each.method == "PUT" and each.status in {200, None}
        ]


@dataclass(frozen=True)
class Publishing:
    """A publisher of one athlete that reads and records like a run."""

    publisher: Publisher
    recorder: Recorder

    def rows(self) -> list[PublicationRow]:
        return self.recorder.read(lambda con: publications_of(con, "demo"))

    def _complete(self, steps: states.Steps) -> PublicationRow:
        return complete(steps, partial(record_publication, self.recorder))

    def publish(
        self, plan_id: str, plan: Plan, mode: Mode, known: JsonObject, **more: Any
    ) -> PublicationRow:
        rows = self.rows()
        return self._complete(self.publisher.publish(rows, plan_id, plan, mode, known, **more))

    def settle(self, row: PublicationRow) -> PublicationRow:
        return self._complete(self.publisher.settle(row, self.rows()))

    def give_up(self, row: PublicationRow) -> PublicationRow:
        return self._complete(self.publisher.give_up(row))

    def roll_back(self, row: PublicationRow, unit: Unit, *, is_dry_run: bool) -> PublicationRow:
        rows = self.rows()
        return self._complete(self.publisher.roll_back(row, rows, unit, is_dry_run=is_dry_run))

    def withdraw(self, row: PublicationRow, unit: Unit, mode: Mode) -> PublicationRow:
        return self._complete(self.publisher.withdraw(row, self.rows(), unit, mode))

    def resume_rollback(self, row: PublicationRow, unit: Unit) -> PublicationRow:
        return self._complete(self.publisher.resume_rollback(row, self.rows(), unit))


def plan_with_heavier_sets(routine: Routine, by_kg: float = 2.5) -> Plan:
    """Return the plan with every loaded working set heavier, otherwise unchanged."""
    return Plan(
        athlete_id="demo",
        routine_id=routine.id,
        routine_title=routine.title,
        rule_version="test",
        summary="heavier",
        slots=tuple(
            SlotPrescription(
                exercise_index=each.index,
                occurrence=sum(
                    other.exercise_template_id == each.exercise_template_id
                    for other in routine.exercises[: each.index + 1]
                ),
                exercise_template_id=each.exercise_template_id,
                exercise_title=each.title,
                rule="test",
                reason_codes=("test",),
                reason="heavier",
                sets=tuple(
                    SetPrescription(
                        set_index=planned.index,
                        set_type=planned.type,
                        weight_kg=None
                        if planned.weight_kg is None
                        else planned.weight_kg + by_kg * (planned.type == "normal"),
                        reps=planned.reps,
                        duration_s=planned.duration_seconds,
                        distance_m=None
                        if planned.distance_meters is None
                        else int(planned.distance_meters),
                        custom_metric=planned.custom_metric,
                    )
                    for planned in each.sets
                ),
            )
            for each in routine.exercises
        ),
    )


def with_loads(plan: Plan, by_kg: float) -> Plan:
    """The plan with every loaded working set lighter or heavier."""

    def moved(target: SetPrescription) -> SetPrescription:
        if target.weight_kg is None or target.set_type != "normal":
            return target
        return target.model_copy(update={"weight_kg": target.weight_kg + by_kg})

    slots = (
        slot.model_copy(update={"sets": tuple(moved(target) for target in slot.sets)})
        for slot in plan.slots
    )
    return plan.model_copy(update={"slots": tuple(slots)})


def with_notes(plan: Plan, note: str | None) -> Plan:
    """The plan with the same word of ours for each exercise."""
    slots = (slot.model_copy(update={"note": note}) for slot in plan.slots)
    return plan.model_copy(update={"slots": tuple(slots)})


def with_changes(routine: JsonObject, publication: PublicationRow) -> JsonObject:
    """Return the routine with exactly the given changes."""
    changed: JsonObject = json.loads(json.dumps(routine))
    for change in publication.changes:
        assert change.set_index is not None
        target = changed["exercises"][change.exercise_index]["sets"][change.set_index]
        assert target[change.field] == change.before
        target[change.field] = change.after
    return changed


def without_times(routine: JsonObject) -> JsonObject:
    """The routine without the time of its latest change."""
    return {name: value for name, value in routine.items() if name != "updated_at"}
