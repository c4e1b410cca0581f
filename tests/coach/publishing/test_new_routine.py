"""Plans go into routines of our own: dated, few, never created twice, never over an edit."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from coach_agent.domain.plan import Plan
from coach_agent.publishing.new_routine import OwnRoutine
from coach_agent.publishing.rollback import RollbackError
from coach_agent.publishing.states import PublicationRow
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.schemas import (
    JsonObject,
    Routine,
    RoutineFolder,
    RoutineFolderWrite,
    RoutineWrite,
)
from tests.coach.publishing_world import (
    NOW,
    PLAN_ID,
    KilledError,
    Stepping,
    Steps,
    World,
    with_loads,
)
from tests.profiles import kill_points, randomized


@dataclass
class Making(Stepping):
    """A service that can create, with boundaries around each of its calls."""

    loses_answers: bool = False

    def routines(self) -> list[Routine]:
        self.steps.reach("before list")
        return self.service.routines()

    def routine_folders(self) -> list[RoutineFolder]:
        self.steps.reach("before folders")
        return self.service.routine_folders()

    def create_routine_folder(self, folder: RoutineFolderWrite) -> None:
        self.steps.reach("before POST")
        self.service.create_routine_folder(folder)
        self._answered()

    def create_routine(self, routine: RoutineWrite, folder_id: int | None = None) -> None:
        self.steps.reach("before POST")
        self.service.create_routine(routine, folder_id)
        self._answered()

    def _answered(self) -> None:
        self.steps.reach("after POST")
        if self.loses_answers:
            raise HevyUnavailableError("no answer")


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def publish(
    world: World,
    day: int = 0,
    *,
    plan: Plan | None = None,
    keep: int = 2,
    loses_answers: bool = False,
) -> PublicationRow:
    """Publish the plan of a day; each day has another one."""
    service = Making(world.hevy, world.steps, loses_answers)
    publisher = world.publisher(service, now=NOW + timedelta(days=day))
    plan_id = PLAN_ID if day == 0 else f"plan_{day}"
    moved = plan or with_loads(world.plan, 2.5 * day)
    return publisher.publish(
        plan_id,
        moved,
        "auto",
        world.before,
        own=OwnRoutine((NOW + timedelta(days=day)).date(), keep),
    )


def own(world: World) -> list[JsonObject]:
    """The routines in our folder, as they are."""
    [folder] = [each["id"] for each in world.account.folders() if each["title"] == "Spotter"]
    return [each for each in world.account.routines() if each["folder_id"] == folder]


def loads(routine: JsonObject) -> list[float]:
    return [each["weight_kg"] for each in routine["exercises"][0]["sets"]]


def posts(world: World) -> list[str]:
    entries = world.simulated.log.entries()
    return [each.path for each in entries if each.method == "POST" and each.status == 201]


def test_the_plan_becomes_a_routine_of_its_own_and_the_old_one_stays(world: World) -> None:
    done = publish(world)
    [made] = own(world)
    assert (done.state, done.written_routine_id) == ("published", made["id"])
    assert made["title"] == "Push · 2026-03-04"
    assert loads(made) == [40, 102.5, 102.5, 102.5]
    old = world.now_in_hevy()
    assert old == world.before
    for name in ("notes", "superset_id", "rest_seconds"):
        assert [one[name] for one in made["exercises"]] == [one[name] for one in old["exercises"]]
    assert posts(world) == ["/v1/routine_folders", "/v1/routines"]
    assert publish(world).is_new is False


def test_only_so_many_are_kept_and_the_oldest_is_used_again(world: World) -> None:
    for day in range(4):
        assert publish(world, day).state == "published"
    assert sorted(each["title"] for each in own(world)) == [
        "Push · 2026-03-06",
        "Push · 2026-03-07",
    ]
    assert sorted(map(loads, own(world))) == [
        [40, 107.5, 107.5, 107.5],
        [40, 110, 110, 110],
    ]
    assert posts(world) == ["/v1/routine_folders", "/v1/routines", "/v1/routines"]
    assert len(world.puts()) == 2


def test_another_plan_of_the_same_day_takes_the_place_of_the_first(world: World) -> None:
    publish(world)
    publish(world, plan=with_loads(world.plan, 5))
    other = world.publisher(Making(world.hevy, world.steps))
    done = other.publish(
        "plan_b", with_loads(world.plan, -5), "auto", world.before, own=OwnRoutine(NOW.date(), 3)
    )
    [made] = own(world)
    assert (done.state, loads(made)) == ("published", [40, 97.5, 97.5, 97.5])


def test_one_that_the_athlete_edited_is_never_used_again(world: World) -> None:
    publish(world)
    [made] = own(world)
    world.account.edit_routine(made["id"], {**made, "title": "My favourite"})
    for day in (1, 2, 3):
        publish(world, day)
    assert sorted(each["title"] for each in own(world)) == [
        "My favourite",
        "Push · 2026-03-07",
    ]


def test_what_the_newest_one_says_already_is_not_written_again(world: World) -> None:
    publish(world)
    done = publish(world, 1, plan=world.plan)
    assert (done.state, len(own(world))) == ("unchanged", 1)


def test_an_answer_that_is_lost_creates_nothing_twice(world: World) -> None:
    done = publish(world, loses_answers=True)
    assert (done.state, len(own(world))) == ("published", 1)
    assert posts(world) == ["/v1/routine_folders", "/v1/routines"]


@randomized
@pytest.mark.parametrize("day", [0, 2], ids=["a new one", "one of before"])
def test_a_kill_anywhere_ends_in_one_routine(day: int) -> None:
    def begun() -> World:
        made = World()
        for earlier in range(day):
            publish(made, earlier)
        made.steps = Steps()
        return made

    world = begun()
    publish(world, day)
    count, expected = len(world.steps.passed), sorted(map(loads, own(world)))
    made, put = len(posts(world)), len(world.puts())
    world.close()
    for at in kill_points(count):
        world = begun()
        world.steps = Steps(at=at)
        with pytest.raises(KilledError):
            publish(world, day)
        world.steps = Steps()
        assert publish(world, day).state == "published", at
        assert sorted(map(loads, own(world))) == expected
        assert (len(posts(world)), len(world.puts())) == (made, put)
        assert world.states() == ["published"] * (day + 1)
        world.close()


def test_one_that_is_in_our_folder_no_more_is_the_athletes(world: World) -> None:
    publish(world)
    [made] = own(world)
    world.account.delete_folder(made["folder_id"])
    for day in (1, 2, 3):
        publish(world, day)
    kept = world.account.routine(made["id"])
    assert (kept["title"], loads(kept)) == (made["title"], loads(made))
    assert len(own(world)) == 2


def test_a_creation_that_was_renamed_before_it_was_found_is_not_repeated(world: World) -> None:
    world.steps = Steps(at=_passed().index("after POST", _passed().index("after POST") + 1) + 1)
    with pytest.raises(KilledError):
        publish(world)
    world.steps = Steps()
    [made] = own(world)
    world.account.edit_routine(made["id"], {**made, "title": "Tuesday"})
    done = publish(world)
    assert (done.written_routine_id, len(posts(world))) == (made["id"], 2)
    assert [each["title"] for each in own(world)] == ["Tuesday"]


def _passed() -> list[str]:
    world = World()
    publish(world)
    world.close()
    return world.steps.passed


def test_taking_one_back_takes_back_nothing_of_the_one_beside_it(world: World) -> None:
    for day in range(4):
        publish(world, day)
    third, fourth = world.rows()[2:]
    before = world.account.routine(fourth.written_id)
    back = world.publisher().roll_back(third, "kg", is_dry_run=False)
    assert (back.state, back.plan_id) == ("published", PLAN_ID)
    restored = world.account.routine(third.written_id)
    assert (restored["title"], loads(restored)) == (
        "Push · 2026-03-04",
        [40, 102.5, 102.5, 102.5],
    )
    assert world.account.routine(fourth.written_id) == before
    assert [row.rolled_back_by for row in world.rows()] == [
        None,
        None,
        back.publication_id,
        None,
        None,
    ]


def test_what_was_made_anew_is_the_apps_to_delete(world: World) -> None:
    made = publish(world)
    with pytest.raises(RollbackError, match="delete it in the app"):
        world.publisher().roll_back(made, "kg", is_dry_run=False)


def test_who_wants_the_routine_itself_after_all_gets_it_there(world: World) -> None:
    """A creation that never arrived; then the profile's target was changed."""
    world.steps = Steps(at=_passed().index("before POST", _passed().index("after POST")) + 1)
    with pytest.raises(KilledError):
        publish(world)
    world.steps = Steps()
    publisher = world.publisher(Making(world.hevy, world.steps))
    done = publisher.publish(PLAN_ID, world.plan, "auto", world.before)
    assert (done.state, done.target, done.written_id) == ("published", "update", world.routine_id)
    assert (own(world), loads(world.now_in_hevy())) == ([], [40, 102.5, 102.5, 102.5])
