"""A simulated lifter with an account: reads routines from the app, trains and logs workouts."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.bodies import (
    RepRangeBody,
    RoutineBody,
    RoutineExerciseBody,
    RoutineSetBody,
)
from hevy_connector.simulator.api.records import Json, object_id, routine_record, stamp
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.athletes.cohort import PlannedRoutine, SimulatedLifter
from hevy_connector.simulator.athletes.editing import EditedExercise
from hevy_connector.simulator.athletes.habits import Performed
from hevy_connector.simulator.athletes.trainee import Trainee
from hevy_connector.simulator.athletes.training_days import TrainingDay

_REST_SECONDS = 120
_SESSION = timedelta(minutes=50)


class WorkingSet(NamedTuple):
    """A working set in the format of the app."""

    load_kg: float
    low: int
    high: int
    goal: int


def account_state(lifter: SimulatedLifter, seed: int, made_at: datetime) -> AccountState:
    """Build the account of a lifter with routines created at `made_at` (aware) and no workouts."""
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
    """Apply the lifter's edits in the app before the session; return the resulting routine."""
    edit = trainee.edit(today, working_sets(routine))
    if edit is None:
        return routine
    exercises = [_apply_edit(routine["exercises"][each.place], each) for each in edit]
    return account.edit_routine(routine["id"], routine | {"exercises": exercises})


def train_in_app(
    account: Account, trainee: Trainee, today: TrainingDay, routine: Json, started_at: datetime
) -> Json:
    """Train a routine and log it; return the workout in the API's read format."""
    plan = working_sets(routine)
    done = trainee.train(today, plan)
    return account.log_workout(
        {
            "title": routine["title"],
            "routine_id": routine["id"],
            "start_time": started_at.isoformat(timespec="seconds"),
            "end_time": (started_at + _SESSION).isoformat(timespec="seconds"),
            "exercises": [
                _workout_exercise(template_id, sets)
                for (template_id, _), sets in zip(plan, done, strict=True)
                if sets
            ],
        }
    )


def working_sets(routine: Json) -> list[tuple[str, list[WorkingSet]]]:
    """Return the working sets of a routine, by exercise in order; warm-ups are not trained."""
    return [
        (
            exercise["exercise_template_id"],
            [_working_set(each) for each in exercise["sets"] if each["type"] != "warmup"],
        )
        for exercise in routine["exercises"]
    ]


def _apply_edit(exercise: Json, edit: EditedExercise) -> Json:
    """Replace the working sets of an exercise; warm-ups stay before them."""
    warmups = [each for each in exercise["sets"] if each["type"] == "warmup"]
    working = [each for each in exercise["sets"] if each["type"] != "warmup"]
    sets = [working[index] | {"weight_kg": load_kg} for index, load_kg in edit.sets]
    return exercise | {"exercise_template_id": edit.template_id, "sets": warmups + sets}


def _working_set(planned: Json) -> WorkingSet:
    ends = planned.get("rep_range") or {}
    goal = planned.get("reps") or ends["start"]
    low = ends.get("start") or goal
    return WorkingSet(float(planned["weight_kg"]), low, ends.get("end") or goal, goal)


def _workout_exercise(template_id: str, sets: Sequence[Performed]) -> Json:
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
