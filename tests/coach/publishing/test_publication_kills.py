"""A process that dies between any two steps of a publication: the next run ends it, once."""

from collections.abc import Callable

import pytest

from coach_agent.journal.publications import record_response
from coach_agent.publishing.publisher import Mode
from coach_agent.publishing.states import PublicationRow
from tests.coach.publishing_world import (
    NOW,
    KilledError,
    Steps,
    World,
    with_changes,
    with_loads,
    with_notes,
    without_times,
)
from tests.profiles import count, kill_points, randomized

Act = Callable[[World], PublicationRow]


def boundaries(prepare: Callable[[World], object], act: Act) -> list[str]:
    """The boundaries between the steps of what is done, in order."""
    world = World()
    prepare(world)
    world.steps = Steps()
    act(world)
    world.close()
    return world.steps.passed


def killed(world: World, at: int, act: Act) -> None:
    world.steps = Steps(at=at)
    with pytest.raises(KilledError):
        act(world)
    world.steps = Steps()


def nothing(world: World) -> None:
    """A world as it is."""


def published(world: World) -> PublicationRow:
    return world.publish("auto")


def approved(world: World) -> PublicationRow:
    """Publish an approved plan like a run."""
    return world.publish("approve")


def wait_and_approve(world: World) -> None:
    row = world.publish("approve")
    with world.connect() as con:
        record_response(con, row, "approved", "The athlete wants it.", at=NOW, run_id="said")


def test_every_boundary_is_one_of_a_publication() -> None:
    passed = boundaries(nothing, published)
    assert [each for each in passed if each.endswith(("GET", "PUT"))] == [
        "before GET",
        "after GET",
        "before GET",
        "after GET",
        "before PUT",
        "after PUT",
        "before GET",
        "after GET",
    ]
    assert len(passed) == 14


@randomized
@pytest.mark.parametrize(
    ("prepare", "act", "quick"),
    [(nothing, published, 1), (wait_and_approve, approved, 3)],
    ids=["auto", "approved"],
)
def test_a_kill_anywhere_ends_in_one_publication(
    prepare: Callable[[World], object], act: Act, quick: int
) -> None:
    for at in kill_points(len(boundaries(prepare, act)), quick=quick):
        world = World()
        prepare(world)
        killed(world, at, act)
        done = act(world)
        assert done.state == "published", at
        assert world.states() == ["published"]
        assert len(world.puts()) == 1
        expected = with_changes(world.before, done)
        assert without_times(world.now_in_hevy()) == without_times(expected)
        assert len(world.landed()) == 1
        world.close()


@pytest.mark.parametrize(("mode", "state"), [("preview", "previewed"), ("approve", "waiting")])
def test_a_kill_where_nothing_is_to_be_sent_sends_nothing(mode: Mode, state: str) -> None:
    def act(world: World) -> PublicationRow:
        return world.publish(mode)

    for at in range(1, len(boundaries(nothing, act)) + 1):
        world = World()
        killed(world, at, act)
        assert act(world).state == state
        assert (world.states(), world.puts()) == ([state], [])
        assert world.now_in_hevy() == world.before
        world.close()


@randomized
def test_a_run_that_dies_twice_is_continued() -> None:
    steps = len(boundaries(nothing, published))
    for first in range(1, steps + 1, count(quick=5, thorough=3)):
        for second in range(2, steps - first + 1, 4):
            world = World()
            killed(world, first, published)
            world.steps = Steps(at=second)
            try:
                published(world)
            except KilledError:
                world.steps = Steps()
            assert published(world).state == "published"
            assert (world.states(), len(world.puts())) == (["published"], 1)
            world.close()


@randomized
def test_a_kill_leaves_no_plan_that_stands_no_more_in_doubt() -> None:
    for at in kill_points(len(boundaries(nothing, published)), quick=2):
        world = World()
        killed(world, at, published)
        arrived = len(world.puts())
        for row in world.rows():
            settled = world.publisher().settle(row)
            if settled.state == "publishing":
                settled = world.publisher().give_up(settled)
            assert settled.state == ("published" if arrived else "superseded"), at
        other = with_loads(world.plan, 5.0)
        done = world.publish(plan=other, plan_id="plan_other", known=world.now_in_hevy())
        assert done.state == "published"
        assert len(world.puts()) == arrived + 1
        world.close()


def test_an_interrupted_publication_is_only_shown_once_the_athlete_wants_previews() -> None:
    at = boundaries(nothing, published).index("before PUT") + 1
    world = World()
    killed(world, at, published)
    assert world.publish("preview").state == "previewed"
    assert world.puts() == []
    world.close()


def test_an_edit_of_what_arrived_unseen_is_the_athletes() -> None:
    """The run died before it could read back what it had sent; then the athlete changed it."""
    at = boundaries(nothing, published).index("after PUT") + 1
    world = World()
    killed(world, at, published)
    edited = world.edit(lambda routine: routine["exercises"][0]["sets"][-1].update(weight_kg=1.25))
    done = world.publish(known=world.before)
    assert (done.state, len(world.puts())) == ("published", 1)
    assert world.events(done)[-1].reason == "It had arrived, and was edited since."
    assert world.now_in_hevy() == edited
    world.close()


def twice_published(world: World) -> None:
    world.publish()
    other = with_notes(with_loads(world.plan, 2.5), "Up.")
    world.publish(plan=other, plan_id="plan_second", known=world.now_in_hevy())


def taken_back(world: World) -> PublicationRow:
    """Roll back like the command: finish a pending write, then roll back unless that was it."""
    first = world.rows()[0]
    for row in world.rows():
        if row.state == "publishing":
            world.publisher().resume_rollback(row, "kg")
    first = world.rows()[0]
    if first.rolled_back_by is not None:
        return next(row for row in world.rows() if row.publication_id == first.rolled_back_by)
    return world.publisher().roll_back(first, "kg", is_dry_run=False)


@randomized
def test_a_kill_anywhere_in_a_rollback_ends_in_one_rollback() -> None:
    for at in kill_points(len(boundaries(twice_published, taken_back))):
        world = World()
        twice_published(world)
        killed(world, at, taken_back)
        done = taken_back(world)
        assert (done.state, done.kind) == ("published", "rollback"), at
        assert world.states() == ["published"] * 3
        assert len(world.puts()) == 3
        assert without_times(world.now_in_hevy()) == without_times(world.before)
        world.close()


@pytest.mark.parametrize("moment", ["before PUT", "after PUT"])
def test_what_an_older_version_left_in_doubt_is_ended_as_well(moment: str) -> None:
    """It did not record what had been there before."""
    at = boundaries(nothing, published).index(moment) + 1
    world = World()
    killed(world, at, published)
    world.warehouse.cursor().execute("update coach.publications set base = null, kind = null")
    assert published(world).state == "published"
    assert (world.states(), len(world.puts())) == (["published"], 1)
    world.close()
