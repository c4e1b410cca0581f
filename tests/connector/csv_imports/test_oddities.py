"""Implausible values are loaded and flagged; nothing is changed or dropped."""

import pytest

from tests.connector.csv_imports.exports import (
    all_sets,
    hevy_export,
    only_set,
    read,
    read_strong,
    strong_export,
)


def flags(*rows: dict[str, str]) -> list[tuple[int, str]]:
    return [(flag.line, flag.reason) for flag in read(hevy_export(*rows)).flags]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"reps": "5366"}, "5,366 repetitions is implausible"),
        ({"reps": "111"}, "111 repetitions is implausible"),
        ({"weight_kg": "725"}, "725 kg is implausible"),
        ({"distance_km": "518"}, "518,000 m is implausible"),
        ({"duration_seconds": "36000"}, "36,000 s in one set is implausible"),
        ({"weight_kg": "", "reps": ""}, "the set holds no number"),
        ({"reps": "0"}, "0 repetitions: an attempt that failed, or an empty set"),
        ({"end_time": "4 Mar 2026, 18:02"}, "the workout lasted 0 seconds"),
        ({"end_time": "5 Mar 2026, 18:02"}, "the workout lasted 24.0 hours"),
        ({"end_time": "10 Mar 2026, 18:02"}, "the workout lasted 144.0 hours"),
    ],
)
def test_what_can_hardly_be_true_is_loaded_and_named(cells: dict[str, str], reason: str) -> None:
    assert flags(cells) == [(2, reason)]
    one = only_set(cells)
    for column, field in (("reps", "reps"), ("weight_kg", "weight_kg")):
        if cells.get(column):
            assert one[field] == int(cells[column])


def test_an_implausible_weight_is_named_in_the_unit_of_the_file() -> None:
    found = read(strong_export("Leg Press,1,1350,12,0,0,,,"), weight_unit="lb")
    assert [flag.reason for flag in found.flags] == ["1,350 lb is implausible"]


@pytest.mark.parametrize(
    "cells",
    [
        {"reps": "100"},
        {"weight_kg": "600"},
        {"weight_kg": "", "reps": "12"},
        {"weight_kg": "", "reps": "", "duration_seconds": "60"},
        {"weight_kg": "", "reps": "0", "duration_seconds": "60"},
        {"end_time": "5 Mar 2026, 00:30"},
    ],
)
def test_what_people_do_is_not_named(cells: dict[str, str]) -> None:
    assert flags(cells) == []


def test_a_workout_that_begins_during_another_is_named() -> None:
    spans = [("18:00", "19:00"), ("18:30", "18:45"), ("19:00", "20:00"), ("18:50", "19:30")]
    rows = [
        {"start_time": f"4 Mar 2026, {start}", "end_time": f"4 Mar 2026, {end}"}
        for start, end in spans
    ]
    assert flags(*rows) == [
        (3, "the workout begins before the one of line 2 has ended"),
        (4, "the workout begins before the one of line 5 has ended"),
        (5, "the workout begins before the one of line 2 has ended"),
    ]


def test_a_log_that_was_left_running_does_not_name_all_that_follow() -> None:
    running = {"end_time": "10 Mar 2026, 18:02"}
    later = {"start_time": "6 Mar 2026, 18:00", "end_time": "6 Mar 2026, 19:00"}
    assert [line for line, _ in flags(running, later)] == [2]


def test_a_workout_without_an_end_is_not_judged_by_its_length() -> None:
    header = "Date,Workout Name,Exercise Name,Set Order,kg,Reps,km,Seconds,Notes"
    assert read_strong(f'{header}\n2015-05-06 20:15:08,"A","Squat",0,60,8,0,0,""').flags == ()


@pytest.mark.parametrize(
    ("duration", "reason"),
    [("11s", "11 seconds"), ("20h 2m", "20.0 hours"), ("48h 40m", "48.7 hours")],
)
def test_implausible_durations_of_strong_are_named(duration: str, reason: str) -> None:
    content = strong_export('"Squat",1,60,5,0,0,,,').replace(",1h,", f",{duration},")
    assert [flag.reason for flag in read_strong(content).flags] == [f"the workout lasted {reason}"]


@pytest.mark.parametrize("rpe", [11, 10.5, 6.3, 3])
def test_an_rpe_that_no_app_offers_is_loaded_and_named(rpe: float) -> None:
    for result in (
        read(hevy_export({"rpe": str(rpe)})),
        read_strong(strong_export(f'"Squat",1,60,5,0,0,,,{rpe}')),
    ):
        assert [one["rpe"] for one in all_sets(result)] == [rpe]
        assert [(flag.line, flag.reason) for flag in result.flags] == [
            (2, f"neither Hevy nor Strong offers an RPE of {rpe}")
        ]


@pytest.mark.parametrize("rpe", ["6", "6.5", "9.5", "10"])
def test_an_rpe_that_an_app_offers_is_not_named(rpe: str) -> None:
    assert flags({"rpe": rpe}) == []
