"""Publishing against the simulated service: once, and never over an edit that was not seen."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from coach_agent.journal import create_coach_tables
from coach_agent.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.publisher import Mode, Publication, Publisher, RoutineService
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyRequestError, HevyUnavailableError
from hevy_connector.exact_json import canonical_json
from hevy_connector.landing import Record, land
from hevy_connector.raw_tables import create_raw_tables
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
PLAN_ID = "plan_0123456789abcdef"


class KilledError(BaseException):
    """The process dies here: nothing of ours may catch it."""


class Mortal:
    """A service that dies at its n-th call, before or after the call took effect."""

    def __init__(self, service: RoutineService, dies_at: int, *, is_before: bool) -> None:
        self.service, self.dies_at, self.is_before = service, dies_at, is_before
        self.calls = 0

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self.calls += 1
        if self.calls == self.dies_at and self.is_before:
            raise KilledError
        yield
        if self.calls == self.dies_at:
            raise KilledError

    def routine(self, routine_id: str) -> Routine:
        with self._counted():
            return self.service.routine(routine_id)

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
        with self._counted():
            self.service.update_routine(routine_id, routine)


class World:
    """A simulated account, a warehouse file and one routine with a plan for it."""

    def __init__(self, simulator: RunningSimulator, hevy: HevyClient, warehouse: Path) -> None:
        self.simulator, self.hevy, self.warehouse = simulator, hevy, warehouse
        self.before = hevy.routines()[0].payload
        self.plan = plan_with_heavier_sets(Routine.model_validate(self.before))
        with self.connect() as con:
            create_raw_tables(con)
            create_coach_tables(con)

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with duckdb.connect(self.warehouse) as con:
            yield con

    def publisher(self, service: RoutineService | None = None) -> Publisher:
        return Publisher(
            service or self.hevy, self.connect, land_routine, now=lambda: NOW, run_id="run"
        )

    def publish(
        self,
        mode: Mode = "auto",
        *,
        service: RoutineService | None = None,
        plan: Plan | None = None,
        plan_id: str = PLAN_ID,
        known: JsonObject | None = None,
    ) -> Publication:
        return self.publisher(service).publish(
            plan_id, plan or self.plan, mode, known or self.before
        )

    def now_in_hevy(self) -> JsonObject:
        return self.hevy.routine(self.before["id"]).payload

    def rows(self) -> list[tuple[Any, ...]]:
        with self.connect() as con:
            return con.execute("select state from coach.publications").fetchall()

    def landed(self) -> list[tuple[Any, ...]]:
        with self.connect() as con:
            return con.execute(
                "select record_id, origin, payload from raw.hevy_routines"
            ).fetchall()

    def put_count(self) -> int:
        return sum(entry.method == "PUT" for entry in self.simulator.requests)

    def edit_as_the_app(self, **changes: Any) -> None:
        response = httpx.put(
            f"{self.simulator.url}/simulator/routines/{self.before['id']}",
            json={**self.now_in_hevy(), **changes},
        )
        assert response.is_success, response.text


def land_routine(con: duckdb.DuckDBPyConnection, payload: JsonObject) -> str:
    record = Record(payload["id"], canonical_json(payload))
    land(con, "hevy_routines", "demo", [record], now=NOW, run_id="r", origin="publication")
    return record.payload_sha256


def plan_with_heavier_sets(routine: Routine) -> Plan:
    """Every loaded working set 2.5 kg heavier, everything else as it is."""
    return Plan(
        athlete_id="demo",
        routine_id=routine.id,
        routine_title=routine.title,
        rule_version="test",
        summary="heavier",
        slots=tuple(
            SlotPrescription(
                exercise_index=exercise.index,
                occurrence=sum(
                    other.exercise_template_id == exercise.exercise_template_id
                    for other in routine.exercises[: exercise.index + 1]
                ),
                exercise_template_id=exercise.exercise_template_id,
                exercise_title=exercise.title,
                rule="test",
                reason_codes=("test",),
                reason="heavier",
                sets=tuple(
                    SetPrescription(
                        set_index=planned.index,
                        set_type=planned.type,
                        weight_kg=None
                        if planned.weight_kg is None
                        else planned.weight_kg + 2.5 * (planned.type == "normal"),
                        reps=None if planned.reps is None else int(planned.reps),
                        duration_s=None
                        if planned.duration_seconds is None
                        else int(planned.duration_seconds),
                    )
                    for planned in exercise.sets
                ),
            )
            for exercise in routine.exercises
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


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    account = demo_account(seed=1, now=NOW)
    with (
        running_simulator(account, api_key=SIMULATOR_KEY) as simulator,
        HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy,
    ):
        yield World(simulator, hevy, tmp_path / "warehouse.duckdb")


def with_changes(routine: JsonObject, publication: Publication) -> JsonObject:
    """The routine with exactly the changes that were told."""
    changed: JsonObject = json.loads(json.dumps(routine))
    for change in publication.changes:
        target = changed["exercises"][change.exercise_index]["sets"][change.set_index]
        assert target[change.field] == change.before
        target[change.field] = change.after
    return changed


def without_times(routine: JsonObject) -> JsonObject:
    return {name: value for name, value in routine.items() if name != "updated_at"}


def test_the_routine_changes_exactly_by_what_is_told(world: World) -> None:
    done = world.publish()
    assert done.state == "published"
    assert len(done.changes) > 5
    assert {change.field for change in done.changes} == {"weight_kg"}
    expected = with_changes(world.before, done)
    assert without_times(world.now_in_hevy()) == without_times(expected)


def test_what_was_published_is_landed_as_it_was_read_back(world: World) -> None:
    world.publish()
    [(record_id, origin, payload)] = world.landed()
    assert (record_id, origin) == (world.before["id"], "publication")
    assert json.loads(payload) == world.now_in_hevy()


def test_a_plan_is_published_once(world: World) -> None:
    first = world.publish()
    again = world.publish()
    assert (first.is_new, again.is_new, again.state) == (True, False, "published")
    assert again.changes == first.changes
    assert world.put_count() == 1
    assert world.rows() == [("published",)]


def test_after_publication_the_routine_is_the_athletes_to_edit(world: World) -> None:
    world.publish()
    edited = world.now_in_hevy()["exercises"]
    edited[0]["sets"][-1]["weight_kg"] = 1.25
    world.edit_as_the_app(exercises=edited)
    assert world.publish().state == "published"
    assert world.now_in_hevy()["exercises"][0]["sets"][-1]["weight_kg"] == 1.25


def test_preview_sends_nothing_and_shows_the_same_difference(world: World) -> None:
    shown = world.publish("preview")
    assert (shown.state, world.put_count(), world.landed()) == ("previewed", 0, [])
    assert world.publish("preview").changes == shown.changes
    done = world.publish("auto")
    assert (done.state, done.changes) == ("published", shown.changes)
    assert world.rows() == [("published",)]


def test_a_plan_that_changes_nothing_sends_nothing(world: World) -> None:
    assert world.publish(plan=with_loads(world.plan, -2.5)).state == "unchanged"
    assert world.put_count() == 0


@pytest.mark.parametrize("mode", ["auto", "preview"])
@pytest.mark.parametrize("what", ["an exercise removed", "a set removed", "a set of another type"])
def test_an_edit_of_the_structure_is_a_conflict_and_stays(
    world: World, mode: Mode, what: str
) -> None:
    exercises = world.now_in_hevy()["exercises"]
    if what == "an exercise removed":
        exercises.pop()
    elif what == "a set removed":
        exercises[1]["sets"].pop()
    else:
        exercises[1]["sets"][-1]["type"] = "failure"
    world.edit_as_the_app(exercises=exercises)
    edited = world.now_in_hevy()
    done = world.publish(mode, known=edited)
    assert done.state == "conflict"
    assert "plans anew" in done.detail
    assert (world.now_in_hevy(), world.put_count()) == (edited, 0)


def test_an_edit_of_notes_and_rest_survives_publication(world: World) -> None:
    exercises = world.now_in_hevy()["exercises"]
    exercises[0]["notes"] = "left shoulder: narrow grip"
    exercises[0]["rest_seconds"] = 205
    world.edit_as_the_app(exercises=exercises, notes="mine")
    assert world.publish(known=world.now_in_hevy()).state == "published"
    after = world.now_in_hevy()
    assert after["exercises"][0]["notes"] == "left shoulder: narrow grip"
    assert after["exercises"][0]["rest_seconds"] == 205
    assert after["notes"] == "mine"


@pytest.mark.parametrize("mode", ["auto", "preview"])
def test_an_edit_that_was_not_read_yet_is_never_overwritten(world: World, mode: Mode) -> None:
    exercises = world.now_in_hevy()["exercises"]
    exercises[0]["sets"][-1]["weight_kg"] = 20
    world.edit_as_the_app(exercises=exercises)
    done = world.publish(mode)
    assert (done.state, world.put_count()) == ("conflict", 0)
    assert "edited since it was read" in done.detail
    assert world.now_in_hevy()["exercises"] == exercises
    # Once the edit has been read, the plan that still stands is published over it.
    assert world.publish(known=world.now_in_hevy()).state == "published"
    assert [state for (state,) in world.rows()] == ["published"]


def test_a_plan_that_returns_after_another_is_published_again(world: World) -> None:
    first = world.publish()
    other = with_loads(world.plan, -5.0)
    second = world.publish(plan=other, plan_id="plan_other", known=world.now_in_hevy())
    third = world.publish(known=world.now_in_hevy())
    assert [first.state, second.state, third.state] == ["published"] * 3
    assert len({first.publication_id, second.publication_id, third.publication_id}) == 3
    assert world.put_count() == 3


def test_an_interrupted_publication_is_only_shown_once_the_athlete_wants_previews(
    world: World,
) -> None:
    with pytest.raises(KilledError):
        world.publish(service=Mortal(world.hevy, 2, is_before=True))
    assert world.publish("preview").state == "previewed"
    assert world.put_count() == 0


@pytest.mark.parametrize(
    ("is_before", "state"), [(True, "superseded"), (False, "published")], ids=["lost", "arrived"]
)
def test_an_interrupted_publication_of_a_plan_that_stands_no_more_is_settled(
    world: World, is_before: bool, state: str
) -> None:
    with pytest.raises(KilledError):
        world.publish(service=Mortal(world.hevy, 2, is_before=is_before))
    settled = world.publisher().settle(PLAN_ID, world.plan)
    assert settled is not None
    assert settled.state == state
    assert world.put_count() == (0 if is_before else 1)
    assert len(world.landed()) == (0 if is_before else 1)


@pytest.mark.parametrize(
    "lost",
    [
        {"title": "Other"},
        {"notes": "other"},
        {"superset_id": 7},
        {"rest_seconds": 1},
        {"exercise notes": "other"},
    ],
    ids=lambda lost: next(iter(lost)),
)
def test_anything_stored_differently_is_a_failure(world: World, lost: dict[str, Any]) -> None:
    class Careless:
        """Stores what is sent, but loses something of it."""

        def routine(self, routine_id: str) -> Routine:
            return world.hevy.routine(routine_id)

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            world.hevy.update_routine(routine_id, routine)
            [(name, value)] = lost.items()
            if name in {"title", "notes"}:
                world.edit_as_the_app(**{name: value})
                return
            exercises = world.now_in_hevy()["exercises"]
            exercises[0][name.removeprefix("exercise ")] = value
            world.edit_as_the_app(exercises=exercises)

    done = world.publish(service=Careless())
    assert done.state == "failed"
    assert "not what was sent" in done.detail
    assert world.landed() == []


def test_a_routine_that_cannot_be_sent_back_is_a_failure_and_no_crash(world: World) -> None:
    class Halves:
        def routine(self, routine_id: str) -> Routine:
            payload = world.hevy.routine(routine_id).payload
            payload["exercises"][0]["sets"][0]["distance_meters"] = 1609.344
            return Routine.read(payload)

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            raise AssertionError("nothing may be sent")

    done = world.publish(service=Halves())
    assert done.state == "failed"
    assert "distance_meters" in done.detail


def test_a_deleted_routine_is_a_conflict(world: World) -> None:
    url = f"{world.simulator.url}/simulator/routines/{world.before['id']}"
    assert httpx.delete(url).is_success
    assert world.publish().state == "conflict"


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("call", [1, 2, 3], ids=["read", "write", "read back"])
def test_a_kill_at_any_call_ends_in_one_publication(
    world: World, call: int, is_before: bool
) -> None:
    with pytest.raises(KilledError):
        world.publish(service=Mortal(world.hevy, call, is_before=is_before))
    done = world.publish()
    assert done.state == "published"
    assert world.rows() == [("published",)]
    assert world.put_count() == 1
    assert without_times(world.now_in_hevy()) == without_times(with_changes(world.before, done))
    assert len(world.landed()) == 1


def test_an_edit_after_a_kill_is_not_overwritten(world: World) -> None:
    with pytest.raises(KilledError):
        world.publish(service=Mortal(world.hevy, 2, is_before=True))
    exercises = world.now_in_hevy()["exercises"]
    exercises[0]["sets"][-1]["weight_kg"] = 1.25
    world.edit_as_the_app(exercises=exercises)
    assert world.publish(known=world.now_in_hevy()).state == "conflict"
    assert world.now_in_hevy()["exercises"] == exercises


def test_a_service_that_is_down_leaves_the_plan_to_the_next_run(world: World) -> None:
    class Down:
        def routine(self, routine_id: str) -> Routine:
            raise HevyUnavailableError("down")

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            raise HevyUnavailableError("down")

    with pytest.raises(HevyUnavailableError):
        world.publish(service=Down())
    assert world.rows() == []
    assert world.publish().state == "published"


def test_a_refused_body_is_a_failure_with_the_services_words(world: World) -> None:
    class Refusing:
        def routine(self, routine_id: str) -> Routine:
            return world.hevy.routine(routine_id)

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            raise HevyRequestError("Hevy refused: no such template", status=400)

    done = world.publish(service=Refusing())
    assert (done.state, done.detail) == ("failed", "Hevy refused: no such template")


def test_a_body_that_was_stored_differently_is_a_failure(world: World) -> None:
    class Forgetful:
        def routine(self, routine_id: str) -> Routine:
            return world.hevy.routine(routine_id)

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            pass

    done = world.publish(service=Forgetful())
    assert done.state == "failed"
    assert "not what was sent" in done.detail
    assert world.landed() == []
