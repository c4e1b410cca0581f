"""FitNotes' spreadsheet exports of Android and iOS, and the spellings of units."""

import pytest

from hevy_connector.csv_imports.unit_words import SPELLINGS, local_unit_words
from tests.connector.csv_imports.exports import BERLIN, S1, UTC, all_sets, blocks, read, workouts

ANDROID = """\
Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment
2025-07-22,Flat Barbell Bench Press,Chest,80.0,kgs,5,,,,"slow, paused"
2025-07-22,Flat Barbell Bench Press,Chest,80.0,kgs,5,,,,
2025-07-22,Flat Barbell Bench Press,Chest,135.0,lbs,8,,,,
2025-07-22,Plank,Abs,0,kgs,0,,,0:01:30,
2025-07-24,Running,Cardio,,,,2.5,km,0:14:05,
2025-07-24,Running,Cardio,,,,1.0,mi,,
"""
IOS = """\
Date,Exercise,Category,Weight (kg),Weight (lbs),Reps,Distance,Distance Unit,Time,Notes,Kind
2024-11-02,Barbell Squat,Legs,40.00,88.18,8,,,,,wr
2024-11-02,Barbell Squat,Legs,61.23,135.00,5,,,,belt,wr
2024-11-02,Barbell Squat,Legs,,225.00,3,,,,,wr
2024-11-02,Crunch,Abs,0.00,0.00,35,,,,,wr
2024-11-02,Sled,Legs,50.00,110.23,,20,yd,00:45,,wd
"""


def test_an_android_export_has_a_workout_for_each_day() -> None:
    result = read(ANDROID, BERLIN)
    assert (result.app, result.rows_read, result.rejected) == ("FitNotes", 6, ())
    assert result.repeated == ()
    chest, cardio = workouts(result)
    # Noon in Berlin is 10:00 UTC in summer.
    assert chest["start_time"] == "2025-07-22T10:00:00+00:00"
    assert (chest["end_time"], chest["title"]) == (None, "Workout")
    assert [
        (one["weight_kg"], one["reps"], one["duration_seconds"], one["distance_meters"])
        for one in all_sets(result)
    ] == [
        (80, 5, None, None),
        (80, 5, None, None),
        # 135 * 0.45359237
        (61.23496995, 8, None, None),
        (None, None, 90, None),
        (None, None, 845, 2500),
        (None, None, None, 1609.344),
    ]
    assert chest["exercises"][0]["notes"] == "slow, paused"
    assert [one["title"] for one in cardio["exercises"]] == ["Running"]


def test_an_ios_export_uses_the_unit_of_entry() -> None:
    result = read(IOS, UTC)
    assert [(one["weight_kg"], one["reps"]) for one in all_sets(result)] == [
        (40, 8),
        (61.23496995, 5),
        # 225 * 0.45359237
        (102.05828325, 3),
        (None, 35),
        (50, None),
    ]
    sled = all_sets(result)[-1]
    # 20 * 0.9144
    assert (sled["distance_meters"], sled["duration_seconds"]) == (18.288, 45)
    assert blocks(result)[0] == ("Barbell Squat", ["normal"] * 3)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2024-11-02,Squat,Legs,40.00,140.00,8,,,,,wr", "are different weights"),
        ("2024-11-02,Squat,Legs,,,8,,,soon,,wr", "Time 'soon' is no duration"),
        ("2024-11-02,Squat,Legs,,,8,3,parsec,,,wr", "Distance Unit 'parsec' is no unit"),
        ("2024-11-02,,Legs,,,8,,,,,wr", "Exercise is empty"),
        ("soon,Squat,Legs,,,8,,,,,wr", "Date 'soon' is no date"),
    ],
)
def test_an_unreadable_row_is_rejected_alone(row: str, reason: str) -> None:
    result = read(IOS + row, UTC)
    [rejected] = result.rejected
    assert reason in rejected.reason
    assert rejected.source_line == 7
    assert len(all_sets(result)) == 5


@pytest.mark.parametrize(
    ("spelling", "kg"),
    [
        ("kg", 100),
        ("KGs", 100),
        ("Kilograms", 100),
        ("kg.", 100),
        ("lb", 45.359237),
        ("LBS.", 45.359237),
        ("Pounds", 45.359237),
        ("килограммы", 100),
        ("ポンド", 45.359237),
        ("quilogramas", 100),
    ],
)
def test_a_unit_is_read_in_each_spelling(spelling: str, kg: float) -> None:
    header = S1.replace("Weight", f"Weight ({spelling})").replace("Distance", "Distance (Meters)")
    in_header = read(f'{header}\n2025-04-02 18:10:45,"A",1h,"Squat",1,100,5,20,0,,,', UTC)
    [one] = all_sets(in_header)
    assert (one["weight_kg"], one["distance_meters"]) == (kg, 20)
    columns = "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE;Distance;"
    in_row = read(
        f"{columns}Distance Unit;Seconds;Notes;Workout Notes\n"
        f'2025-04-02 18:10:45;"A";"Squat";1;100;{spelling};5;;;;0;;',
        UTC,
    )
    assert all_sets(in_row)[0]["weight_kg"] == kg


def test_every_spelling_has_one_unit() -> None:
    words = [word for spelled in SPELLINGS.values() for word in spelled.split()]
    assert len({*words}) == len(words)
    local = local_unit_words()
    assert all(
        local.get(word, unit) == unit for unit, ws in SPELLINGS.items() for word in ws.split()
    )
