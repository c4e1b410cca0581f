"""A programme becomes a folder with one routine for each day, each created exactly once."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from coach_agent.programmes.catalogue import catalogue_of
from coach_agent.programmes.files import (
    ProgrammeError,
    find_programme,
    library,
    parse_programme,
)
from coach_agent.publishing.programme_routines import (
    ProgrammePublisher,
    ProgrammeStep,
    UnknownExerciseError,
    routines_of,
)
from coach_agent.store.programmes import (
    StoredProgramme,
    read_programmes,
    record_programme_step,
)
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.schemas import JsonObject, RoutineWrite
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import complete
from tests.coach.programmes.test_files import VALID
from tests.coach.publishing.test_new_routine import Making, posts
from tests.coach.publishing_world import NOW, KilledError, Steps, World
from tests.profiles import kill_points, randomized

CATALOGUE = catalogue_of(built_in_templates())


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def publish(
    world: World,
    name: str = "531-two-days",
    *,
    squat: float = 175,
    loses_answers: bool = False,
    now: datetime = NOW,
) -> StoredProgramme:
    programme = find_programme(name)
    routines = routines_of(programme, CATALOGUE, {"squat": squat})
    recorder = Recorder(world.connect)

    def record(step: ProgrammeStep) -> StoredProgramme:
        return recorder.write(
            lambda con: record_programme_step(
                con, step.programme, step.routine, at=now, run_id="run"
            )
        )

    stored = recorder.read(lambda con: read_programmes(con, "demo"))
    publisher = ProgrammePublisher(Making(world.hevy, world.steps, loses_answers))
    return complete(publisher.publish(stored, "demo", programme, routines), record)


def made(world: World, folder: str) -> list[JsonObject]:
    ids = [each["id"] for each in world.account.folders() if each["title"] == folder]
    return [each for each in world.account.routines() if each["folder_id"] in ids]


def validity(world: World) -> list[tuple[str, bool, bool]]:
    """Each version with whether it has become valid, and whether it has ended."""
    return (
        world.warehouse.cursor()
        .execute(
            "select title, valid_from is not null, valid_to is not null from coach.programmes "
            "order by stored_at, programme_id"
        )
        .fetchall()
    )


def test_each_day_becomes_a_routine_with_its_sets(world: World) -> None:
    """A training max of 157.5 kg: 102.5, 117.5 and 135 kg; the bench press has no number."""
    done = publish(world)
    assert done.is_published
    routines = {each["title"]: each for each in made(world, "5/3/1 on two days")}
    assert set(routines) == {"Squat and bench", "Deadlift and press"}
    squat, bench, chin = routines["Squat and bench"]["exercises"]
    assert [each["weight_kg"] for each in squat["sets"]] == [102.5, 117.5, 135]
    assert [each["reps"] for each in squat["sets"]] == [5, 5, 5]
    assert [each["weight_kg"] for each in bench["sets"]] == [None] * 3
    assert (chin["rest_seconds"], len(chin["sets"])) == (90, 3)
    assert posts(world) == ["/v1/routine_folders", "/v1/routines", "/v1/routines"]
    assert validity(world) == [("5/3/1 on two days", True, False)]
    assert publish(world).is_new is False
    assert len(posts(world)) == 3


def test_a_range_is_sent_as_one_and_a_hold_as_seconds() -> None:
    [first, _] = routines_of(find_programme("two-day-minimal"), CATALOGUE, {})
    squat, *_, plank = first.exercises
    assert squat.sets[0].rep_range is not None
    assert (squat.sets[0].rep_range.start, squat.sets[0].rep_range.end) == (5, 8)
    assert [each.duration_seconds for each in plank.sets] == [30, 30]


def test_a_range_is_that_of_the_file_on_each_day() -> None:
    """A day after another one of the lift had the range from the repetitions of that session."""
    text = VALID.replace('kind = "linear"', 'kind = "double"')
    text = text.replace('"3x5"', '"3x10-12"').replace('"-"]\n', '"-"]\nsquat = "2x10-12"\n')
    ranges = [
        [each.rep_range and (each.rep_range.start, each.rep_range.end) for each in exercise.sets]
        for routine in routines_in(text)
        for exercise in routine.exercises
        if exercise.sets[0].rep_range
    ]
    assert ranges == [[(10, 12)] * 3, [(10, 12)] * 2]
    first, second = routines_in(text.replace("Squat (Barbell)", "Plank").replace("10-12", "20-30s"))
    held = [exercise.sets[0].duration_seconds for exercise in (*first.exercises, *second.exercises)]
    assert held == [20, None, 20]


@pytest.mark.parametrize("name", sorted(library()))
def test_each_programme_of_the_library_can_be_published(name: str) -> None:
    programme = library()[name]
    routines = routines_of(programme, CATALOGUE, {})
    assert [each.title for each in routines] == list(programme.blocks[0].days)
    assert all(each.sets for routine in routines for each in routine.exercises)


def test_an_unknown_exercise_is_reported() -> None:
    with pytest.raises(UnknownExerciseError, match="Overhead Press"):
        routines_of(find_programme("531"), {}, {})


def routines_in(text: str) -> list[RoutineWrite]:
    return routines_of(parse_programme(text, Path("mine.toml")), CATALOGUE, {})


def test_seconds_need_an_exercise_with_a_duration() -> None:
    [first, _] = routines_in(
        VALID.replace("Squat (Barbell)", "Plank").replace('squat = "3x5"', 'squat = "2x30s"')
    )
    assert [each.duration_seconds for each in first.exercises[0].sets] == [30, 30]
    [first, _] = routines_in(
        VALID.replace("Squat (Barbell)", "Walking").replace('squat = "3x5"', 'squat = "1x600s"')
    )
    assert [(each.duration_seconds, each.reps) for each in first.exercises[0].sets] == [(600, None)]
    with pytest.raises(ProgrammeError, match=r"repetitions of 'Squat \(Barbell\)'"):
        routines_in(VALID.replace('squat = "3x5"', 'squat = "3x20-30s"'))


def test_a_day_without_exercises_has_no_routine() -> None:
    [only] = routines_in(VALID.replace('squat = "3x5"', 'squat = "-"'))
    assert only.title == "B"
    with pytest.raises(ProgrammeError, match="no exercises"):
        routines_in(
            VALID.replace('squat = "3x5"', 'squat = "-"').replace('["3x5 @90%", "-"]', '"-"')
        )


def test_a_day_that_begins_later_has_its_first_sets() -> None:
    first, second = routines_in(VALID.replace('["3x5 @90%", "-"]', '["-", "4x6"]'))
    assert (first.title, second.title) == ("A", "B")
    assert [each.reps for each in second.exercises[0].sets] == [6, 6, 6, 6]


def test_days_in_turn_need_more_than_four_weeks() -> None:
    days = "".join(f'\n[blocks.days.D{number}]\nbench = "3x5"\n' for number in range(4))
    text = VALID.replace('"-"]', '"3x5"]') + days
    text = text.replace("days_per_week = 2", 'days_per_week = 1\norder = "rolling"')
    assert [each.title for each in routines_in(text)] == ["A", "B", "D0", "D1", "D2", "D3"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_deleted_programme_is_created_again(world: World, count: int) -> None:
    first = publish(world)
    for routine in made(world, "5/3/1 on two days")[:count]:
        world.account.delete_routine(routine["id"])
    later = NOW + timedelta(days=1)
    again = publish(world, now=later)
    assert again.is_new
    assert again.is_published
    assert again.programme_id != first.programme_id
    assert len(made(world, again.folder_title)) == 2
    assert validity(world) == [
        ("5/3/1 on two days", True, True),
        ("5/3/1 on two days", True, False),
    ]
    assert publish(world, now=later).is_new is False


def test_another_programme_ends_the_one_before(world: World) -> None:
    publish(world)
    publish(world, "two-day-minimal")
    assert validity(world) == [("5/3/1 on two days", True, True), ("Two short days", True, False)]


def test_titles_that_the_account_has_get_a_number(world: World) -> None:
    publish(world)
    publish(world, squat=180)
    assert {each["title"] for each in made(world, "5/3/1 on two days (2)")} == {
        "Squat and bench (2)",
        "Deadlift and press (2)",
    }


def test_an_answer_that_is_lost_creates_nothing_twice(world: World) -> None:
    assert publish(world, loses_answers=True).is_published
    assert posts(world) == ["/v1/routine_folders", "/v1/routines", "/v1/routines"]


@randomized
def test_a_kill_anywhere_ends_in_one_folder_with_one_routine_for_each_day() -> None:
    world = World()
    publish(world)
    count = len(world.steps.passed)
    world.close()
    assert count > 12
    for at in kill_points(count):
        world = World()
        world.steps = Steps(at=at)
        with pytest.raises(KilledError):
            publish(world)
        world.steps = Steps()
        assert publish(world).is_published, at
        assert posts(world) == ["/v1/routine_folders", "/v1/routines", "/v1/routines"], at
        assert len(made(world, "5/3/1 on two days")) == 2
        assert validity(world) == [("5/3/1 on two days", True, False)]
        world.close()


def test_a_routine_that_was_renamed_before_it_was_found_is_not_created_again(
    world: World,
) -> None:
    world.steps = Steps(at=_step("after POST", 2))
    with pytest.raises(KilledError):
        publish(world)
    world.steps = Steps()
    [routine] = made(world, "5/3/1 on two days")
    world.account.edit_routine(routine["id"], {**routine, "title": "Monday"})
    publish(world)
    titles = {each["title"] for each in made(world, "5/3/1 on two days")}
    assert titles == {"Monday", "Deadlift and press"}


def test_an_interrupted_programme_is_given_up_for_another_one(world: World) -> None:
    """Its second routine was never sent and never will be."""
    world.steps = Steps(at=_step("after POST", 2))
    with pytest.raises(KilledError):
        publish(world)
    world.steps = Steps()
    publish(world, "two-day-minimal")
    first, second = read_programmes(world.warehouse.cursor(), "demo")
    assert [(each.state, each.routine_id is None) for each in first.routines] == [
        ("superseded", False),
        ("superseded", True),
    ]
    assert second.is_published
    assert [title for title, *_ in validity(world)] == ["5/3/1 on two days", "Two short days"]
    assert validity(world)[0][1:] == (False, False)


def test_without_an_answer_the_next_call_goes_on(world: World) -> None:
    def fail() -> None:
        raise HevyUnavailableError("down")

    world.steps = Steps(at=_step("before POST", 3), does=fail)
    with pytest.raises(HevyUnavailableError):
        publish(world)
    world.steps = Steps()
    assert publish(world).is_published
    assert len(made(world, "5/3/1 on two days")) == 2


def test_drop_sets_and_notes_arrive_in_hevy(world: World, tmp_path: Path) -> None:
    text = VALID.replace('"3x5 @90%"', '"3x10-12 @90%, 2x8 drop @70%"').replace(
        'exercise = "Bench Press (Barbell)"',
        'exercise = "Bench Press (Barbell)"\nnote = "2 s pause on the chest"',
    )
    programme = parse_programme(text, tmp_path / "mine.toml")
    [_, day] = routines_of(programme, CATALOGUE, {"bench": 100})
    recorded = world.hevy.create_routine(day)
    [bench] = recorded.exercises
    assert bench.notes == "2 s pause on the chest"
    assert [(each.type, each.weight_kg, each.reps) for each in bench.sets] == [
        *[("normal", 90, None)] * 3,
        *[("dropset", 70, 8)] * 2,
    ]


def _step(name: str, number: int) -> int:
    """Return the position of the boundary of this name, from 1."""
    world = World()
    publish(world)
    world.close()
    places = [at for at, each in enumerate(world.steps.passed, start=1) if each == name]
    return places[number - 1]


def test_the_content_keeps_the_order_of_training_and_knows_former_content(world: World) -> None:
    """Former versions stored the same programme with its days and lifts in alphabetical order."""
    programme = find_programme("phul")
    stored = publish(world, "phul")
    days = json.loads(stored.content)["programme"]["blocks"][0]["days"]
    assert [*days] == [*programme.blocks[0].days] != sorted(days)
    assert [list(lifts) for lifts in days.values()] == [
        list(lifts) for lifts in programme.blocks[0].days.values()
    ]
    former = json.dumps(json.loads(stored.content), sort_keys=True)
    with world.connect() as con:
        con.execute("update coach.programmes set content = $1", [former])
    assert publish(world, "phul").programme_id == stored.programme_id
