"""Withdrawal of a published plan: a mark in the routine, once, under the rules of publications."""

from collections.abc import Iterator

import pytest

from coach_agent.language.messages import render
from coach_agent.publishing.publisher import Mode
from coach_agent.publishing.states import PublicationRow
from coach_agent.publishing.withdrawal import to_withdraw
from hevy_connector.schemas import JsonObject
from tests.coach.publishing_world import KilledError, Steps, World, with_notes, without_times
from tests.profiles import kill_points, randomized

MARK = f"[Spotter: {render('en', 'withdrawn-note')}]"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def withdraw(world: World, mode: Mode = "auto") -> PublicationRow | None:
    row = to_withdraw(world.rows())
    return None if row is None else world.publisher().withdraw(row, "kg", mode)


def notes(routine: JsonObject) -> list[str | None]:
    return [each["notes"] for each in routine["exercises"]]


def without_notes(routine: JsonObject) -> JsonObject:
    exercises = [{**each, "notes": None} for each in routine["exercises"]]
    return {**without_times(routine), "exercises": exercises}


def test_each_exercise_gets_the_mark_once_and_nothing_else_changes(world: World) -> None:
    world.publish(plan=with_notes(world.plan, "Go for it."))
    published = world.now_in_hevy()
    done = withdraw(world)
    assert done is not None
    assert (done.kind, done.state) == ("withdrawal", "published")
    assert notes(world.now_in_hevy()) == [f"narrow grip\n{MARK}", MARK, MARK]
    assert without_notes(world.now_in_hevy()) == without_notes(published)
    assert withdraw(world) is None
    assert len(world.puts()) == 2


def test_the_next_plan_replaces_the_mark(world: World) -> None:
    world.publish(plan=with_notes(world.plan, "Go for it."))
    withdraw(world)
    again = world.publish(plan=with_notes(world.plan, "Go for it."), known=world.now_in_hevy())
    assert (again.state, again.is_new) == ("published", True)
    ours = "[Spotter: Go for it.]"
    assert notes(world.now_in_hevy()) == [f"narrow grip\n{ours}", ours, ours]
    flagged = withdraw(world)
    assert flagged is not None
    assert flagged.state == "published", "another red flag"


def test_a_withdrawal_can_be_rolled_back_and_is_not_repeated(world: World) -> None:
    world.publish()
    published = world.now_in_hevy()
    done = withdraw(world)
    assert done is not None
    world.publisher().roll_back(done, "kg", is_dry_run=False)
    assert without_times(world.now_in_hevy()) == without_times(published)
    assert withdraw(world) is None


def test_a_rolled_back_plan_is_not_withdrawn(world: World) -> None:
    world.publish()
    world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    assert withdraw(world) is None


def test_a_preview_sends_nothing(world: World) -> None:
    world.publish()
    done = withdraw(world, "preview")
    assert done is not None
    assert (done.state, len(done.changes)) == ("previewed", 3)
    assert len(world.puts()) == 1
    assert withdraw(world) is None


def test_an_edited_routine_is_left_alone(world: World) -> None:
    world.publish()
    edited = world.edit(title="Push, mine")
    done = withdraw(world)
    assert done is not None
    assert (done.state, done.detail) == (
        "conflict",
        "The routine was edited since the plan was published.",
    )
    assert without_times(world.now_in_hevy()) == without_times(edited)
    assert len(world.puts()) == 1


@randomized
def test_killed_at_any_step_it_arrives_once(world: World) -> None:
    world.publish()
    world.steps = Steps()
    withdraw(world)
    boundaries = len(world.steps.passed)
    for at in kill_points(boundaries):
        other = World()
        other.publish()
        other.steps = Steps(at=at)
        with pytest.raises(KilledError):
            withdraw(other)
        other.steps = Steps()
        for row in other.rows():
            if row.state == "publishing":
                other.publisher().resume_rollback(row, "kg")
        withdraw(other)
        assert notes(other.now_in_hevy()) == [f"narrow grip\n{MARK}", MARK, MARK], at
        assert len(other.puts()) == 2, at
        assert [row.state for row in other.rows()] == ["published", "published"], at
        other.close()
