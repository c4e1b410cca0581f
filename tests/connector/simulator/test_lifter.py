"""The demo athlete is plausible, and deterministic for a seed and time."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.simulator import AccountState, demo_account, demo_state
from hevy_connector.simulator.athletes.lifter import HOME
from tests.connector.simulator.conftest import NOW

SEEDS = [1, 7, 42]
EQUIPMENT = {template["id"]: template["equipment"] for template in built_in_templates()}


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def athlete(request: pytest.FixtureRequest) -> AccountState:
    return demo_state(request.param, NOW)


def _exercises(records: Any) -> Iterator[Any]:
    return (exercise for record in records for exercise in record["exercises"])


def _sets(records: Any) -> list[Any]:
    return [one for exercise in _exercises(records) for one in exercise["sets"]]


def _load_exists(template_id: str, weight_kg: float) -> bool:
    match EQUIPMENT[template_id]:
        case "barbell":
            return weight_kg >= 20 and (weight_kg - 20) % 2.5 == 0
        case "dumbbell":
            return weight_kg >= 2 and weight_kg % 2 == 0
        case "machine":
            return weight_kg >= 5 and weight_kg % 5 == 0
        case _:
            return False


def test_the_same_seed_and_time_give_the_same_athlete() -> None:
    assert demo_state(7, NOW) == demo_state(7, NOW)
    assert demo_state(7, NOW).workouts != demo_state(8, NOW).workouts
    assert demo_account(7, NOW).workouts() == list(reversed(demo_state(7, NOW).workouts))


def test_without_a_time_the_history_ends_yesterday() -> None:
    today = datetime.now(HOME).date()
    latest = datetime.fromisoformat(demo_account(seed=1, weeks=1).workouts()[0]["start_time"])
    possible_days = {today, datetime.now(HOME).date()}  # midnight may pass meanwhile
    assert latest.astimezone(HOME).date() + timedelta(days=1) in possible_days


@pytest.mark.parametrize(
    ("now", "weeks"),
    [(NOW.replace(tzinfo=None), 16), (NOW, 0)],
    ids=["a time without a zone", "no week"],
)
def test_a_history_that_cannot_be_made_is_refused(now: datetime, weeks: int) -> None:
    with pytest.raises(ValueError, match="aware time and at least one week"):
        demo_state(1, now, weeks)


@pytest.mark.parametrize("count", [1, 3, 4, 61, 400])
def test_a_history_may_have_any_number_of_workouts(count: int) -> None:
    state = demo_state(3, NOW, workouts=count)
    starts = [workout["start_time"] for workout in state.workouts]
    assert len(starts) == count
    assert starts == sorted(set(starts))
    assert starts[-1].startswith("2026-10-06")
    assert len(state.routines) == 4
    assert all(entry["weight_kg"] < 90 for entry in state.measurements)
    assert state == demo_state(3, NOW, workouts=count)


def test_an_athlete_without_workouts_has_nothing_but_a_name() -> None:
    state = demo_state(3, NOW, workouts=0)
    assert state == AccountState(seed=3, user=demo_state(3, NOW).user)


def test_less_than_no_workouts_are_refused() -> None:
    with pytest.raises(ValueError, match="no less than 0 workouts"):
        demo_state(1, NOW, workouts=-1)


@pytest.mark.parametrize("weeks", [1, 4, 30])
def test_routines_are_older_than_their_first_workout(weeks: int) -> None:
    state = demo_state(1, NOW, weeks)
    first = state.workouts[0]["created_at"]
    assert all(routine["created_at"] < first for routine in state.routines)
    assert all(routine["created_at"] <= routine["updated_at"] for routine in state.routines)


def test_sixteen_weeks_hold_four_sessions_a_week_but_three_missed(athlete: AccountState) -> None:
    assert len(athlete.workouts) == 61
    titles = [workout["title"] for workout in athlete.workouts]
    rotation = ["Upper A", "Lower A", "Upper B", "Lower B"]
    assert titles == (rotation * 16)[:61]


def test_training_is_in_the_evening_and_ends_the_day_before(athlete: AccountState) -> None:
    local = [
        datetime.fromisoformat(workout["start_time"]).astimezone(HOME)
        for workout in athlete.workouts
    ]
    assert all(17 <= start.hour <= 19 for start in local)
    assert local[-1].date() == (NOW - timedelta(days=1)).date()
    days = [start.date() for start in local]
    assert days == sorted(set(days))
    for workout in athlete.workouts:
        assert workout["start_time"].endswith("+00:00")
        start, end = (datetime.fromisoformat(workout[name]) for name in ("start_time", "end_time"))
        assert timedelta(minutes=25) < end - start < timedelta(minutes=100)
        assert end < datetime.fromisoformat(workout["updated_at"]) < NOW


def test_all_loads_exist(athlete: AccountState) -> None:
    for exercise in _exercises([*athlete.workouts, *athlete.routines]):
        for one in exercise["sets"]:
            if one["weight_kg"] is not None:
                assert _load_exists(exercise["exercise_template_id"], one["weight_kg"]), exercise


def test_rpe_is_allowed_and_is_on_some_sets_only(athlete: AccountState) -> None:
    rated = [one["rpe"] for one in _sets(athlete.workouts) if one["rpe"] is not None]
    assert set(rated) <= {6, 7, 7.5, 8, 8.5, 9, 9.5, 10}
    assert 0.1 < len(rated) / len(_sets(athlete.workouts)) < 0.4
    assert all(one["rpe"] is None for one in _sets(athlete.workouts) if one["type"] == "warmup")


def test_sets_of_every_kind_are_done(athlete: AccountState) -> None:
    kinds = Counter(one["type"] for one in _sets(athlete.workouts))
    assert set(kinds) == {"normal", "warmup", "failure", "dropset"}
    assert kinds["normal"] > kinds["warmup"] > kinds["dropset"] > 5
    assert all(one["reps"] or one["duration_seconds"] for one in _sets(athlete.workouts))


def test_strength_grows_and_grows_more_slowly(athlete: AccountState) -> None:
    squat = "D04AC939"
    heaviest = [
        max(one["weight_kg"] for one in exercise["sets"])
        for exercise in _exercises(athlete.workouts)
        if exercise["exercise_template_id"] == squat
    ]
    half = len(heaviest) // 2
    assert heaviest[-1] > heaviest[half] > heaviest[0]
    assert heaviest[half] - heaviest[0] >= heaviest[-1] - heaviest[half]


def test_routines_were_last_adjusted_five_weeks_ago(athlete: AccountState) -> None:
    for routine in athlete.routines:
        age = NOW - datetime.fromisoformat(routine["updated_at"])
        assert timedelta(days=34) < age < timedelta(days=36)
        assert NOW - datetime.fromisoformat(routine["created_at"]) > timedelta(weeks=16)


def test_some_planned_loads_are_outgrown_and_none_is_far_off(athlete: AccountState) -> None:
    latest = {workout["routine_id"]: workout for workout in athlete.workouts}
    ratios = []
    for routine in athlete.routines:
        planned, done = _first_working_loads(routine), _first_working_loads(latest[routine["id"]])
        ratios += [done[key] / planned[key] for key in planned.keys() & done.keys()]
    assert sum(ratio > 1 for ratio in ratios) >= 4
    assert all(0.85 <= ratio <= 1.25 for ratio in ratios)


def _first_working_loads(record: Any) -> dict[tuple[str, int], float]:
    """Return the load of the first working set, by template and occurrence in the record."""
    seen: Counter[str] = Counter()
    loads = {}
    for exercise in record["exercises"]:
        template_id = exercise["exercise_template_id"]
        working = [one for one in exercise["sets"] if one["type"] != "warmup"]
        if working[0]["weight_kg"] is not None:
            loads[template_id, seen[template_id]] = working[0]["weight_kg"]
        seen[template_id] += 1
    return loads


def test_sessions_deviate_from_the_plan_now_and_then(athlete: AccountState) -> None:
    plans = {routine["id"]: routine["exercises"] for routine in athlete.routines}
    done = [
        (plans[workout["routine_id"]], workout["exercises"], workout)
        for workout in athlete.workouts
    ]
    skips = sum(len(exercises) < len(plan) for plan, exercises, _ in done)
    extras = sum(_has_extra_set(plan, exercises) for plan, exercises, _ in done)
    assert 1 <= skips <= 20
    assert 1 <= extras <= 30
    assert any(exercise["notes"] for exercise in _exercises(athlete.workouts))
    assert any(workout["description"] for _, _, workout in done)


def _has_extra_set(plan: Any, done: Any) -> bool:
    sizes: defaultdict[str, int] = defaultdict(int)
    for exercise in plan:
        size = sizes[exercise["exercise_template_id"]]
        sizes[exercise["exercise_template_id"]] = max(size, len(exercise["sets"]))
    return any(len(one["sets"]) > sizes[one["exercise_template_id"]] for one in done)


def test_reps_are_missed_now_and_then(athlete: AccountState) -> None:
    """Squats are planned as five sets of five."""
    reps = [
        one["reps"]
        for exercise in _exercises(athlete.workouts)
        if exercise["exercise_template_id"] in {"D04AC939", "C6272009"}
        for one in exercise["sets"][3:]
    ]
    missed = sum(done < 5 for done in reps)
    assert 0 < missed < len(reps) / 8


def test_the_routines_hold_every_kind_of_target(athlete: AccountState) -> None:
    exercises = list(_exercises(athlete.routines))
    sets = _sets(athlete.routines)
    ranges = [one["rep_range"] for one in sets if "rep_range" in one]
    assert [routine["title"] for routine in athlete.routines] == [
        "Upper A",
        "Lower A",
        "Upper B",
        "Lower B",
    ]
    assert all(5 <= len(routine["exercises"]) <= 7 for routine in athlete.routines)
    assert {"start": 8, "end": 12} in ranges
    assert ranges.count({"start": 8, "end": None}) == 1
    assert {one["type"] for one in sets} == {"warmup", "normal", "dropset", "failure"}
    assert any(one["reps"] == 5 for one in sets)
    assert any(one["duration_seconds"] for one in sets)
    assert any(exercise["superset_id"] == 0 for exercise in exercises)
    assert any(exercise["notes"] for exercise in exercises)
    assert all(exercise["rest_seconds"] for exercise in exercises)


def test_one_exercise_occurs_twice_in_a_routine_with_different_loads(
    athlete: AccountState,
) -> None:
    bench_press = "79D0BB3A"
    places = [
        exercise["sets"][-1]["weight_kg"]
        for exercise in athlete.routines[0]["exercises"]
        if exercise["exercise_template_id"] == bench_press
    ]
    heavy, lighter = places
    assert heavy > lighter


def test_body_weight_is_measured_every_week(athlete: AccountState) -> None:
    days = [datetime.fromisoformat(entry["date"]) for entry in athlete.measurements]
    assert len(days) == 16
    assert {later - earlier for earlier, later in pairwise(days)} == {timedelta(days=7)}
    assert all(70 < entry["weight_kg"] < 90 for entry in athlete.measurements)


def test_the_evening_follows_daylight_saving_time() -> None:
    """17:30 to 19:00 in Berlin is an hour later in UTC after the clocks went back."""
    winter = demo_state(1, datetime(2026, 12, 1, 4, 0, tzinfo=UTC), weeks=8)
    hours = {
        datetime.fromisoformat(workout["start_time"]).astimezone(HOME).hour
        for workout in winter.workouts
    }
    assert hours <= {17, 18, 19}
