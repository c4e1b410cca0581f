"""Routines are inferred from repeated workouts without an account."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hevy_connector.csv_imports import exercise_keys, inferred_routines
from hevy_connector.schemas import Workout

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
KEY_OF = exercise_keys([{"id": "SQ", "title": "Squat (Barbell)"}], {"Kniebeuge": "Squat (Barbell)"})


def workout(
    days_ago: float, title: str, *exercises: str, reps: Sequence[int | None] = (8, 8)
) -> Workout:
    return Workout.model_validate(
        {
            "id": f"{title} {days_ago}",
            "title": title,
            "start_time": (NOW - timedelta(days=days_ago)).isoformat(),
            "exercises": [
                {
                    "index": index,
                    "title": name,
                    "exercise_template_id": None,
                    "superset_id": 0 if "Curl" in name else None,
                    "sets": [
                        {"index": 0, "type": "warmup", "weight_kg": 20, "reps": 15},
                        *(
                            {"index": n, "type": "normal", "weight_kg": 60, "reps": each}
                            for n, each in enumerate(reps, start=1)
                        ),
                    ],
                }
                for index, name in enumerate(exercises)
            ],
        }
    )


def inferred_titles(*workouts: Workout) -> dict[str, list[str]]:
    """Return the inferred routines by title, with their exercises."""
    found = [json.loads(each.payload) for each in inferred_routines(workouts, "me", KEY_OF)]
    return {each["title"]: [one["title"] for one in each["exercises"]] for each in found}


def first_sets(*workouts: Workout) -> list[dict[str, Any]]:
    [record] = inferred_routines(workouts, "me", KEY_OF)
    sets: list[dict[str, Any]] = json.loads(record.payload)["exercises"][0]["sets"]
    return sets


def test_workouts_that_are_much_alike_are_one_routine_as_it_was_last() -> None:
    assert inferred_titles(
        workout(1, "Push", "Bench", "Dip", "Press"),
        workout(3, "Pull", "Row", "Curl"),
        workout(8, "Push", "Bench", "Dip", "Fly"),
        workout(10, "Pull", "Row", "Curl"),
    ) == {"Push": ["Bench", "Dip", "Press"], "Pull": ["Row", "Curl"]}


def test_the_same_exercises_are_one_routine_whatever_it_was_called() -> None:
    """Hevy names a workout after the time of day until the athlete renames it."""
    assert inferred_titles(
        workout(1, "Morning workout", "Bench", "Dip"),
        workout(4, "Evening workout", "Bench", "Dip"),
        workout(8, "Evening workout", "Bench", "Dip"),
    ) == {"Evening workout": ["Bench", "Dip"]}


def test_the_same_title_for_other_exercises_is_another_routine() -> None:
    assert inferred_titles(
        workout(1, "Evening workout", "Bench", "Dip"),
        workout(2, "Evening workout", "Squat", "Curl"),
        workout(5, "Evening workout", "Bench", "Dip"),
        workout(6, "Evening workout", "Squat", "Curl"),
    ) == {"Evening workout: Bench": ["Bench", "Dip"], "Evening workout: Squat": ["Squat", "Curl"]}


def test_routines_of_one_title_keep_their_names_when_their_order_changes() -> None:
    """The latest was "Workout", the one before "Workout (2)": each workout exchanged the two."""
    push, legs = ("Bench (Barbell)", "Dip"), ("Squat", "Curl")
    days = [workout(day, "Workout", *(push if day % 2 else legs)) for day in range(1, 6)]
    expected = {"Workout: Bench": [*push], "Workout: Squat": [*legs]}
    assert inferred_titles(*days) == inferred_titles(*days[:-1]) == expected


def test_routines_with_one_main_lift_are_named_by_the_next() -> None:
    heavy, light = ("Squat", "Deadlift", "Row"), ("Squat", "Lunge", "Curl", "Crunch")
    days = [workout(day, "A", *(heavy if day % 2 else light)) for day in range(1, 5)]
    assert list(inferred_titles(*days)) == ["A: Squat, Deadlift", "A: Squat, Lunge"]


def test_days_of_a_file_without_titles_are_alike_by_their_exercises_only() -> None:
    """Two days with one exercise in four in common were one routine, as if they had a title."""
    first, second = ("Bench", "Fly", "Dip", "Raise"), ("Incline", "Press", "Raise", "Dip")
    days = [workout(day, "Workout", *(first if day % 2 else second)) for day in range(1, 5)]
    assert len(inferred_titles(*days)) == 2


def test_what_was_given_up_and_what_was_done_once_is_none() -> None:
    assert inferred_titles(
        workout(1, "Push", "Bench"),
        workout(2, "Fun run", "Running"),
        workout(8, "Push", "Bench"),
        workout(70, "Legs", "Squat"),
        workout(77, "Legs", "Squat"),
    ) == {"Push": ["Bench"]}


def test_a_workout_that_was_cut_short_once_changes_no_routine() -> None:
    """One set of squats and no curls on a busy day were the whole next workout."""
    days = [workout(8, "Legs", "Squat", "Press", "Curl"), workout(15, "Legs", "Squat", "Curl")]
    short = workout(1, "Legs", "Squat", "Press", reps=(8,))
    assert inferred_titles(short, *days) == {"Legs": ["Squat", "Press", "Curl"]}
    assert [each["reps"] for each in first_sets(short, *days)] == [15, 8, 8]
    again = workout(0, "Legs", "Squat", "Press", reps=(8,))
    assert inferred_titles(again, short, *days) == {"Legs": ["Squat", "Press"]}
    assert [each["reps"] for each in first_sets(again, short, *days)] == [15, 8]
    swapped = workout(1, "Legs", "Squat", "Row")
    assert inferred_titles(swapped, *days) == {"Legs": ["Squat", "Row"]}


def counts(sets: list[dict[str, Any]]) -> list[object]:
    """Return the goals of the working sets."""
    return [each.get("reps") or each.get("rep_range") for each in sets if each["type"] == "normal"]


def test_a_test_of_the_maximum_changes_no_routine() -> None:
    """The plan was 165 kg for 2 and 175 for 1, three days after singles of 140 to 170 kg."""
    fives = [workout(days, "Squat", "Squat", reps=(5, 5, 5)) for days in (4, 8)]
    tested = workout(0, "Squat", "Squat", reps=(1, 1, 1, 1))
    assert counts(first_sets(tested, *fives)) == [5, 5, 5]
    again = workout(-4, "Squat", "Squat", reps=(1, 1, 1, 1))
    assert counts(first_sets(again, tested, *fives)) != [5, 5, 5]


@pytest.mark.parametrize(("returns", "sets"), [(1, 3), (3, 3), (4, 3), (5, 2)])
def test_sets_that_were_left_out_after_a_break_come_back(returns: int, sets: int) -> None:
    """After 3 x 5, a month off and two sets in each workout, the third one never came back."""
    before = [workout(40 + days, "Squat", "Squat", reps=(5, 5, 5)) for days in (0, 4)]
    after = [workout(4 * number, "Squat", "Squat", reps=(5, 5)) for number in range(returns)]
    assert counts(first_sets(*after, *before)) == [5] * sets


def test_a_single_workout_is_better_than_none() -> None:
    assert inferred_titles(workout(100, "Push", "Bench"), workout(300, "Legs", "Squat")) == {
        "Push": ["Bench"]
    }
    assert inferred_titles() == {}


def test_repetitions_are_those_of_the_last_three_times() -> None:
    warmup, *working = first_sets(
        workout(1, "Push", "Bench", reps=(8, 7, 6)),
        workout(8, "Push", "Bench", reps=(9, 8)),
        workout(15, "Push", "Bench", reps=(8, 8)),
        workout(22, "Push", "Bench", reps=(20, 3)),
    )
    assert warmup == {"index": 0, "type": "warmup", "reps": 15}
    assert [each["rep_range"] for each in working] == [{"start": 6, "end": 9}] * 3
    _, *fixed = first_sets(workout(1, "Push", "Bench"), workout(8, "Push", "Bench"))
    assert [each["reps"] for each in fixed] == [8, 8]
    _, *held = first_sets(workout(1, "Core", "Plank", reps=(None, None)))
    assert held == [{"index": 1, "type": "normal"}, {"index": 2, "type": "normal"}]


def lifted(*times: Sequence[tuple[float, int]]) -> list[Workout]:
    """Return workouts with these loads and repetitions of a lift, the newest first."""
    return [
        with_sets(
            workout(1 + 7 * at, "Pull", "Deadlift"),
            *({"weight_kg": kg, "reps": reps} for kg, reps in sets),
        )
        for at, sets in enumerate(times)
    ]


@pytest.mark.parametrize(
    ("times", "targets"),
    [
        pytest.param(
            [[(165, 5), (165, 5)], [(162.5, 5), (162.5, 3)], [(160, 5), (160, 5)]],
            [{"reps": 5}] * 2,
            id="the load rises at five, with a miss",
        ),
        pytest.param(
            [[(160, 5), (160, 5)], [(160, 5), (160, 3)], [(160, 5), (160, 4)]],
            [{"rep_range": {"start": 3, "end": 5}}] * 2,
            id="the repetitions rise",
        ),
        pytest.param(
            [[(62.5, 8), (62.5, 8)], [(60, 10), (60, 10)], [(60, 9), (60, 9)]],
            [{"rep_range": {"start": 8, "end": 10}}] * 2,
            id="both rise",
        ),
        pytest.param(
            [[(75, 10)] * 2, [(102.5, 5)] * 2, [(72.5, 10), (72.5, 9)], [(100, 5)] * 2],
            [{"reps": 10}] * 2,
            id="heavy fives and light tens, after a light day",
        ),
        pytest.param(
            [[(102.5, 5)] * 2, [(75, 10)] * 2, [(100, 5)] * 2, [(72.5, 10)] * 2],
            [{"reps": 5}] * 2,
            id="after a heavy day",
        ),
        pytest.param(
            [[(kg, reps)] * 2 for kg, reps in [(85, 8), (70, 12), (100, 5)] * 2],
            [{"reps": 8}] * 2,
            id="heavy, light and medium days",
        ),
        pytest.param(
            [[(60, 10)] * 2, [(60, 8)] * 2, [(60, 10)] * 2, [(60, 8)] * 2],
            [{"rep_range": {"start": 8, "end": 10}}] * 2,
            id="good and bad days with one load",
        ),
        pytest.param(
            [[(255, 2), (230, 4), (230, 4)], [(252.5, 2), (227.5, 4), (227.5, 3)]],
            [{"reps": 2}, *[{"rep_range": {"start": 3, "end": 4}}] * 2],
            id="a top set and back-offs",
        ),
        pytest.param(
            [[(160, 55), (165, 5)], [(160, 5), (160, 5)], [(160, 5), (160, 5)]],
            [{"reps": 5}] * 2,
            id="a typing error in the only set with a load",
        ),
        pytest.param(
            [[(60, 12), (600, 12), (60, 11)], [(52.5, 10), (52.5, 10)], [(52.5, 10), (52.5, 10)]],
            [{"rep_range": {"start": 10, "end": 12}}] * 3,
            id="a typing error in the load between two sets",
        ),
    ],
)
def test_repetitions_are_the_goal_of_the_sets_with_that_load(
    times: Sequence[Sequence[tuple[float, int]]], targets: Sequence[dict[str, Any]]
) -> None:
    """Two sets of 5 with one miss in the weeks before became 3 to 5, and the plan asked for 3."""
    found = first_sets(*lifted(*times))
    assert found == [
        {"index": place, "type": "normal", **target} for place, target in enumerate(targets)
    ]


def test_times_and_distances_are_those_of_the_latest_workout() -> None:
    carried = workout(1, "Strongman", "Farmers Walk", reps=(None, None))
    sets = carried.exercises[0].sets
    timed = {"duration_seconds": 60, "distance_meters": None}
    targets = (timed, {"duration_seconds": None, "distance_meters": 40.0})
    changed = [one.model_copy(update=target) for one, target in zip(sets[1:], targets, strict=True)]
    exercise = carried.exercises[0].model_copy(update={"sets": (sets[0], *changed)})
    _, *found = first_sets(carried.model_copy(update={"exercises": (exercise,)}))
    assert found == [
        {"index": 1, "type": "normal", "duration_seconds": 60},
        {"index": 2, "type": "normal", "distance_meters": 40.0},
    ]


def with_sets(one: Workout, *sets: Mapping[str, float]) -> Workout:
    """Return the workout with these sets in each of its exercises."""
    payload = one.model_dump(mode="json")
    for exercise in payload["exercises"]:
        exercise["sets"] = [
            {"index": place, "type": "normal", **each} for place, each in enumerate(sets)
        ]
    return Workout.model_validate(payload)


@pytest.mark.parametrize(
    ("usual", "mistyped", "target"),
    [
        ({"distance_meters": 40.0}, {"distance_meters": 400.0}, {"distance_meters": 40.0}),
        ({"duration_seconds": 60}, {"duration_seconds": 600}, {"duration_seconds": 60}),
        ({"reps": 5}, {"reps": 55}, {"reps": 5}),
    ],
    ids=["metres", "seconds", "reps"],
)
def test_a_doubted_value_is_no_target(
    usual: Mapping[str, float], mistyped: Mapping[str, float], target: Mapping[str, float]
) -> None:
    """400 m instead of 40 became the distance of the next workout."""
    day = workout(8, "Push", "Bench")
    newest = workout(1, "Push", "Bench")
    for sets in ([usual, mistyped], [mistyped, usual], [mistyped]):
        found = first_sets(with_sets(newest, *sets), with_sets(day, usual, usual))
        assert found == [{"index": place, "type": "normal", **target} for place in range(2)]


@pytest.mark.parametrize(
    ("newest", "before"),
    [((400.0, 400.0), (40.0, 40.0)), ((400.0,), ()), ((18.0,), (5.0,)), ((120.0,), (40.0,))],
    ids=["in each set", "first time", "few", "three times"],
)
def test_a_value_that_others_confirm_is_a_target(
    newest: Sequence[float], before: Sequence[float]
) -> None:
    done = with_sets(workout(1, "Carry", "Farmers Walk"), *({"distance_meters": m} for m in newest))
    older = with_sets(
        workout(8, "Carry", "Farmers Walk"), *({"distance_meters": m} for m in before)
    )
    found = first_sets(done, *([older] if before else []))
    assert [each["distance_meters"] for each in found] == list(newest)


def test_exercises_are_known_as_the_marts_know_them() -> None:
    titles = ("Kniebeuge", "squat  (barbell)", "My Own  Thing")
    [record] = inferred_routines([workout(1, "Legs", *titles)], "me", KEY_OF)
    keys = [one["exercise_template_id"] for one in json.loads(record.payload)["exercises"]]
    assert keys == ["SQ", "SQ", "title:my own thing"]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 100),
            st.sampled_from(["A", "B", "Evening workout"]),
            st.lists(st.sampled_from(["Bench", "Row", "Squat", "Curl"]), min_size=1, max_size=4),
        ),
        max_size=12,
        unique_by=lambda each: each[0],
    )
)
def test_any_history_has_routines_of_its_own_that_stay_the_same(
    history: list[tuple[int, str, list[str]]],
) -> None:
    workouts = [workout(days, title, *names) for days, title, names in history]
    records = inferred_routines(workouts, "me", KEY_OF)
    assert bool(records) == bool(workouts)
    assert len({each.record_id for each in records}) == len(records)
    assert records == inferred_routines(list(reversed(workouts)), "me", KEY_OF)
    done = [[one.title for one in each.exercises] for each in workouts]
    for record in records:
        assert [one["title"] for one in json.loads(record.payload)["exercises"]] in done
