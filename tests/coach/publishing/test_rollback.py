"""A publication can be rolled back, and only that: later edits stay."""

import json
from collections.abc import Iterator

import pytest

from coach_agent.publishing.rollback import RollbackError
from hevy_connector.schemas import JsonObject, Routine
from tests.coach.publishing_world import (
    World,
    plan_with_heavier_sets,
    planned,
    with_loads,
    with_notes,
    without_times,
)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def thrice_published(world: World) -> list[JsonObject]:
    """The routine before each of three publications, and after the last."""
    seen = [world.now_in_hevy()]
    for number in (1, 2, 3):
        plan = with_notes(with_loads(world.plan, 2.5 * number), f"Number {number}.")
        known = world.now_in_hevy()
        assert world.publish(plan=plan, plan_id=f"plan_{number}", known=known).state == "published"
        seen.append(world.now_in_hevy())
    return [without_times(each) for each in seen]


def test_one_after_the_other_each_state_returns(world: World) -> None:
    seen = thrice_published(world)
    for number in (3, 2, 1):
        row = world.rows()[number - 1]
        done = world.publisher().roll_back(row, "kg", is_dry_run=False)
        assert (done.state, done.kind, done.rolls_back) == (
            "published",
            "rollback",
            row.publication_id,
        )
        assert done.plan_id == ("" if number == 1 else f"plan_{number - 1}")
        assert without_times(world.now_in_hevy()) == seen[number - 1]
    assert [row.rolled_back_by is not None for row in world.rows()][:3] == [True] * 3
    assert len(world.puts()) == 6


@pytest.mark.parametrize("number", [1, 2, 3])
def test_each_state_returns_at_once(world: World, number: int) -> None:
    seen = thrice_published(world)
    world.publisher().roll_back(world.rows()[number - 1], "kg", is_dry_run=False)
    assert without_times(world.now_in_hevy()) == seen[number - 1]
    assert len(world.puts()) == 4
    marked = [row.rolled_back_by is not None for row in world.rows()]
    assert marked == [each >= number for each in (1, 2, 3)] + [False]


def test_a_rollback_can_be_taken_back(world: World) -> None:
    seen = thrice_published(world)
    back = world.publisher().roll_back(world.rows()[1], "kg", is_dry_run=False)
    again = world.publisher().roll_back(back, "kg", is_dry_run=False)
    assert again.plan_id == "plan_3"
    assert without_times(world.now_in_hevy()) == seen[3]
    assert [row.rolled_back_by is None for row in world.rows()] == [True, True, True, False, True]
    world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    assert without_times(world.now_in_hevy()) == seen[0]


def test_what_was_taken_back_is_not_published_again(world: World) -> None:
    world.publish()
    world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    again = world.publish()
    assert (again.state, again.is_new, again.rolled_back_by is not None) == (
        "published",
        False,
        True,
    )
    assert without_times(world.now_in_hevy()) == without_times(world.before)
    other = world.publish(plan=with_loads(world.plan, 5.0), plan_id="plan_other")
    assert (other.state, other.is_new) == ("published", True)


def test_a_plan_that_only_found_it_so_is_taken_back_with_what_brought_it_there(
    world: World,
) -> None:
    """The next run once sent it, and so undid the rollback."""
    world.publish()
    later = with_loads(world.plan, 0.0)
    said = world.publish(plan=later, plan_id="plan_later", known=world.now_in_hevy())
    assert said.state == "unchanged"
    back = world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    again = world.publish(plan=later, plan_id="plan_later", known=world.now_in_hevy())
    assert (again.state, again.rolled_back_by) == ("unchanged", back.publication_id)
    assert without_times(world.now_in_hevy()) == without_times(world.before)
    assert len(world.puts()) == 2
    world.publisher().roll_back(back, "kg", is_dry_run=False)
    assert [row.rolled_back_by is None for row in world.rows()] == [True, True, False, True]


def test_with_a_dry_run_nothing_is_sent_or_kept(world: World) -> None:
    world.publish()
    before, rows = world.now_in_hevy(), world.rows()
    shown = world.publisher().roll_back(rows[0], "kg", is_dry_run=True)
    assert {(each.field, each.after - each.before) for each in shown.changes} == {
        ("weight_kg", -2.5)
    }
    assert (world.now_in_hevy(), world.rows(), len(world.puts())) == (before, rows, 1)


def test_what_the_athlete_edited_since_then_stays(world: World) -> None:
    world.publish(plan=with_notes(world.plan, "Up."))

    def change(routine: JsonObject) -> None:
        exercises = routine["exercises"]
        exercises[0]["notes"] = "wide grip\n[Spotter: Up.]"
        exercises[0]["rest_seconds"] = 240
        exercises.append(exercises.pop(0))
        routine["title"] = "Push day"

    world.edit(change)
    done = world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    assert done.state == "published"
    now = world.now_in_hevy()
    assert now["title"] == "Push day"
    assert [each["rest_seconds"] for each in now["exercises"]] == [90, None, 240]
    assert now["exercises"][2]["notes"] == "wide grip"
    old = world.before["exercises"]
    assert [each["sets"] for each in now["exercises"]] == [
        old[1]["sets"],
        old[2]["sets"],
        old[0]["sets"],
    ]


def test_what_was_edited_between_publications_outlives_them_all(world: World) -> None:
    """The base of the third one holds the edit, those of the first two do not."""

    def change(routine: JsonObject) -> None:
        bench, row, _ = routine["exercises"]
        bench["rest_seconds"] = 240
        row["superset_id"] = None
        row["sets"].insert(0, planned(30, 10, type="warmup"))

    for number in (1, 2, 3):
        if number == 3:
            world.edit(change)
        plan = plan_with_heavier_sets(Routine.model_validate(world.now_in_hevy()))
        done = world.publish(
            plan=with_notes(plan, f"Number {number}."),
            plan_id=f"plan_{number}",
            known=world.now_in_hevy(),
        )
        assert done.state == "published"
    world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    expected = json.loads(json.dumps(world.before))
    change(expected)
    now = world.now_in_hevy()
    for name in ("rest_seconds", "superset_id", "notes"):
        assert [one[name] for one in now["exercises"]] == [
            one[name] for one in expected["exercises"]
        ]
    assert [[each["weight_kg"] for each in one["sets"]] for one in now["exercises"]] == [
        [each["weight_kg"] for each in one["sets"]] for one in expected["exercises"]
    ]


def test_loads_that_the_athlete_changed_since_then_are_not_taken_back(world: World) -> None:
    world.publish()
    edited = world.edit(lambda routine: routine["exercises"][0]["sets"][1].update(weight_kg=80))
    with pytest.raises(RollbackError, match="sets were edited"):
        world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    assert (world.now_in_hevy(), len(world.rows())) == (edited, 1)


def test_what_sent_nothing_or_is_gone_cannot_be_taken_back(world: World) -> None:
    shown = world.publish("preview")
    with pytest.raises(RollbackError, match="sent nothing"):
        world.publisher().roll_back(shown, "kg", is_dry_run=False)
    done = world.publish()
    world.publisher().roll_back(done, "kg", is_dry_run=False)
    with pytest.raises(RollbackError, match="taken back already"):
        world.publisher().roll_back(world.rows()[0], "kg", is_dry_run=False)
    world.account.delete_routine(world.routine_id)
    with pytest.raises(RollbackError, match="no longer exists"):
        world.publisher().roll_back(world.rows()[1], "kg", is_dry_run=False)
