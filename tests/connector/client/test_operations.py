"""Every operation of the typed client against the simulator."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyInvalidBodyError, HevyNotFoundError, HevyRequestError
from hevy_connector.http.limits import RateLimit
from hevy_connector.schemas import BodyMeasurementWrite, RoutineWrite, WorkoutWrite
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
BENCH = "79D0BB3A"

WORKOUT: dict[str, Any] = {
    "title": "Upper A",
    "start_time": "2026-03-04T17:02:11Z",
    "end_time": "2026-03-04T18:01:40Z",
    "exercises": [
        {
            "exercise_template_id": BENCH,
            "superset_id": 0,
            "notes": "paused",
            "sets": [
                {"type": "warmup", "weight_kg": 20},
                {"weight_kg": 72.5, "reps": 6, "rpe": 8.5},
            ],
        }
    ],
}
ROUTINE: dict[str, Any] = {
    "title": "Push",
    "notes": "block 2",
    "exercises": [
        {
            "exercise_template_id": BENCH,
            "rest_seconds": 120,
            "sets": [{"weight_kg": 40, "rep_range": {"start": 8, "end": 12}}],
        }
    ],
}


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(demo_account(seed=1, now=NOW), api_key=SIMULATOR_KEY) as running:
        yield running


@pytest.fixture
def hevy(simulator: RunningSimulator) -> Iterator[HevyClient]:
    limit = RateLimit(per_second=None)
    with HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=limit) as client:
        yield client


def test_a_workout_is_created_read_and_replaced(hevy: HevyClient) -> None:
    count = hevy.workout_count()
    created = hevy.create_workout(WORKOUT)
    assert hevy.workout(created.id) == created
    assert hevy.workout_count() == count + 1
    assert created.exercises[0].sets[1].rpe == 8.5

    body = WorkoutWrite.from_read(created).model_copy(update={"title": "Upper B"})
    replaced = hevy.update_workout(created.id, body)
    assert (replaced.id, replaced.title) == (created.id, "Upper B")
    assert replaced.exercises == created.exercises
    assert hevy.workouts()[0].title == "Upper B"
    assert hevy.workout_events(NOW)[0].workout == replaced.payload


def test_a_routine_is_created_read_and_replaced(hevy: HevyClient) -> None:
    folder = hevy.create_routine_folder({"title": "Winter block"})
    created = hevy.create_routine(ROUTINE, folder.id)
    assert hevy.routine(created.id) == created
    assert created.folder_id == folder.id
    replaced = hevy.update_routine(
        created.id, RoutineWrite.from_read(created).model_copy(update={"title": "Pull"})
    )
    assert (replaced.title, replaced.folder_id) == ("Pull", folder.id)
    assert replaced.exercises == created.exercises
    assert hevy.routines()[-1] == replaced


def test_a_new_folder_comes_first(hevy: HevyClient) -> None:
    created = hevy.create_routine_folder({"title": "Winter block"})
    assert hevy.routine_folders()[0] == created == hevy.routine_folder(created.id)


def test_an_exercise_of_ones_own_is_created_and_found(hevy: HevyClient) -> None:
    template_id = hevy.create_exercise_template(
        {
            "title": "Landmine Twist",
            "exercise_type": "weight_reps",
            "equipment_category": "barbell",
            "muscle_group": "abdominals",
            "other_muscles": ["shoulders"],
        }
    )
    found = hevy.exercise_template(template_id)
    assert (found.title, found.equipment, found.is_custom) == ("Landmine Twist", "barbell", True)
    assert found in hevy.exercise_templates()


def test_the_history_of_an_exercise_holds_its_sets(hevy: HevyClient) -> None:
    created = hevy.create_workout(WORKOUT)
    newest = hevy.exercise_history(BENCH)[:2]
    assert [(row.workout_id, row.set_type, row.weight_kg) for row in newest] == [
        (created.id, "warmup", 20),
        (created.id, "normal", 72.5),
    ]
    assert created.start_time is not None
    between = hevy.exercise_history(BENCH, created.start_time, created.start_time)
    assert between == newest
    assert hevy.exercise_history("no-such-exercise") == []


def test_a_day_is_measured_once_and_can_be_overwritten(hevy: HevyClient) -> None:
    hevy.create_body_measurement({"date": "2026-03-10", "weight_kg": 78.4, "waist": 82})
    with pytest.raises(HevyRequestError, match="exists") as caught:
        hevy.create_body_measurement({"date": "2026-03-10", "weight_kg": 79})
    assert caught.value.status == 409
    known = hevy.body_measurement("2026-03-10")
    lighter = BodyMeasurementWrite.from_read(known).model_copy(update={"weight_kg": 78.0})
    hevy.update_body_measurement(lighter)
    found = hevy.body_measurement("2026-03-10")
    assert (found.weight_kg, found.waist, found.hips) == (78.0, 82, None)
    assert found in hevy.body_measurements()


def test_the_account_returns_its_units(hevy: HevyClient) -> None:
    assert hevy.user_info().weight_unit == "kg"


@pytest.mark.parametrize("read", ["workout", "routine", "exercise_template", "body_measurement"])
def test_what_does_not_exist_is_an_error_of_its_own(hevy: HevyClient, read: str) -> None:
    with pytest.raises(HevyNotFoundError):
        getattr(hevy, read)("../workouts/count?x=#é")


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


def with_set(body: dict[str, Any], **fields: Any) -> dict[str, Any]:
    [exercise] = body["exercises"]
    return {**body, "exercises": [{**exercise, "sets": [{**exercise["sets"][0], **fields}]}]}


@pytest.mark.parametrize(
    ("operation", "body", "problem"),
    [
        ("create_workout", without(WORKOUT, "title"), "workout.title: Field required"),
        ("create_workout", {**WORKOUT, "title": ""}, "workout.title: "),
        ("create_workout", {**WORKOUT, "description": ""}, "workout.description: "),
        ("create_workout", {**WORKOUT, "routine_id": "r"}, "workout.routine_id: Extra inputs"),
        ("create_workout", {**WORKOUT, "start_time": "2026-03-04T17:00"}, "workout.start_time: "),
        ("create_workout", {**WORKOUT, "end_time": "2026-03-04T17:00:00Z"}, "workout: end_time"),
        ("create_workout", with_set(WORKOUT, rpe=6.5), "sets[0].rpe: must be null or 6,"),
        ("create_workout", with_set(WORKOUT, reps=8.5), "workout.exercises[0].sets[0].reps: "),
        ("create_workout", with_set(WORKOUT, reps=True), "sets[0].reps: must be a number"),
        ("create_workout", with_set(WORKOUT, weight_kg="60"), "weight_kg: must be a number"),
        ("create_workout", with_set(WORKOUT, weight_kg=float("nan")), "sets[0].weight_kg: "),
        ("create_workout", with_set(WORKOUT, index=0), "workout.exercises[0].sets[0].index: Extra"),
        ("create_workout", with_set(WORKOUT, type="cluster"), "exercises[0].sets[0].type: "),
        ("create_routine", {**ROUTINE, "notes": ""}, "routine.notes: "),
        ("create_routine", with_set(ROUTINE, rpe=8), "routine.exercises[0].sets[0].rpe: Extra"),
        ("create_routine", with_set(ROUTINE, rep_range={}), "sets[0].rep_range.start: Field req"),
        ("create_routine_folder", {"title": ""}, "routine_folder.title: "),
        ("create_exercise_template", {"title": "Row"}, "exercise.exercise_type: Field required"),
        ("create_body_measurement", {"weight_kg": 80}, "date: Field required"),
        ("create_body_measurement", {"date": "4 Mar 2026"}, "date: "),
        ("create_body_measurement", {"date": "20260304"}, "date: must be a day like 2026-03-04"),
    ],
    ids=str,
)  # fmt: skip
def test_what_the_service_would_refuse_is_never_sent(
    simulator: RunningSimulator,
    hevy: HevyClient,
    operation: str,
    body: dict[str, Any],
    problem: str,
) -> None:
    with pytest.raises(HevyInvalidBodyError) as caught:
        getattr(hevy, operation)(body)
    assert problem in str(caught.value)
    assert simulator.requests == []


def test_a_changed_copy_of_a_body_is_checked_again(
    simulator: RunningSimulator, hevy: HevyClient
) -> None:
    copy = WorkoutWrite.checked(WORKOUT).model_copy(update={"title": ""})
    with pytest.raises(HevyInvalidBodyError, match=r"workout\.title"):
        hevy.create_workout(copy)
    with pytest.raises(HevyInvalidBodyError, match=r"routine\.folder_id"):
        hevy.create_routine(ROUTINE, "1")  # type: ignore[arg-type]
    assert simulator.requests == []
