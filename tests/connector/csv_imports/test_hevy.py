"""Hevy's own export: shape, units, numbers, ids, and unreadable rows."""

import pytest

from hevy_connector.csv_imports import read_export
from hevy_connector.schemas import Workout
from tests.connector.csv_imports.exports import (
    BERLIN,
    HEVY,
    HEVY_COLUMNS,
    blocks,
    hevy_export,
    only_set,
    read,
    renamed,
    sets_of,
    workouts,
)


def test_an_export_becomes_workouts_in_the_shape_of_the_api() -> None:
    result = read(HEVY)
    upper, easy = workouts(result)
    nothing = {
        "weight_kg": None,
        "reps": None,
        "distance_meters": None,
        "duration_seconds": None,
        "rpe": None,
        "custom_metric": None,
    }
    assert upper == {
        "id": result.workouts[0].record.record_id,
        "title": "Upper A 💪🏽",
        "routine_id": None,
        "description": "",
        "start_time": "2026-03-04T17:02:00+00:00",
        "end_time": "2026-03-04T18:01:00+00:00",
        "exercises": [
            {
                "index": 0,
                "title": "Bench Press (Barbell)",
                "notes": "pause\non chest",
                "exercise_template_id": None,
                "superset_id": 0,
                "sets": [
                    nothing | {"index": 0, "type": "warmup", "weight_kg": 20, "reps": 10},
                    nothing
                    | {"index": 1, "type": "normal", "weight_kg": 72.5, "reps": 6, "rpe": 8.5},
                ],
            },
            {
                "index": 1,
                "title": "Pull Up",
                "notes": "",
                "exercise_template_id": None,
                "superset_id": 0,
                "sets": [nothing | {"index": 0, "type": "failure", "reps": 9}],
            },
        ],
    }
    assert easy["description"] == 'an "easy" one'
    assert [exercise["superset_id"] for exercise in easy["exercises"]] == [None, None]
    assert sets_of(easy) == [
        nothing | {"index": 0, "type": "normal", "distance_meters": 2400, "duration_seconds": 810},
        nothing | {"index": 0, "type": "dropset", "reps": 0, "duration_seconds": 60},
    ]
    assert result.dialect == "Hevy (kg, km)"
    assert [workout.lines for workout in result.workouts] == [(2, 4, 6), (7, 8)]
    assert (result.rows_read, result.rejected, result.repeated, result.flags) == (5, (), (), ())
    for workout in result.workouts:
        record = workout.record
        assert Workout.model_validate_json(record.payload).id == record.record_id
        assert record.vendor_updated_at is None
        assert not record.is_deleted


def test_columns_may_stand_in_any_order_among_others() -> None:
    shuffled = ("", *reversed(HEVY_COLUMNS), "my mood")
    assert read(hevy_export({}, columns=shuffled)) == read(hevy_export({}))


def test_an_export_of_before_supersets_has_none() -> None:
    old = tuple(name for name in HEVY_COLUMNS if name != "superset_id")
    [workout] = workouts(read(hevy_export({}, columns=old)))
    assert workout["exercises"][0]["superset_id"] is None


def test_a_header_alone_is_an_empty_log() -> None:
    result = read(hevy_export())
    assert (result.workouts, result.rejected, result.rows_read) == ((), (), 0)


@pytest.mark.parametrize("distance_column", ["distance_km", "distance_miles"])
@pytest.mark.parametrize(
    ("weight_column", "weight", "expected_kg"),
    [
        ("weight_kg", "70.31", 70.31),
        ("weight_kg", "60.0", 60),
        ("weight_lbs", "155", 70.30681735),  # 155 * 0.45359237
        ("weight_lbs", "2", 0.90718474),
        ("weight_lbs", "88.18", 39.9977751866),  # 40 kg, rounded by the app
    ],
)
def test_weights_are_kilograms_whatever_the_unit_of_distances(
    weight_column: str, weight: str, expected_kg: float, distance_column: str
) -> None:
    columns = tuple(
        {"weight_kg": weight_column, "distance_km": distance_column}.get(name, name)
        for name in HEVY_COLUMNS
    )
    one = only_set({weight_column: weight, distance_column: "1"}, columns=columns)
    assert one["weight_kg"] == expected_kg
    expected_m = {"distance_km": 1000, "distance_miles": 1609.344}[distance_column]
    assert one["distance_meters"] == expected_m


def test_a_weight_of_one_unit_rounded_into_the_other_is_within_a_hundredth() -> None:
    pounds = only_set({"weight_lbs": "155"}, columns=renamed("weight_kg", "weight_lbs"))
    kilograms = only_set({"weight_kg": "70.31"})
    assert pounds["weight_kg"] == pytest.approx(kilograms["weight_kg"], abs=0.01)


@pytest.mark.parametrize(
    ("column", "distance", "expected_m"),
    [
        ("distance_km", "2.4", 2400),
        ("distance_km", "2.01", 2010),  # in binary floats 2009.9999999999998
        ("distance_miles", "3.2", 5149.9008),  # 3.2 * 1609.344
    ],
)
def test_distances_are_metres(column: str, distance: str, expected_m: float) -> None:
    one = only_set({column: distance}, columns=renamed("distance_km", column))
    assert one["distance_meters"] == expected_m


@pytest.mark.parametrize(
    ("cells", "field", "expected"),
    [
        pytest.param({"weight_kg": ""}, "weight_kg", None, id="blank weight is not zero"),
        pytest.param({"weight_kg": "0"}, "weight_kg", 0, id="zero weight was recorded"),
        pytest.param({"reps": "0"}, "reps", 0, id="failed attempt"),
        pytest.param({"reps": "10.0"}, "reps", 10, id="re-saved reps"),
        pytest.param({"reps": "5366"}, "reps", 5366, id="absurd reps are kept"),
        pytest.param({"distance_km": "0"}, "distance_meters", None, id="zero distance"),
        pytest.param({"distance_km": "518"}, "distance_meters", 518_000, id="absurd distance"),
        pytest.param({"duration_seconds": "0"}, "duration_seconds", None, id="zero duration"),
        pytest.param({"duration_seconds": "0.0"}, "duration_seconds", None, id="re-saved zero"),
        pytest.param({"rpe": "6.5"}, "rpe", 6.5, id="half point that Hevy does not offer"),
        pytest.param({"rpe": "10"}, "rpe", 10, id="highest RPE"),
    ],
)
def test_numbers_are_kept_and_only_zero_times_and_distances_are_missing(
    cells: dict[str, str], field: str, expected: float | None
) -> None:
    assert only_set(cells)[field] == expected


def test_a_set_without_any_number_is_a_set() -> None:
    one = only_set({"weight_kg": "", "reps": ""})
    assert set(one.values()) == {0, "normal", None}


def test_an_assisted_exercise_keeps_its_assistance_as_weight() -> None:
    assert only_set({"exercise_title": "Pull Up (Assisted)", "weight_kg": "25"})["weight_kg"] == 25


def test_a_restart_of_the_set_index_begins_the_exercise_again() -> None:
    rows = [("0", "9"), ("1", "8"), ("0", "7"), ("2", "6"), ("2", "5")]
    result = read(hevy_export(*({"set_index": index, "reps": reps} for index, reps in rows)))
    [workout] = workouts(result)
    assert [exercise["title"] for exercise in workout["exercises"]] == ["Bench Press (Barbell)"] * 3
    assert [exercise["index"] for exercise in workout["exercises"]] == [0, 1, 2]
    # Set indexes restart within each exercise, as in the API.
    assert [
        [(one["index"], one["reps"]) for one in exercise["sets"]]
        for exercise in workout["exercises"]
    ] == [[(0, 9), (1, 8)], [(0, 7), (1, 6)], [(0, 5)]]


def test_an_exercise_that_returns_after_another_is_one_more_exercise() -> None:
    titles = ["Squat (Barbell)", "Pull Up", "Squat (Barbell)"]
    rows = [{"exercise_title": title, "set_index": str(at)} for at, title in enumerate(titles)]
    assert [title for title, _ in blocks(read(hevy_export(*rows)))] == titles


def test_another_superset_is_another_exercise() -> None:
    rows = [{"set_index": "0", "superset_id": "0"}, {"set_index": "1", "superset_id": "1"}]
    [workout] = workouts(read(hevy_export(*rows)))
    assert [exercise["superset_id"] for exercise in workout["exercises"]] == [0, 1]


def test_rows_of_one_workout_belong_together_wherever_they_stand() -> None:
    early, late = {"title": "Early"}, {"title": "Late"}
    result = read(hevy_export(early, late, early | {"exercise_title": "Pull Up"}))
    assert [
        (workout["title"], [exercise["title"] for exercise in workout["exercises"]])
        for workout in workouts(result)
    ] == [
        ("Early", ["Bench Press (Barbell)", "Pull Up"]),
        ("Late", ["Bench Press (Barbell)"]),
    ]
    assert [workout.lines for workout in result.workouts] == [(2, 4), (3,)]


def test_white_space_around_titles_does_not_make_another_workout_or_exercise() -> None:
    padded = {"title": " Upper A ", "exercise_title": "Bench Press (Barbell) ", "set_index": "1"}
    [workout] = workouts(read(hevy_export({}, padded)))
    assert workout["title"] == "Upper A"
    assert len(workout["exercises"]) == 1


def test_several_workouts_of_a_day_out_of_order_and_across_midnight_are_all_read() -> None:
    spans = [
        ("4 Mar 2026, 07:00", "4 Mar 2026, 08:00"),
        ("6 Mar 2026, 23:30", "7 Mar 2026, 00:30"),
        ("4 Mar 2026, 19:00", "4 Mar 2026, 20:00"),
    ]
    result = read(hevy_export(*({"start_time": start, "end_time": end} for start, end in spans)))
    assert [workout["start_time"][:16] for workout in workouts(result)] == [
        "2026-03-04T06:00",
        "2026-03-06T22:30",
        "2026-03-04T18:00",
    ]
    assert result.flags == ()


def test_record_ids_tell_athletes_titles_and_times_apart_and_nothing_else() -> None:
    def record_ids(content: bytes, athlete_id: str = "ann") -> list[str]:
        result = read_export(content, athlete_id=athlete_id, timezone=BERLIN)
        return [workout.record.record_id for workout in result.workouts]

    [known] = record_ids(hevy_export({}))
    # A literal: another id would duplicate earlier imports.
    assert known == "csv-08f531fe-49f9-5783-9b79-cb9eafb74bad"
    assert record_ids(hevy_export({"reps": "9", "exercise_title": "Squat"})) == [known]
    assert record_ids(hevy_export({"start_time": "2026-03-04 18:02:00"})) == [known]
    others = record_ids(
        hevy_export(
            {"title": "B"}, {"start_time": "4 Mar 2026, 18:03"}, {"end_time": "Mar 4, 2026, 20:00"}
        )
    ) + record_ids(hevy_export({}), athlete_id="other")
    assert len({known, *others}) == 5


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (
            {"set_type": "myo"},
            "Line 3: set_type 'myo' is none of normal, warmup, failure, dropset.",
        ),
        ({"set_type": ""}, "set_type '' is none of"),
        ({"set_index": ""}, "set_index is empty"),
        ({"set_index": "1.5"}, "set_index '1.5' is not a whole number"),
        ({"superset_id": "A"}, "superset_id 'A' is not a whole number"),
        ({"weight_kg": "heavy"}, "weight_kg 'heavy' is not a number"),
        ({"weight_kg": "-20"}, "weight_kg '-20' is not a number of zero or more"),
        ({"weight_kg": "1,234"}, "weight_kg '1,234' is not a number"),
        ({"reps": "1,000"}, "reps '1,000' is not a whole number"),
        ({"weight_kg": "1e400"}, "weight_kg '1e400' is not a number"),
        ({"reps": "inf"}, "reps 'inf' is not a whole number"),
        ({"reps": "1e999"}, "reps '1e999' is not a whole number"),
        ({"reps": "8.5"}, "reps '8.5' is not a whole number"),
        ({"reps": "99999999999"}, "reps '99999999999' is not a whole number"),
        ({"duration_seconds": "90.5"}, "duration_seconds '90.5' is not a whole number"),
        ({"rpe": "0"}, "rpe '0' is not a number above zero"),
        ({"rpe": "-8"}, "rpe '-8' is not a number of zero or more"),
        ({"rpe": "9" * 16}, "is not a number of zero or more"),
        ({"exercise_title": " "}, "exercise_title is empty"),
        ({"start_time": ""}, "start_time '' is no date"),
        ({"start_time": "xyz"}, "start_time 'xyz' is no date"),
        ({"start_time": "30 Feb 2026, 18:02"}, "start_time '30 Feb 2026, 18:02' is no date"),
        ({"start_time": "1 Jan 0001, 00:00"}, "a time is out of the calendar"),
        ({"end_time": "4 Mar 2026, 18:01"}, "the end lies before the start"),
    ],
)
def test_an_unreadable_row_is_rejected_and_the_rest_of_its_workout_loads(
    cells: dict[str, str], reason: str
) -> None:
    content = hevy_export({}, cells, {"set_index": "1"})
    result = read(content)
    [rejected] = result.rejected
    assert reason in rejected.reason
    assert rejected.reason.startswith("Line 3: ")
    assert rejected.source_line == 3
    assert rejected.payload == content.decode().splitlines()[2]
    [workout] = workouts(result)
    assert len(sets_of(workout)) == 2


def test_a_workout_without_a_readable_row_is_absent() -> None:
    result = read(hevy_export({"reps": "?"}, {"reps": "!"}, {"title": "Other"}))
    assert [workout["title"] for workout in workouts(result)] == ["Other"]
    assert [rejected.source_line for rejected in result.rejected] == [2, 3]
