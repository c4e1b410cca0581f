"""Stories of athletes over the nights of one warehouse, each with a separate athlete.

A story lands rows before a night's build, then waits for the next one. The models are per athlete,
so many stories share the builds; names with a space are never profiles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any, Literal

import httpx

from coach_agent.domain.pain import Pain
from coach_agent.llm.ledger import record_calls
from coach_agent.store.check_ins import CheckIn, record_check_in
from coach_agent.store.corrections import Done, of_set, of_workout, record_correction
from health_connector.days import METRICS, HealthDay
from health_connector.landing import land_days, land_sessions
from health_connector.sessions import session_of
from hevy_connector.client.client import HevyClient
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.fetching.fetch import fetch_exercise_templates, fetch_routines, fetch_workouts
from hevy_connector.raw.sync import land_fetched
from hevy_connector.raw.sync_state import read_cursor
from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from tests.coach.llm.requests import request
from tests.warehouse import scenario, series
from tests.warehouse.payloads import Json, at, exercise, lift, routine, template, workout
from tests.warehouse.random_changes import RandomChanges
from tests.warehouse.scratch import ScratchWarehouse

Story = Iterator[None]

EVENINGS = (
    at("2026-03-21 03:00"),
    at("2026-04-03 03:00"),
    at("2026-04-10 03:00"),
)
"""Start of each night; the scenario's own times are before."""


def of_the_scenario(warehouse: ScratchWarehouse) -> Story:
    """Land `scenario`, first in its nights, because its times of landing matter."""
    scenario.land_first_night(warehouse)
    yield
    scenario.land_second_night(warehouse)
    yield


def of_lifters(warehouse: ScratchWarehouse) -> Story:
    """Land months of training, with some workouts after the first build."""
    series.land_history(warehouse, EVENINGS[0])
    yield
    series.land_late(warehouse, EVENINGS[1])
    yield


# ---- typing errors and corrections

ACCEPTS, EDITS_IT = "accepts a typing error", "edits a typing error"
LEFT_OUT, TIDY = "of another person", "tidy one"


def benched(day: int, weight_kg: float) -> Json:
    """Build a workout of one set in February."""
    return workout(f"w{day}", f"2026-02-{day:02} 17:00", [exercise("bench", [lift(weight_kg, 8)])])


def _say(
    warehouse: ScratchWarehouse,
    set_key: str,
    action: Literal["accept_set", "doubt_set"],
    now: datetime,
    reason: str = "as I remember",
) -> None:
    with warehouse.connection() as con:
        record_correction(con, of_set(con, set_key, action, reason), now=now)


def _of_workout(
    warehouse: ScratchWarehouse,
    athlete: str,
    workout_id: str,
    action: Literal["exclude_workout", "include_workout"],
    now: datetime,
) -> None:
    with warehouse.connection() as con:
        record_correction(con, of_workout(con, athlete, workout_id, action, "so it was"), now=now)


def of_a_typing_error(warehouse: ScratchWarehouse) -> Story:
    """After weeks of 86 kg, 846 kg: accepted, then rejected, and by one athlete edited."""
    (first, second, third) = EVENINGS
    weeks = [benched(day, 86) for day in range(1, 5)]
    for athlete in (ACCEPTS, EDITS_IT):
        warehouse.land("hevy_workouts", athlete, weeks, now=first)
        warehouse.land("hevy_workouts", athlete, [benched(5, 846)], now=first + timedelta(hours=1))
    accepted = Done(weight_kg=846, reps=8)
    warehouse.correct(EDITS_IT, "w5", "accept_set", now=first, place=(0, 0), done=accepted)
    yield
    _say(warehouse, f"{ACCEPTS}/w5/0/0", "accept_set", second, "it was a leg press")
    _say(warehouse, f"{EDITS_IT}/w5/0/0", "doubt_set", second, "no, 84.6 kg")
    yield
    _say(warehouse, f"{ACCEPTS}/w5/0/0", "doubt_set", third, "no, 84.6 kg")
    warehouse.land("hevy_workouts", EDITS_IT, [benched(5, 84.5)], now=third)
    _of_workout(warehouse, EDITS_IT, "w1", "exclude_workout", third)
    yield


def of_workouts_left_out(warehouse: ScratchWarehouse) -> Story:
    """A workout is excluded, and for one athlete included again."""
    for athlete in (LEFT_OUT, TIDY):
        weeks = [benched(day, 86) for day in range(1, 21)]
        warehouse.land("hevy_workouts", athlete, weeks, now=EVENINGS[0])
    yield
    _of_workout(warehouse, LEFT_OUT, "w1", "exclude_workout", EVENINGS[1])
    yield
    _of_workout(warehouse, LEFT_OUT, "w1", "include_workout", EVENINGS[2])
    _of_workout(warehouse, TIDY, "w10", "exclude_workout", EVENINGS[2])
    yield


# ---- doubts

_PLANK = {"type": "normal", "duration_seconds": 6000}
_SHORT_PLANK = {**_PLANK, "duration_seconds": 60}
SUSPECT = "to a load"

# The exercise, its sets for days, the doubted set, and its edit.
EDITS: dict[str, tuple[str, Json, Json, Json]] = {
    "to another load": ("bench", lift(100, 5), lift(101, 5), lift(105, 5)),
    SUSPECT: ("bench", lift(100, 5), lift(None, 5), lift(500, 5)),
    "to no load": ("bench", lift(100, 5), lift(100, 5), lift(None, 5)),
    "to a shorter time": ("plank", _PLANK, _PLANK, _SHORT_PLANK),
}
DROPS, CONFIRMS, PLANNED = "drop sets", "confirms sets", "a plan and a doubt"


def _earlier(name: str, *performed: Json) -> list[Json]:
    return [
        workout(f"w{day}", f"2026-02-{day:02} 17:00", [exercise(name, list(performed))])
        for day in range(1, 7)
    ]


def _last(name: str, *performed: Json, routine_id: str | None = None) -> Json:
    return workout("last", "2026-02-20 17:00", [exercise(name, list(performed))], routine_id)


def a_night_later(athlete: str) -> str:
    """Return the athlete with the same edit on the last night, with its data tests."""
    return f"{athlete}, a night later"


def of_edits(warehouse: ScratchWarehouse) -> Story:
    """A set is doubted before the first build, edited, and doubted once more; or a night later."""
    (first, second, third) = EVENINGS
    catalogue = [template("bench"), template("plank", "duration")]
    for athlete, (name, usual, seen, _) in EDITS.items():
        for own in (athlete, a_night_later(athlete)):
            warehouse.land("hevy_exercise_templates", own, catalogue, now=first)
            done = [*_earlier(name, usual), _last(name, seen)]
            warehouse.land("hevy_workouts", own, done, now=first)
        done_set = Done(seen.get("weight_kg"), seen.get("reps"), None, seen.get("duration_seconds"))
        now = first + timedelta(hours=1)
        warehouse.correct(athlete, "last", "doubt_set", now=now, place=(0, 0), done=done_set)
    yield
    for athlete, (name, _, _, edited) in EDITS.items():
        warehouse.land("hevy_workouts", athlete, [_last(name, edited)], now=second)
        _say(warehouse, f"{a_night_later(athlete)}/last/0/0", "doubt_set", second)
    yield
    for athlete, (name, _, _, edited) in EDITS.items():
        warehouse.land("hevy_workouts", a_night_later(athlete), [_last(name, edited)], now=third)
        if athlete != SUSPECT:  # half a ton is doubted by itself
            _say(warehouse, f"{athlete}/last/0/0", "doubt_set", third)
    yield


def of_doubts(warehouse: ScratchWarehouse) -> Story:
    """Drop sets, a plan with a doubted set, and sets that the athlete confirms or doubts."""
    now = EVENINGS[0]
    sets = [lift(100, 8), lift(35, 11, "dropset")]
    odd = _last("bench", *sets, lift(350, 11, "dropset"), lift(10, 8))
    warehouse.land("hevy_workouts", DROPS, [*_earlier("bench", *sets), odd], now=now)
    plan = routine("push", "2026-02-01 09:00", [exercise("bench", [lift(100, 5)] * 3)])
    for athlete, done in (
        (CONFIRMS, (lift(1000, 5), lift(90, 5), lift(100, 5))),
        (PLANNED, (lift(100, 5), lift(1000, 5), lift(100, 4))),
    ):
        warehouse.land("hevy_routines", athlete, [plan], now=now)
        workouts = [*_earlier("bench", lift(100, 5)), _last("bench", *done, routine_id="push")]
        warehouse.land("hevy_workouts", athlete, workouts, now=now)
    yield
    _say(warehouse, f"{CONFIRMS}/last/0/0", "accept_set", EVENINGS[1])
    _say(warehouse, f"{CONFIRMS}/last/0/1", "doubt_set", EVENINGS[1])
    _say(warehouse, f"{CONFIRMS}/last/0/2", "accept_set", EVENINGS[1])
    yield


# ---- changes from night to night

RANDOM = ("ann by chance", "bob by chance", "cem by chance")
CHANGES_A_NIGHT = 30
LATE = "late one"
USED, UNUSED = "renames a used exercise", "adds an exercise"


def change_a_night(changes: RandomChanges, night: int, *, count: int = CHANGES_A_NIGHT) -> None:
    """Make the random changes of one night; add a request to a model and a check-in."""
    for _ in range(count):
        changes.step()
    if night > 0:
        changes.insist()
    with changes.warehouse.connection() as con:
        athlete = changes.athletes[0]
        record_calls(con, athlete, [request()], asked_at=changes.now, run_id=f"{night}")
        pain = Pain(part="left knee", level="mild")
        record_check_in(con, athlete, CheckIn(checked_in_at=changes.now, energy=2, pain=(pain,)))


def of_chance(warehouse: ScratchWarehouse) -> Story:
    """Random changes of three athletes in any order."""
    changes = RandomChanges(warehouse, 5, RANDOM, EVENINGS[0])
    for night, evening in enumerate(EVENINGS):
        changes.now = max(changes.now, evening)
        change_a_night(changes, night)
        yield


def of_a_late_writer(warehouse: ScratchWarehouse) -> Story:
    """On a lake, an earlier writer may commit after a later one, and after a build.

    This story lands last, so that its landing is the newest of a night.
    """
    before: dict[str, datetime] = {}
    for night in (0, 1):
        lifted = [exercise(f"lift {night}", [lift(60, 5)])]
        catalogue = [template(f"lift {night}")]
        plan = routine(f"plan {night}", None, lifted)
        done = workout(f"w{night}", f"2026-02-0{night + 1} 17:00", lifted, f"plan {night}")
        now = EVENINGS[night]
        warehouse.land("hevy_exercise_templates", LATE, catalogue, now=now)
        warehouse.land("hevy_routines", LATE, [plan], now=now)
        warehouse.land("hevy_workouts", LATE, [done], now=now)
        for table in ("hevy_exercise_templates", "hevy_routines", "hevy_workouts"):
            if night == 0:
                (newest,) = warehouse.rows(f"select max(loaded_at) as time from raw.{table}")
                before[table] = newest["time"] - timedelta(hours=6)
            else:
                warehouse.rows(
                    f"update raw.{table} set loaded_at = $before "
                    "where athlete_id = $late and loaded_at >= $now",
                    before=before[table],
                    late=LATE,
                    now=now.replace(tzinfo=None),
                )
        yield


def of_new_names(warehouse: ScratchWarehouse) -> Story:
    """An unused exercise, and another name of a used one."""
    for athlete in (USED, UNUSED):
        warehouse.land("hevy_exercise_templates", athlete, [template("bench")], now=EVENINGS[0])
        weeks = [benched(day, 86) for day in range(1, 5)]
        warehouse.land("hevy_workouts", athlete, weeks, now=EVENINGS[0])
    yield
    yield
    for athlete, name in ((USED, "bench"), (UNUSED, "never used")):
        renamed = [template(name, title="New Name")]
        warehouse.land("hevy_exercise_templates", athlete, renamed, now=EVENINGS[2])
    yield


MOVER = "moves abroad"


def of_a_mover(warehouse: ScratchWarehouse) -> Story:
    """Another time zone, unit, title and muscle group are read between two workouts."""
    bench = exercise("bench", [lift(80, 5)])
    home = {"id": MOVER, "name": "Mo", "timezone": "Europe/Berlin", "unit": "kg"}
    warehouse.land("athlete_profiles", MOVER, [home], now=EVENINGS[0], origin="profile")
    warehouse.land("hevy_exercise_templates", MOVER, [template("bench")], now=EVENINGS[0])
    before = [workout("before", "2026-02-02 17:00", [bench])]
    warehouse.land("hevy_workouts", MOVER, before, now=EVENINGS[0])
    yield
    abroad = {**home, "timezone": "America/New_York", "unit": "lb"}
    renamed = [template("bench", title="Bench", primary_muscle_group="triceps")]
    warehouse.land("athlete_profiles", MOVER, [abroad], now=EVENINGS[1], origin="profile")
    warehouse.land("hevy_exercise_templates", MOVER, renamed, now=EVENINGS[1])
    yield
    after = [workout("after", "2026-04-05 17:00", [bench])]
    warehouse.land("hevy_workouts", MOVER, after, now=EVENINGS[2])
    yield


CUSTOM = "5f0c8a1e-3b7d-4c52-9e86-d41a7b20c9f3"
ACCOUNT_AS_OF = at("2026-03-04 04:00")


def of_an_account(warehouse: ScratchWarehouse) -> Story:
    """A simulated account is read each night: an edit, a deletion, a new name, then a break."""
    account = demo_account(seed=1, now=ACCOUNT_AS_OF)
    with (
        running_simulator(account, api_key=SIMULATOR_KEY) as simulator,
        HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy,
    ):

        def in_the_app(method: str, path: str, **options: Any) -> None:
            response = httpx.request(method, f"{simulator.url}/simulator/{path}", **options)
            assert response.is_success

        def read(now: datetime) -> None:
            with warehouse.connection() as con:
                cursor = read_cursor(con, "hevy_workouts", "demo")
                for fetched in (
                    fetch_workouts(hevy, cursor),
                    fetch_routines(hevy),
                    fetch_exercise_templates(hevy),
                ):
                    land_fetched(con, "demo", fetched, now=now, run_id="night")

        read(EVENINGS[0])
        yield
        (first, last) = warehouse.rows(
            """
            select workout_id from marts.fct_workout where athlete_id = 'demo'
            qualify
                row_number() over (order by started_at) = 1
                or row_number() over (order by started_at desc) = 1
            order by started_at
            """
        )
        payload = httpx.get(
            f"{simulator.url}/v1/workouts/{first['workout_id']}",
            headers={"api-key": SIMULATOR_KEY},
        ).json()
        performed = payload["exercises"][0]
        heavier = performed["sets"][-1] | {"weight_kg": 61.5, "reps": 3, "type": "normal"}
        payload["exercises"] = [performed | {"sets": [heavier]}]
        in_the_app("PUT", f"workouts/{first['workout_id']}", json=payload)
        in_the_app("DELETE", f"workouts/{last['workout_id']}")
        in_the_app("PUT", f"exercise_templates/{CUSTOM}", json={"title": "Nordic Curl"})
        read(EVENINGS[1])
        yield
        read(EVENINGS[2])
        yield


# ---- training alone

FILES, CLIMBER, STEPPER, GRID_LIFTER, STEADY = (
    *("from files", "climber", "small steps", "grid lifter"),
    "steady",
)


def of_files(warehouse: ScratchWarehouse) -> Story:
    """Help falls from 40 to 20 kg in a file, also on an unknown exercise; then an account.

    The account's catalogue has the built-in exercises under the same ids.
    """

    def exercises(help_kg: float) -> list[Json]:
        return [
            exercise(None, [lift(help_kg, 8)], title="Chest Dip (Assisted)"),
            exercise(None, [lift(help_kg, 8)], title="Muscle-up (unterstützt)"),
            exercise(None, [lift(100, 5)] * 3, title="bench press  (barbell)"),
        ]

    workouts = [
        workout(f"w{number}", f"2026-02-0{number + 1} 17:00", exercises(40 - 5 * number))
        for number in range(5)
    ]
    warehouse.land("hevy_workouts", FILES, workouts, now=EVENINGS[0], origin="csv")
    yield
    warehouse.land("hevy_exercise_templates", FILES, built_in_templates(), now=EVENINGS[1])
    yield


BERLIN = {"id": CLIMBER, "name": "Ann", "timezone": "Europe/Berlin"}


def of_a_climber(warehouse: ScratchWarehouse) -> Story:
    """Nine weeks with a step each time, and a mistyped set a week ago.

    The last workout began in Berlin half an hour after the midnight of Monday.
    """
    mondays = [at("2026-01-05 17:00") + timedelta(weeks=week) for week in range(8)]
    times = [*(f"{monday:%Y-%m-%d %H:%M}" for monday in mondays), "2026-03-01 23:30"]
    workouts = []
    for number, time in enumerate(times):
        sets = [lift(100 + 2.5 * number, 5)] * 3
        if number == len(mondays) - 1:
            sets.append(lift(1000, 5))
        workouts.append(workout(f"w{number}", time, [exercise("bench", sets)]))
    now = EVENINGS[0]
    warehouse.land("athlete_profiles", CLIMBER, [BERLIN], now=now, origin="profile")
    warehouse.land("hevy_exercise_templates", CLIMBER, [template("bench")], now=now)
    warehouse.land("hevy_workouts", CLIMBER, workouts, now=now)
    yield


GRID = list(
    product(
        (0.0, 1.25, 20.0, 61.2349, 100.0, 142.5),
        range(16),
        (None, *(half / 2 for half in range(12, 21))),
    )
)
"""Loads, repetitions and RPEs."""


def of_a_grid(warehouse: ScratchWarehouse) -> Story:
    """A set for each point of the grid, in order; and twenty loads by quarters."""
    done = [lift(load_kg, reps, rpe=rpe) for load_kg, reps, rpe in GRID]
    grid = [workout("w", "2026-03-04 17:00", [exercise("bench", done)])]
    steps = [
        workout(f"w{n}", f"2026-02-{n + 1:02} 17:00", [exercise("bench", [lift(100 + n / 4, 5)])])
        for n in range(20)
    ]
    for athlete, workouts in ((GRID_LIFTER, grid), (STEPPER, steps)):
        now = EVENINGS[0]
        warehouse.land("hevy_exercise_templates", athlete, [template("bench")], now=now)
        warehouse.land("hevy_workouts", athlete, workouts, now=now)
    yield


SLEEPER = "light sleeper"


def of_recovery(warehouse: ScratchWarehouse) -> Story:
    """Five weeks of a device, in which the last night is short; later the first weight is edited.

    A run of 60 min at RPE 5 is recorded twice. After the short night there is a workout.

    The weight of a day is 0.1 kg less than that of the day before.
    """
    first_day = date(2026, 2, 2)
    days = [
        HealthDay(
            source="oura",
            day=first_day + timedelta(days=day),
            values={
                "sleep_minutes": 300 if day == 34 else 430 + day % 2 * 20,
                "hrv_ms": 60 if day < 28 else 48,
                "weight_kg": round(80 - day / 10, 1),
            },
            hrv_method="rmssd",
        )
        for day in range(35)
    ]
    _land_health(warehouse, days, EVENINGS[0])
    runs = [
        session_of(
            source,
            "1",
            datetime(2026, 3, 1, 8, tzinfo=UTC),
            "Run",
            {"duration_minutes": 60, "session_rpe": rpe},
            date(2026, 3, 1),
        )
        for source, rpe in (("intervals", 5), ("garmin_export", None))
    ]
    with warehouse.connection() as con:
        land_sessions(con, SLEEPER, runs, now=EVENINGS[0], run_id="run", origin="csv")
    bench = workout("w", "2026-03-08 17:00", [exercise("bench", [lift(100, 5)])])
    warehouse.land("hevy_exercise_templates", SLEEPER, [template("bench")], now=EVENINGS[0])
    warehouse.land("hevy_workouts", SLEEPER, [bench], now=EVENINGS[0])
    measured = {"id": "2026-03-01", "date": "2026-03-01", "weight_kg": 78.0, "fat_percent": 15.5}
    warehouse.land("hevy_body_measurements", SLEEPER, [measured], now=EVENINGS[0])
    yield
    corrected = replace(days[0], values={**days[0].values, "weight_kg": 80.5})
    _land_health(warehouse, [corrected], EVENINGS[1])
    yield


def _land_health(warehouse: ScratchWarehouse, days: Sequence[HealthDay], now: datetime) -> None:
    with warehouse.connection() as con:
        land_days(con, SLEEPER, days, covered=METRICS, now=now, run_id="run", origin="csv")


def of_a_steady_athlete(warehouse: ScratchWarehouse) -> Story:
    """Ten Mondays with three benches of 100 kg x 5, planned at 100 kg, from the sixth at 102.5.

    In the eighth week rows replace curls; the ninth has a zero too many. A local server of unknown
    price answers at the second attempt. The second version of the routine is in a folder; another
    folder is deleted.
    """
    now = EVENINGS[0]
    folders = [
        {"id": number, "index": 0, "title": title, "created_at": "2026-02-08T03:00:00+00:00"}
        for number, title in ((7, "Strength"), (8, "Holiday"))
    ]
    for existing in (folders, folders[:1]):
        warehouse.land("hevy_routine_folders", STEADY, existing, now=now, is_complete=True)
    catalogue = [
        template("bench", title="Bench Press"),
        template("row", title="Row", primary_muscle_group="lats"),
        template("pull", title="Pull-up", primary_muscle_group="lats"),
    ]
    warehouse.land("hevy_exercise_templates", STEADY, catalogue, now=now)
    for load, updated_at, folder in (
        (100, "2026-01-04 04:00", None),
        (102.5, "2026-02-08 04:00", 7),
    ):
        planned = [exercise("bench", [lift(load, 5)] * 3), exercise("row", [lift(60, 10)])]
        version = routine("monday", updated_at, planned, folder_id=folder)
        warehouse.land("hevy_routines", STEADY, [version], now=now)
    workouts = []
    for week in range(10):
        monday = at("2026-01-05 17:30") + timedelta(weeks=week)
        benches = [lift(1000 if week == 8 else 100, 5, rpe=8), lift(100, 5), lift(100, 5)]
        pull = exercise("pull" if week == 7 else "row", [lift(60, 10)])
        workouts.append(
            workout(
                f"week {week}",
                f"{monday:%Y-%m-%d %H:%M}",
                [exercise("bench", benches), pull],
                routine_id="monday",
                end_time=(monday + timedelta(minutes=45)).isoformat(),
            )
        )
    warehouse.land("hevy_workouts", STEADY, workouts, now=now)
    down = request(provider="google", outcome="error", error="down")
    refused = request(outcome="retry", input_tokens=1000, cached_tokens=0, output_tokens=200)
    taken = request(outcome="ok", attempt=2, input_tokens=1000, cached_tokens=900, output_tokens=90)
    with warehouse.connection() as con:
        asked_at = at("2026-03-10 06:00")
        record_calls(con, STEADY, [down, refused, taken], asked_at=asked_at, run_id="run")
    yield


RESPONDER = "responds to volume"


def of_a_responder(warehouse: ScratchWarehouse) -> Story:
    """Eight periods of eight weeks with few sets and many in turn; they help chest and not back.

    The bench gains 1 % in four weeks with 4 sets and 5 % with 12; the row gains 5 % with 2 and 1 %
    with 10. Curls with 3 sets begin in the fifth period. The first workout after the last period
    comes a night later.
    """
    catalogue = [
        template("bench", secondary_muscle_groups=["triceps"]),
        template("row", primary_muscle_group="lats"),
        template("curl", primary_muscle_group="biceps"),
    ]
    warehouse.land("hevy_exercise_templates", RESPONDER, catalogue, now=EVENINGS[0])
    workouts = []
    for week in range(65):
        period, place = divmod(week, 8)
        is_much = period % 2 == 1
        gain = 1.0 if place < 4 else 1.05 if is_much else 1.01
        loss = 1.06 - (gain - 1.0) if place >= 4 else 1.0
        exercises = [
            exercise("bench", [lift(100 * gain, 5, rpe=8)] * (12 if is_much else 4)),
            exercise("row", [lift(80 * loss, 5, rpe=8)] * (10 if is_much else 2)),
        ]
        if period >= 4:
            exercises.append(exercise("curl", [lift(20 + period / 4, 5, rpe=8)] * 3))
        monday = at("2024-11-25 17:00") + timedelta(weeks=week)
        workouts.append(workout(f"week {week}", f"{monday:%Y-%m-%d %H:%M}", exercises))
    warehouse.land("hevy_workouts", RESPONDER, workouts[:-1], now=EVENINGS[0])
    yield
    warehouse.land("hevy_workouts", RESPONDER, workouts[-1:], now=EVENINGS[1])
    yield


EASY = "takes it easy"


def of_easy_sets(warehouse: ScratchWarehouse) -> Story:
    """A maximum of 120 kg, then a workout with one hard set: 90 kg x 5.

    The others are a warm-up and a load of zero that were logged as normal sets, and 108 kg x 3 with
    four in reserve, which would be the best so far.
    """
    now = EVENINGS[0]
    catalogue = [template("bench", primary_muscle_group="chest")]
    warehouse.land("hevy_exercise_templates", EASY, catalogue, now=now)
    best = [lift(100, 6, rpe=10)]
    easy = [lift(60, 5), lift(0, 5), lift(108, 3, rpe=6), lift(90, 5)]
    workouts = [
        workout("best", "2026-03-02 17:00", [exercise("bench", best)]),
        workout("easy", "2026-03-11 17:00", [exercise("bench", easy)]),
    ]
    warehouse.land("hevy_workouts", EASY, workouts, now=now)
    yield


STORIES = (
    of_the_scenario,
    of_lifters,
    of_a_typing_error,
    of_workouts_left_out,
    of_edits,
    of_doubts,
    of_new_names,
    of_a_mover,
    of_files,
    of_a_climber,
    of_a_grid,
    of_recovery,
    of_a_steady_athlete,
    of_a_responder,
    of_easy_sets,
    of_an_account,
    of_chance,
    of_a_late_writer,
)
