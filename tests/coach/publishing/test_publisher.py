"""Publishing against the simulated service: once, and never over an edit that was not seen."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, cast

import duckdb
import pytest

from coach_agent.journal.publications import (
    publications_of,
    record,
    record_response,
)
from coach_agent.publishing.publication_rows import new_publication
from coach_agent.publishing.publisher import Mode
from coach_agent.publishing.states import TransitionError
from coach_agent.store.rejections import read_rejections
from hevy_connector.errors import HevyRequestError, HevyUnavailableError
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite
from tests.coach.publishing_world import (
    NOW,
    PLAN_ID,
    PUSH,
    Stepping,
    Steps,
    World,
    with_changes,
    with_loads,
    with_notes,
    without_times,
)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


class Service:
    """The simulated service but for what a test changes."""

    def __init__(self, world: World) -> None:
        self.world = world

    def routine(self, routine_id: str) -> Routine:
        return self.world.hevy.routine(routine_id)

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
        self.world.hevy.update_routine(routine_id, routine)


def test_the_routine_changes_exactly_by_what_is_told(world: World) -> None:
    done = world.publish()
    assert done.state == "published"
    assert len(done.changes) == 6
    assert {change.field for change in done.changes} == {"weight_kg"}
    expected = with_changes(world.before, done)
    assert without_times(world.now_in_hevy()) == without_times(expected)


class Others:
    """Writers to the same lake: the first commit of each use comes after one of theirs."""

    def __init__(self, world: World) -> None:
        self.world, self.conflicts = world, 0

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.world.connect() as con:
            yield cast(duckdb.DuckDBPyConnection, Beaten(con, self))


class Beaten:
    """A connection whose first commit is too late."""

    def __init__(self, con: duckdb.DuckDBPyConnection, others: Others) -> None:
        self.con, self.others, self.is_first = con, others, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.con, name)

    def commit(self) -> None:
        if not self.is_first:
            self.con.commit()
            return
        self.is_first = False
        self.others.conflicts += 1
        self.con.rollback()
        raise duckdb.TransactionException("Transaction conflict - deleted from it")


def test_where_another_writer_was_first_the_record_is_made_again_and_hevy_is_not_asked_again(
    world: World,
) -> None:
    others = Others(world)
    service = Stepping(world.hevy, world.steps)
    publisher = world.publisher(service, connect=others.connect)
    done = publisher.publish(PLAN_ID, world.plan, "auto", world.before)
    assert done.state == "published"
    assert others.conflicts == len(["what is stored", "the intent", "the success"])
    asked = [step for step in world.steps.passed if step.startswith("before") and "T" in step]
    assert asked == ["before GET", "before GET", "before PUT", "before GET"]
    [(_, origin, _)] = world.landed()
    assert origin == "publication"


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
    assert len(world.puts()) == 1
    assert world.states() == ["published"]


def test_every_step_is_kept_with_its_time_and_reason(world: World) -> None:
    world.publish("preview")
    done = world.publish()
    steps = [(each.from_state, each.to_state) for each in world.events(done)]
    assert steps == [
        (None, "previewed"),
        ("previewed", "publishing"),
        ("publishing", "published"),
    ]
    assert all(each.reason and each.happened_at == NOW for each in world.events(done))


def test_what_nothing_is_new_of_is_no_step(world: World) -> None:
    shown = [world.publish("approve") for _ in range(3)]
    assert {row.state for row in shown} == {"waiting"}
    assert len(world.events(shown[0])) == 1


def test_what_is_final_is_never_changed(world: World) -> None:
    done = world.publish()
    with pytest.raises(TransitionError), world.connect() as con:
        record(
            con, world.rows()[0].__class__(**{**vars(done), "state": "waiting"}), reason="", at=NOW
        )
    assert world.states() == ["published"]


def test_after_publication_the_routine_is_the_athletes_to_edit(world: World) -> None:
    world.publish()
    world.edit(lambda routine: routine["exercises"][0]["sets"][-1].update(weight_kg=1.25))
    assert world.publish().state == "published"
    assert world.now_in_hevy()["exercises"][0]["sets"][-1]["weight_kg"] == 1.25


@pytest.mark.parametrize(("mode", "state"), [("preview", "previewed"), ("approve", "waiting")])
def test_what_is_only_to_be_shown_sends_nothing_and_shows_the_same(
    world: World, mode: Mode, state: str
) -> None:
    shown = world.publish(mode)
    assert (shown.state, world.puts(), world.landed()) == (state, [], [])
    assert world.publish(mode).changes == shown.changes
    done = world.publish("auto")
    assert (done.state, done.changes) == ("published", shown.changes)
    assert world.states() == ["published"]


def test_what_is_unsafe_is_withheld_until_it_is_safe(world: World) -> None:
    held = world.publish(unsafe="Hevy was last read 40 hours ago.")
    assert (held.state, held.detail) == ("withheld", "Hevy was last read 40 hours ago.")
    assert [each.method for each in world.simulated.log.entries()] == ["GET"]
    assert world.publish().state == "published"
    assert world.states() == ["published"]


def test_what_the_athlete_rejected_is_never_sent_and_the_coach_knows_why(world: World) -> None:
    shown = world.publish("approve")
    with world.connect() as con:
        record_response(con, shown, "rejected", "too heavy", at=NOW, run_id="said")
    again = world.publish("auto")
    assert (again.state, again.detail, world.puts()) == ("rejected", "too heavy", [])
    with world.connect() as con:
        [told] = read_rejections(con, ["demo"], since=NOW - timedelta(days=1))["demo"]
        assert read_rejections(con, ["demo"], since=NOW + timedelta(days=1)) == {}
    assert (told.plan_id, told.because, told.rejected_at) == (shown.plan_id, "too heavy", NOW)
    other = world.publish(plan=with_loads(world.plan, 5), plan_id="plan_other")
    assert other.state == "published"
    back = world.publish(known=world.now_in_hevy())
    assert back.state == "rejected"


def test_a_plan_that_was_approved_after_all_is_told_as_rejected_no_more(world: World) -> None:
    """Bug: a model received a rejection that the athlete had withdrawn."""
    shown = world.publish("approve")
    with world.connect() as con:
        record_response(con, shown, "rejected", "too heavy", at=NOW, run_id="said")
        rows = publications_of(con, "demo")
        again = new_publication(rows, shown.plan_id, world.plan, "approve", at=NOW, run_id="said")
        record_response(con, again, "approved", "The athlete wants it.", at=NOW, run_id="said")
        assert read_rejections(con, ["demo"], since=NOW - timedelta(days=1)) == {}
        record_response(con, again, "rejected", "still too heavy", at=NOW, run_id="said")
        [told] = read_rejections(con, ["demo"], since=NOW - timedelta(days=1))["demo"]
    assert (told.plan_id, told.because) == (shown.plan_id, "still too heavy")


def test_a_plan_that_changes_nothing_sends_nothing(world: World) -> None:
    assert world.publish(plan=with_loads(world.plan, -2.5)).state == "unchanged"
    assert world.puts() == []


@pytest.mark.parametrize("mode", ["auto", "preview", "approve"])
@pytest.mark.parametrize("what", ["an exercise removed", "a set removed", "a set of another type"])
def test_a_plan_for_another_structure_is_a_conflict(world: World, mode: Mode, what: str) -> None:
    def change(routine: JsonObject) -> None:
        exercises = routine["exercises"]
        if what == "an exercise removed":
            exercises.pop()
        elif what == "a set removed":
            exercises[1]["sets"].pop()
        else:
            exercises[1]["sets"][-1]["type"] = "failure"

    edited = world.edit(change)
    done = world.publish(mode, known=edited)
    assert done.state == "conflict"
    assert "plans again" in done.detail
    assert (world.now_in_hevy(), world.puts()) == (edited, [])


def test_once_an_edit_has_been_read_the_plan_that_still_stands_is_published(world: World) -> None:
    edited = world.edit(lambda routine: routine["exercises"][0]["sets"][-1].update(weight_kg=20))
    assert world.publish().state == "conflict"
    assert world.now_in_hevy() == edited
    assert world.publish(known=edited).state == "published"
    assert world.states() == ["published"]


def test_a_plan_that_returns_after_another_is_published_again(world: World) -> None:
    first = world.publish()
    other = with_loads(world.plan, -5.0)
    second = world.publish(plan=other, plan_id="plan_other", known=world.now_in_hevy())
    third = world.publish(known=world.now_in_hevy())
    assert [first.state, second.state, third.state] == ["published"] * 3
    assert len({first.publication_id, second.publication_id, third.publication_id}) == 3
    assert len(world.puts()) == 3


def test_our_note_is_added_replaced_and_removed_and_theirs_stays(world: World) -> None:
    notes = []
    for number, note in enumerate(["Slow down.", "Go [up]\nnow.", None]):
        plan = with_notes(world.plan, note)
        known = world.now_in_hevy()
        assert world.publish(plan=plan, plan_id=f"plan_{number}", known=known).state == "published"
        notes.append([each["notes"] for each in world.now_in_hevy()["exercises"][:2]])
    assert notes == [
        ["narrow grip\n[Spotter: Slow down.]", "[Spotter: Slow down.]"],
        ["narrow grip\n[Spotter: Go (up) now.]", "[Spotter: Go (up) now.]"],
        ["narrow grip", ""],
    ]


def test_a_note_of_ours_that_was_edited_is_the_athletes(world: World) -> None:
    world.publish(plan=with_notes(world.plan, "Slow down."))
    edited = world.edit(
        lambda routine: routine["exercises"][0].update(notes="[Spotter: Slow down. My knee hurts.]")
    )
    world.publish(plan=with_notes(world.plan, "Go up."), plan_id="plan_2", known=edited)
    assert world.now_in_hevy()["exercises"][0]["notes"] == (
        "[Spotter: Slow down. My knee hurts.]\n[Spotter: Go up.]"
    )


def test_a_plan_may_move_exercises(world: World) -> None:
    bench, row, curl = world.plan.slots
    slots = (
        bench,
        curl.model_copy(update={"exercise_index": 1, "moved_from": 2}),
        row.model_copy(update={"exercise_index": 2, "moved_from": 1}),
    )
    plan = world.plan.model_copy(update={"slots": slots})
    done = world.publish(plan=plan)
    assert done.state == "published"
    moved = [(each.before, each.after) for each in done.changes if each.field == "place"]
    assert moved == [(2, 3), (3, 2)]
    before, after = world.before["exercises"], world.now_in_hevy()["exercises"]
    assert [each["title"] for each in after] == [before[at]["title"] for at in (0, 2, 1)]
    assert [each["superset_id"] for each in after] == [None, 0, 0]
    back = world.publisher().roll_back(done, "kg", is_dry_run=False)
    assert back.state == "published"
    assert without_times(world.now_in_hevy()) == without_times(world.before)


def test_an_order_that_the_plan_does_not_know_is_a_conflict(world: World) -> None:
    edited = world.edit(lambda routine: routine["exercises"].reverse())
    assert world.publish(known=edited).state == "conflict"
    assert (world.now_in_hevy(), world.puts()) == (edited, [])


def test_a_note_alone_is_a_change(world: World) -> None:
    plan = with_notes(with_loads(world.plan, -2.5), "Slow down.")
    done = world.publish(plan=plan)
    assert {(each.field, each.set_index) for each in done.changes} == {("notes", None)}
    assert done.state == "published"


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
    class Careless(Service):
        """Stores what is sent, but loses something of it."""

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            super().update_routine(routine_id, routine)
            [(name, value)] = lost.items()
            if name in {"title", "notes"}:
                world.edit(**{name: value})
                return
            key = name.removeprefix("exercise ")
            world.edit(lambda routine: routine["exercises"][0].update({key: value}))

    done = world.publish(service=Careless(world))
    assert done.state == "failed"
    assert "not what was sent" in done.detail
    assert world.landed() == []


def test_a_routine_that_left_its_folder_is_a_failure() -> None:
    world = World()
    folder = world.account.create_folder(
        type("Body", (), {"title": "Winter"})()  # type: ignore[arg-type]
    )
    world.routine_id = world.account.make_routine({**PUSH, "folder_id": folder["id"]})["id"]
    world.before = world.now_in_hevy()
    plan = world.plan.model_copy(update={"routine_id": world.routine_id})

    class Careless(Service):
        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            super().update_routine(routine_id, routine)
            world.account.delete_folder(folder["id"])

    done = world.publish(plan=plan, service=Careless(world))
    world.close()
    assert (done.state, "folder_id is None" in done.detail) == ("failed", True)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("distance_meters", 1609.344, "distance_meters"),
        ("rep_range", {"start": None, "end": 12}, "without a start"),
    ],
)
def test_a_routine_that_cannot_be_sent_back_is_a_failure_and_no_crash(
    world: World, field: str, value: object, told: str
) -> None:
    class Odd(Service):
        def routine(self, routine_id: str) -> Routine:
            payload = super().routine(routine_id).payload
            payload["exercises"][0]["sets"][0][field] = value
            return Routine.read(payload)

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            raise AssertionError("nothing may be sent")

    done = world.publish(service=Odd(world))
    assert done.state == "failed"
    assert told in done.detail


def test_a_deleted_routine_is_a_conflict(world: World) -> None:
    world.account.delete_routine(world.routine_id)
    assert world.publish().state == "conflict"


def test_an_edit_after_a_kill_is_not_overwritten(world: World) -> None:
    world.steps = Steps(at=_boundary(world, "before PUT"))
    with pytest.raises(BaseException, match="before PUT"):
        world.publish()
    world.steps = Steps()
    edited = world.edit(lambda routine: routine["exercises"][0]["sets"][-1].update(weight_kg=1.25))
    assert world.publish(known=edited).state == "conflict"
    assert world.now_in_hevy() == edited


def _boundary(world: World, name: str) -> int:
    """Return the boundary of a publication at its first occurrence."""
    other = World()
    other.publish()
    passed = other.steps.passed
    other.close()
    return passed.index(name) + 1


def test_a_service_that_is_down_leaves_the_plan_to_the_next_run(world: World) -> None:
    class Down(Service):
        def routine(self, routine_id: str) -> Routine:
            raise HevyUnavailableError("down")

    with pytest.raises(HevyUnavailableError):
        world.publish(service=Down(world))
    assert world.rows() == []
    assert world.publish().state == "published"


@pytest.mark.parametrize("arrives", [True, False], ids=["arrived", "lost"])
@pytest.mark.parametrize("times", [1, 2, 9])
def test_a_write_without_an_answer_is_sent_again_only_if_it_did_not_arrive(
    world: World, arrives: bool, times: int
) -> None:
    class Unclear(Service):
        attempts = 0

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            self.attempts += 1
            if arrives or self.attempts > times:
                super().update_routine(routine_id, routine)
            if self.attempts <= times:
                raise HevyUnavailableError("no answer")

    service = Unclear(world)
    if not arrives and times == 9:
        with pytest.raises(HevyUnavailableError):
            world.publish(service=service)
        assert (world.states(), service.attempts, world.puts()) == (["publishing"], 3, [])
        assert world.publish().state == "published"
    else:
        assert world.publish(service=service).state == "published"
        assert service.attempts == (1 if arrives else times + 1)
    assert len(world.puts()) == 1


def test_an_edit_beside_a_write_that_was_lost_is_kept_and_the_plan_published(
    world: World,
) -> None:
    """The routine read after it differs from before and from the request, without an error."""

    class Losing(Service):
        attempts = 0

        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            self.attempts += 1
            if self.attempts == 1:
                world.edit(title="Push day")
                raise HevyUnavailableError("no answer")
            super().update_routine(routine_id, routine)

    done = world.publish(service=Losing(world))
    assert (done.state, world.now_in_hevy()["title"]) == ("published", "Push day")
    expected = with_changes({**world.before, "title": "Push day"}, done)
    assert without_times(world.now_in_hevy()) == without_times(expected)


def test_a_refused_body_is_a_failure_with_the_services_words(world: World) -> None:
    class Refusing(Service):
        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            raise HevyRequestError("Hevy refused: no such template", status=400)

    done = world.publish(service=Refusing(world))
    assert (done.state, done.detail) == ("failed", "Hevy refused: no such template")
    assert not done.was_sent


def test_a_body_that_was_stored_differently_is_a_failure(world: World) -> None:
    class Forgetful(Service):
        def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
            pass

    done = world.publish(service=Forgetful(world))
    assert done.state == "failed"
    assert "not what was sent" in done.detail
    assert world.landed() == []
