"""A simulated lifter with an account: reads routines as the app shows them, trains and logs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.bodies import (
    RepRangeBody,
    RoutineBody,
    RoutineExerciseBody,
    RoutineSetBody,
)
from hevy_connector.simulator.api.records import Json, object_id, routine_record, stamp
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.athletes.cohort import PlannedRoutine, SimulatedLifter, TrainingDay
from hevy_connector.simulator.athletes.editing import EditedExercise
from hevy_connector.simulator.athletes.habits import Performed
from hevy_connector.simulator.athletes.trainee import Trainee
from hevy_connector.simulator.catalogue import built_in_templates

_REST_SECONDS = 120
_SESSION = timedelta(minutes=50)


class Shown(NamedTuple):
    """A working set as the app shows it."""

    load_kg: float
    low: int
    high: int
    goal: int


def account_state(lifter: SimulatedLifter, seed: int, made_at: datetime) -> AccountState:
    """The account of a lifter who made routines at the aware `made_at` and has not trained yet."""
    return AccountState(
        seed=seed,
        user={
            "id": object_id(seed, "user"),
            "username": "simulated_lifter",
            "name": "Simulated Lifter",
            "url": "https://hevy.com/user/simulated_lifter",
            "weight_unit": "kg",
            "distance_unit": "kilometers",
        },
        routines=[_routine(seed, each, made_at) for each in lifter.routines],
    )


def edit_in_app(account: Account, trainee: Trainee, today: TrainingDay, routine: Json) -> Json:
    """The routine as the lifter leaves it before the session: edited in the app, or as it was."""
    edit = trainee.edit(today, shown(routine))
    if edit is None:
        return routine
    exercises = [_edited(routine["exercises"][each.place], each) for each in edit]
    return account.edit_routine(routine["id"], routine | {"exercises": exercises})


def train_in_app(
    account: Account, trainee: Trainee, today: TrainingDay, routine: Json, started_at: datetime
) -> Json:
    """The workout that the lifter logs after training a routine, an object as the API reads it."""
    plan = shown(routine)
    done = trainee.train(today, plan)
    return account.log_workout(
        {
            "title": routine["title"],
            "routine_id": routine["id"],
            "start_time": started_at.isoformat(timespec="seconds"),
            "end_time": (started_at + _SESSION).isoformat(timespec="seconds"),
            "exercises": [
                _logged(template_id, sets)
                for (template_id, _), sets in zip(plan, done, strict=True)
                if sets
            ],
        }
    )


def shown(routine: Json) -> list[tuple[str, list[Shown]]]:
    """The working sets of a routine, by exercise in order; warm-ups are not trained."""
    return [
        (
            exercise["exercise_template_id"],
            [_shown(each) for each in exercise["sets"] if each["type"] != "warmup"],
        )
        for exercise in routine["exercises"]
    ]


def _edited(exercise: Json, edit: EditedExercise) -> Json:
    """The exercise with other working sets; warm-ups stay before them."""
    warmups = [each for each in exercise["sets"] if each["type"] == "warmup"]
    working = [each for each in exercise["sets"] if each["type"] != "warmup"]
    sets = [working[index] | {"weight_kg": load_kg} for index, load_kg in edit.sets]
    return exercise | {"exercise_template_id": edit.template_id, "sets": warmups + sets}


def _shown(planned: Json) -> Shown:
    ends = planned.get("rep_range") or {}
    goal = planned.get("reps") or ends["start"]
    low = ends.get("start") or goal
    return Shown(float(planned["weight_kg"]), low, ends.get("end") or goal, goal)


def _logged(template_id: str, sets: Sequence[Performed]) -> Json:
    return {
        "exercise_template_id": template_id,
        "sets": [
            {"type": "normal", "weight_kg": each.load_kg, "reps": each.reps, "rpe": each.rpe}
            for each in sets
        ],
    }


def _routine(seed: int, planned: PlannedRoutine, made_at: datetime) -> Json:
    titles = {template["id"]: template["title"] for template in built_in_templates()}
    exercises = []
    for slot in planned.slots:
        target: dict[str, object] = {"reps": slot.low}
        if slot.low != slot.high:
            target = {"rep_range": RepRangeBody(start=slot.low, end=slot.high)}
        sets = [RoutineSetBody(type="normal", weight_kg=slot.load_kg, **target)] * slot.sets
        exercises.append(
            RoutineExerciseBody(
                exercise_template_id=slot.template_id, rest_seconds=_REST_SECONDS, sets=sets
            )
        )
    return routine_record(
        RoutineBody(title=planned.title, exercises=exercises),
        routine_id=object_id(seed, "routine", planned.title),
        folder_id=None,
        created_at=stamp(made_at),
        updated_at=stamp(made_at),
        title_of=titles.__getitem__,
    )
