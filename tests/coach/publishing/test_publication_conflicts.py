"""The athlete edits the routine while it is published: nothing of that is ever overwritten."""

import json
from collections.abc import Callable, Iterator

import pytest

from coach_agent.domain.own_notes import with_own
from hevy_connector.schemas import JsonObject
from tests.coach.publishing_world import (
    CURL,
    Steps,
    World,
    exercise,
    planned,
    with_notes,
    without_times,
)

Edit = Callable[[JsonObject], object]
FLY = "12017185"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def exercises(routine: JsonObject) -> list[JsonObject]:
    found: list[JsonObject] = routine["exercises"]
    return found


def swap(routine: JsonObject) -> None:
    found = exercises(routine)
    found[0], found[2] = found[2], found[0]


# Edits that do not conflict with the plan, with the loads of the routine after it.
HARMLESS: dict[str, tuple[Edit, list[list[float]]]] = {
    "title": (
        lambda routine: routine.update(title="Push, heavy"),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "notes of the routine": (
        lambda routine: routine.update(notes="no music"),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "notes of an exercise": (
        lambda routine: exercises(routine)[0].update(notes="wide grip"),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "rest": (
        lambda routine: exercises(routine)[1].update(rest_seconds=45),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "superset": (
        lambda routine: exercises(routine)[0].update(superset_id=0),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "order": (swap, [[22.91168092460379, 15], [62.5, 62.5], [40, 102.5, 102.5, 102.5]]),
    "exercise removed": (
        lambda routine: exercises(routine).pop(0),
        [[62.5, 62.5], [22.91168092460379, 15]],
    ),
    "exercise added": (
        lambda routine: exercises(routine).insert(1, exercise(FLY, [planned(12, 15)])),
        [[40, 102.5, 102.5, 102.5], [12], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "set removed": (
        lambda routine: exercises(routine)[0]["sets"].pop(),
        [[40, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]],
    ),
    "set added": (
        lambda routine: exercises(routine)[1]["sets"].append(planned(50, 15, type="failure")),
        [[40, 102.5, 102.5, 102.5], [62.5, 62.5, 50], [22.91168092460379, 15]],
    ),
    "warm-up added": (
        lambda routine: exercises(routine)[1]["sets"].insert(0, planned(30, 10, type="warmup")),
        [[40, 102.5, 102.5, 102.5], [30, 62.5, 62.5], [22.91168092460379, 15]],
    ),
}

# Edits of what the plan changes, too.
CONTESTED: dict[str, Edit] = {
    "load": lambda routine: exercises(routine)[0]["sets"][1].update(weight_kg=80),
    "repetitions": lambda routine: exercises(routine)[1]["sets"][0].update(reps=12),
    "range": lambda routine: exercises(routine)[0]["sets"][1].update(
        rep_range={"start": 8, "end": None}
    ),
    "type of a set": lambda routine: exercises(routine)[1]["sets"][1].update(type="failure"),
    "load and a set": lambda routine: exercises(routine)[1].update(
        sets=[planned(55, 10), planned(55, 10), planned(55, 10)]
    ),
}

# In the order in which it happens: long before, or between the two looks of a run.
MOMENTS = {"before the run": 0, "between the looks": 3}


def edited_at(world: World, moment: str, change: Edit) -> list[JsonObject]:
    """Let the athlete edit at that moment of a publication; the routine right after the edit."""
    seen: list[JsonObject] = []

    def edit() -> None:
        seen.append(world.edit(change))

    if not MOMENTS[moment]:
        edit()
    else:
        passed = _passed()
        gets = [at for at, name in enumerate(passed, start=1) if name == "before GET"]
        world.steps = Steps(at=gets[1], does=edit)
    return seen


def _passed() -> list[str]:
    world = World()
    world.publish()
    world.close()
    return world.steps.passed


def loads(routine: JsonObject) -> list[list[float]]:
    return [[each["weight_kg"] for each in one["sets"]] for one in exercises(routine)]


def without_loads(routine: JsonObject) -> JsonObject:
    found: JsonObject = json.loads(json.dumps(without_times(routine)))
    for one in exercises(found):
        for each in one["sets"]:
            del each["weight_kg"]
    return found


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("what", HARMLESS)
def test_the_plan_comes_onto_what_the_athlete_edited(world: World, what: str, moment: str) -> None:
    change, expected = HARMLESS[what]
    seen = edited_at(world, moment, change)
    done = world.publish()
    assert done.state == "published"
    assert loads(world.now_in_hevy()) == expected
    assert without_loads(world.now_in_hevy()) == without_loads(seen[0])
    assert len(world.puts()) == 1


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("what", CONTESTED)
def test_what_both_changed_is_a_conflict_and_stays_theirs(
    world: World, what: str, moment: str
) -> None:
    seen = edited_at(world, moment, CONTESTED[what])
    done = world.publish()
    assert done.state == "conflict"
    assert "edited since it was read" in done.detail
    assert not done.was_sent
    assert world.now_in_hevy() == seen[0]
    assert world.puts() == []


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_deleted_routine_stays_deleted(world: World, moment: str) -> None:
    if MOMENTS[moment]:
        world.steps = Steps(at=7, does=lambda: world.account.delete_routine(world.routine_id))
    else:
        world.account.delete_routine(world.routine_id)
    done = world.publish()
    assert (done.state, done.detail) == ("conflict", "The routine no longer exists in Hevy.")
    assert (world.account.routines(), world.puts()) == ([], [])


def test_a_routine_deleted_right_before_the_write_stays_deleted(world: World) -> None:
    at = _passed().index("before PUT") + 1
    world.steps = Steps(at=at, does=lambda: world.account.delete_routine(world.routine_id))
    assert world.publish().state == "conflict"
    assert (world.account.routines(), world.puts()) == ([], [])


def test_an_edit_right_after_the_write_is_seen_and_kept(world: World) -> None:
    """The app saves what it had open: the read-back shows it, and nothing is sent over it."""
    seen: list[JsonObject] = []
    at = _passed().index("after PUT") + 1
    world.steps = Steps(
        at=at,
        does=lambda: seen.append(
            world.edit(lambda routine: exercises(routine)[0]["sets"][1].update(weight_kg=80))
        ),
    )
    done = world.publish()
    assert done.state == "failed"
    assert "exercise 1, set 2: weight_kg is 80" in done.detail
    assert world.now_in_hevy() == seen[0]
    assert len(world.puts()) == 1


def test_a_routine_that_is_being_edited_all_the_time_is_left_alone(world: World) -> None:
    class Restless:
        rests = iter(range(100, 1000))

        def routine(self, routine_id: str):  # type: ignore[no-untyped-def]
            world.edit(lambda routine: exercises(routine)[0].update(rest_seconds=next(self.rests)))
            return world.hevy.routine(routine_id)

        def update_routine(self, routine_id: str, routine: object) -> None:
            raise AssertionError("nothing may be sent")

    done = world.publish(service=Restless())
    assert (done.state, done.detail) == ("conflict", "The routine is being edited right now.")


def test_between_the_last_look_and_the_write_nothing_else_happens() -> None:
    """The unavoidable race window is minimal: no warehouse access, no other request."""
    passed = _passed()
    at = passed.index("before PUT")
    assert passed[at - 1] == "after GET"


def test_their_note_and_ours_can_change_at_once(world: World) -> None:
    world.publish(plan=with_notes(world.plan, "Slow."))
    known = world.now_in_hevy()
    world.edit(
        lambda routine: exercises(routine)[0].update(
            notes="[Spotter: Slow.]\nwide grip, left shoulder hurts"
        )
    )
    plan = with_notes(world.plan, "Up.")
    done = world.publish(plan=plan, plan_id="plan_2", known=known)
    assert done.state == "published"
    assert exercises(world.now_in_hevy())[0]["notes"] == (
        "wide grip, left shoulder hurts\n[Spotter: Up.]"
    )


def test_of_two_places_of_an_exercise_the_one_that_is_left_must_be_certain() -> None:
    twice = {
        "title": "Arms",
        "exercises": [
            exercise(CURL, [planned(20, 10)]),
            exercise(CURL, [planned(20, 10)]),
        ],
    }
    world = World(twice)
    slots = world.plan.slots
    same = slots[1].model_copy(
        update={"sets": (slots[1].sets[0].model_copy(update={"weight_kg": 20}),)}
    )
    plan = world.plan.model_copy(update={"slots": (slots[0], same)})
    edited = world.edit(lambda routine: exercises(routine).pop())
    assert world.publish(plan=plan).state == "conflict"
    assert world.now_in_hevy() == edited
    world.close()


def test_of_two_places_of_an_exercise_that_differ_the_other_one_is_published() -> None:
    twice = {
        "title": "Arms",
        "exercises": [exercise(CURL, [planned(20, 10)]), exercise(CURL, [planned(12, 20)])],
    }
    world = World(twice)
    world.edit(lambda routine: exercises(routine).pop(0))
    assert world.publish().state == "published"
    assert loads(world.now_in_hevy()) == [[14.5]]
    world.close()


def test_a_mark_that_we_never_wrote_is_the_athletes(world: World) -> None:
    known = world.edit(lambda routine: exercises(routine)[0].update(notes="[Spotter: is great]"))
    assert world.publish(plan=with_notes(world.plan, "Up."), known=known).state == "published"
    assert exercises(world.now_in_hevy())[0]["notes"] == "[Spotter: is great]\n[Spotter: Up.]"


@pytest.mark.parametrize(
    ("note", "left"),
    [
        ("mine\n[Spotter: theirs]\n[Spotter: Up.]\nmore", "mine\n[Spotter: theirs]\nmore"),
        ("[Spotter: Up.]", None),
        ("mine [Spotter: Up.]", "mine "),
        ("mine\n\n[Spotter: Up.]\n", "mine\n\n"),
    ],
    ids=["beside a mark of theirs", "alone", "within a line", "below an empty line"],
)
def test_our_line_goes_and_not_a_character_of_theirs(note: str, left: str | None) -> None:
    assert with_own(note, None, ["Up."]) == left
