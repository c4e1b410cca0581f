"""The demo account: a realistic athlete with sixteen weeks of training, generated from a seed.

The athlete trains four times a week, adds load when all sets of a slot reached their target with
something in reserve, tires within a session, has good and bad days, sometimes records RPE, and
sometimes misses a rep or a session. Strength grows at a decreasing rate. The loads in the routines
were updated five weeks ago; some of them are too light now.
"""

import math
import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import cycle
from zoneinfo import ZoneInfo

from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.bodies import (
    MeasurementBody,
    RepRangeBody,
    RoutineBody,
    RoutineExerciseBody,
    RoutineSetBody,
    WorkoutBody,
)
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.records import (
    Json,
    folder_record,
    measurement_record,
    object_id,
    routine_record,
    stamp,
    template_record,
    workout_record,
)
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.athletes.programme import (
    COPENHAGEN_PLANK,
    LIFTS,
    PROGRAMME,
    Lift,
    RoutinePlan,
    SetPlan,
)
from hevy_connector.simulator.athletes.training import (
    Levels,
    Session,
    level_of,
    starting_levels,
    train,
)

HOME = ZoneInfo("Europe/Berlin")

_DAYS_BEFORE_THE_LAST = (4, 3, 1, 0)
"""The training days of a week: two, a day of rest, two, three days of rest."""
_MISSED_SHARE = 0.05
_ADJUSTED_DAYS_AGO = 35
_SET_SECONDS = 40
_FOLDER_ID = 48213
_FIRST_MEASUREMENT_ID = 5520


def demo_account(seed: int, now: datetime | None = None, weeks: int = 16) -> Account:
    """Build the demo athlete's account, ready to serve.

    With `now` (aware) its clock is frozen and the result is deterministic; without, the history
    ends yesterday and the clock is the real one.
    """
    state = demo_state(seed, now or datetime.now(UTC), weeks)
    return Account(state, clock=SimulatedClock(now))


def demo_state(
    seed: int, now: datetime, weeks: int = 16, *, workouts: int | None = None
) -> AccountState:
    """Build the state of the demo athlete's account at `now` (aware); deterministic.

    Args:
        seed: determines the form of each day and all ids.
        now: the last session was on the evening before this day in Berlin.
        weeks: length of the history, at least 1.
        workouts: number of sessions instead of weeks; zero gives an empty account.
    """
    if now.tzinfo is None or weeks < 1:
        raise ValueError("the demo account needs an aware time and at least one week")
    if workouts is not None and workouts < 0:
        raise ValueError("a history has no less than 0 workouts")
    if workouts == 0:
        return AccountState(seed=seed, user=_user(seed))
    if workouts is not None:
        weeks = math.ceil((workouts + 1) / (len(_DAYS_BEFORE_THE_LAST) * (1 - _MISSED_SHARE)))
    rng = random.Random(seed)  # noqa: S311 - a reproducible athlete, not a secret
    last_day = now.astimezone(HOME).date() - timedelta(days=1)
    days = _training_days(last_day, weeks, rng)[-(workouts or 0) :]
    adjusted_on = last_day + timedelta(days=1 - _ADJUSTED_DAYS_AGO)
    made_on = min(days[0], adjusted_on) - timedelta(days=3)
    custom = _custom_template()
    titles = {template["id"]: template["title"] for template in (*built_in_templates(), custom)}

    done: list[Json] = []
    levels = planned_levels = starting_levels(PROGRAMME)
    for number, (day, plan) in enumerate(zip(days, cycle(PROGRAMME), strict=False)):
        session = train(plan, levels, (day - days[0]).days / 7, rng)
        done.append(_workout(seed, number, plan, day, session, titles, rng))
        levels = session.levels
        if day <= adjusted_on:
            planned_levels = levels

    return AccountState(
        seed=seed,
        user=_user(seed),
        folders=[
            folder_record(
                _FOLDER_ID, 0, "Upper / Lower", created_at=stamp(_evening(made_on, minutes=0))
            )
        ],
        routines=[
            _routine(seed, minutes, plan, planned_levels, titles, made_on, adjusted_on)
            for minutes, plan in enumerate(PROGRAMME, start=1)
        ],
        workouts=done,
        measurements=_weigh_ins(last_day, weeks, rng),
        custom_templates=[custom],
    )


def _user(seed: int) -> Json:
    return {
        "id": object_id(seed, "user"),
        "username": "demo_lifter",
        "name": "Demo Lifter",
        "url": "https://hevy.com/user/demo_lifter",
        "weight_unit": "kg",
        "distance_unit": "kilometers",
    }


def _training_days(last_day: date, weeks: int, rng: random.Random) -> list[date]:
    """Draw the days of all sessions, oldest first; some are missed, the last one never."""
    days = [
        last_day - timedelta(days=7 * week + before)
        for week in reversed(range(weeks))
        for before in _DAYS_BEFORE_THE_LAST
    ]
    missed = rng.sample(days[1:-1], round(_MISSED_SHARE * len(days)))
    return [day for day in days if day not in missed]


def _workout(
    seed: int,
    number: int,
    plan: RoutinePlan,
    day: date,
    session: Session,
    titles: Mapping[str, str],
    rng: random.Random,
) -> Json:
    started_at = datetime.combine(day, time(17, 30), HOME) + timedelta(seconds=rng.randrange(5400))
    length = _working_seconds(plan, session) * rng.uniform(0.9, 1.1)
    ended_at = started_at + timedelta(seconds=round(length))
    saved_at = stamp(ended_at + timedelta(milliseconds=rng.randrange(1000, 20_000)))
    body = WorkoutBody(
        title=plan.title,
        description=session.remark,
        start_time=started_at,
        end_time=ended_at,
        exercises=session.exercises,
    )
    return workout_record(
        body,
        workout_id=object_id(seed, "workout", number),
        routine_id=_routine_id(seed, plan),
        created_at=saved_at,
        updated_at=saved_at,
        title_of=titles.__getitem__,
    )


def _working_seconds(plan: RoutinePlan, session: Session) -> int:
    """Return the duration: each set takes a fixed time, plus the planned rest of its exercise."""
    rests = {slot.template_id: slot.rest_seconds for slot in plan.slots}
    return sum(
        len(exercise.sets) * (_SET_SECONDS + rests[exercise.exercise_template_id])
        for exercise in session.exercises
    )


def _routine(
    seed: int,
    minutes: int,
    plan: RoutinePlan,
    levels: Levels,
    titles: Mapping[str, str],
    made_on: date,
    adjusted_on: date,
) -> Json:
    """Build the routine with the loads from the athlete's last adjustment."""
    body = RoutineBody(
        title=plan.title,
        notes=plan.notes,
        exercises=[
            RoutineExerciseBody(
                exercise_template_id=slot.template_id,
                superset_id=slot.superset_id,
                rest_seconds=slot.rest_seconds,
                notes=slot.notes,
                sets=[
                    _planned_set(planned, LIFTS[slot.template_id], levels.get((plan.title, index)))
                    for planned in slot.sets
                ],
            )
            for index, slot in enumerate(plan.slots)
        ],
    )
    return routine_record(
        body,
        routine_id=_routine_id(seed, plan),
        folder_id=_FOLDER_ID,
        created_at=stamp(_evening(made_on, minutes)),
        updated_at=stamp(_evening(adjusted_on, minutes)),
        title_of=titles.__getitem__,
    )


def _planned_set(planned: SetPlan, lift: Lift, level: float | None) -> RoutineSetBody:
    target: dict[str, object] = {"type": planned.type, "reps": planned.reps}
    if planned.rep_range is not None:
        start, end = planned.rep_range
        target["rep_range"] = RepRangeBody(start=start, **({} if end is None else {"end": end}))
    if level is not None and lift.measure == "time":
        target["duration_seconds"] = level
    elif level is not None:
        target["weight_kg"] = level_of(lift, level, planned)
    return RoutineSetBody.model_validate(target)


def _routine_id(seed: int, plan: RoutinePlan) -> str:
    return object_id(seed, "routine", plan.title)


def _evening(day: date, minutes: int) -> datetime:
    """Return a time after training, on the sofa."""
    return datetime.combine(day, time(22, minutes), HOME)


def _weigh_ins(last_day: date, weeks: int, rng: random.Random) -> list[Json]:
    """Return body weights of every seventh morning, rising slowly for a year."""
    days = [last_day - timedelta(days=7 * week) for week in reversed(range(weeks))]
    return [
        measurement_record(
            MeasurementBody(weight_kg=round(78.6 + 0.07 * min(week, 52) + rng.gauss(0, 0.35), 1)),
            measurement_id=_FIRST_MEASUREMENT_ID + week,
            day=day.isoformat(),
            created_at=stamp(datetime.combine(day, time(6, 30), HOME)),
        )
        for week, day in enumerate(days)
    ]


def _custom_template() -> Json:
    return template_record(
        COPENHAGEN_PLANK,
        title="Copenhagen Plank",
        type="duration",
        primary_muscle_group="adductors",
        secondary_muscle_groups=["abdominals"],
        equipment="none",
        is_custom=True,
    )
