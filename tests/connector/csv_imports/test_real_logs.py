"""Real training logs, on machines that have them."""

import time
from collections import Counter

import pytest

from hevy_connector.csv_imports.dialects import Unit
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import (
    BERLIN,
    HEVY_COLUMNS,
    UTC,
    all_sets,
    hevy_export,
    read,
    real_log,
    workouts,
)

FERREIRA = "hevy-ferreira-mit/hevy_workouts_raw.csv"
CHINESE = "strong-dericmei-zh/strong.csv"


@pytest.mark.parametrize(
    ("name", "unit", "dialect", "workout_count", "row_count", "copy_count"),
    [
        (FERREIRA, None, "Hevy (kg, km)", 501, 9542, 0),
        ("hevy-mouadja02/workout_data.csv", None, "Hevy (kg, km)", 17, 330, 0),
        ("strong-breinsp/strong.csv", "kg", "Strong, commas", 129, 2078, 0),
        (CHINESE, "lb", "Strong, commas, Chinese header", 384, 6778, 433),
        ("strong-ysmath/strong_workouts.csv", "kg", "Strong, commas", 37, 666, 0),
    ],
)
def test_a_real_log_loads_whole(
    name: str,
    unit: Unit | None,
    dialect: str,
    workout_count: int,
    row_count: int,
    copy_count: int,
) -> None:
    result = read(real_log(name), BERLIN, unit)
    assert (result.dialect, result.rejected, result.attached) == (dialect, (), ())
    assert (len(result.workouts), result.rows_read) == (workout_count, row_count)
    assert len(result.repeated) == copy_count
    assert len(all_sets(result)) == row_count - copy_count


@pytest.mark.parametrize(
    "name", ["strong-breinsp/strong.csv", CHINESE, "strong-ysmath/strong_workouts.csv"]
)
def test_a_real_log_without_units_asks_for_the_weight_and_only_for_it(name: str) -> None:
    with pytest.raises(CsvFormatError, match="--weight-unit kg or --weight-unit lb") as error:
        read(real_log(name))
    assert ("suggests lb" in str(error.value)) == (name == CHINESE)


def test_the_long_log_keeps_its_types_and_gaps() -> None:
    result = read(real_log(FERREIRA))
    loaded = all_sets(result)
    assert Counter(one["type"] for one in loaded) == {
        "normal": 7303,
        "failure": 2149,
        "dropset": 76,
        "warmup": 14,
    }
    assert sum(one["weight_kg"] is None for one in loaded) == 708
    assert sum(one["reps"] is None for one in loaded) == 333
    assert sum(len(workout["exercises"]) for workout in workouts(result)) == len(
        {
            (workout["id"], one["title"])
            for workout in workouts(result)
            for one in workout["exercises"]
        }
    )
    assert [flag.reason for flag in result.flags] == ["111 repetitions is implausible"]


def test_weights_that_were_converted_to_pounds_are_the_kilograms_that_were_entered() -> None:
    weights = {one["weight_kg"] for one in all_sets(read(real_log(CHINESE), UTC, "lb"))} - {None}
    entered = {kg for kg in weights if round(kg, 2) == kg}
    # The lifter changed to pounds one day: the others have two decimals in pounds.
    for kg in weights - entered:
        pounds = kg / 0.45359237
        assert pounds == pytest.approx(round(pounds, 2), abs=1e-9)
    assert {20, 30, 50, 70, 85} <= entered


def test_every_duplicate_workout_is_read_once() -> None:
    result = read(real_log(CHINESE), UTC, "lb")
    firsts = [
        one
        for one in result.repeated
        if one.line - 1 not in {each.line for each in result.repeated}
    ]
    assert len(firsts) == 29


def test_warm_ups_and_the_sets_of_equal_number_are_all_kept() -> None:
    result = read(real_log("strong-ysmath/strong_workouts.csv"), UTC, "kg")
    assert Counter(one["type"] for one in all_sets(result)) == {"warmup": 162, "normal": 504}
    [short] = [flag.reason for flag in result.flags]
    assert short == "the workout lasted 11 seconds"


def test_a_broken_row_in_a_real_log_costs_one_set() -> None:
    lines = real_log(FERREIRA).decode().split("\n")
    # A row of one line between two others: its closing quotation mark and all after it are lost.
    at = next(
        at
        for at in range(len(lines) // 2, len(lines))
        if all(line.count(",") == 15 and line[0] == '"' for line in lines[at - 1 : at + 2])
    )
    lines[at] = lines[at][:40]
    assert lines[at].count('"') % 2 == 1
    result = read("\n".join(lines))
    assert [one.source_line for one in result.rejected] == [at + 1]
    assert len(all_sets(result)) == 9541


def test_a_real_log_without_quotation_marks_keeps_its_unambiguous_rows() -> None:
    original = read(real_log(FERREIRA))
    lost = read(real_log(FERREIRA).decode().replace('"', ""))
    assert len(all_sets(lost)) > 0.75 * len(all_sets(original))
    assert {one["weight_kg"] for one in all_sets(lost)} <= {
        one["weight_kg"] for one in all_sets(original)
    }


@pytest.mark.long
def test_twenty_thousand_rows_are_read_in_seconds() -> None:
    rows = [
        {
            "title": f"Day {day}",
            "start_time": f"{1 + day % 28} Mar {1990 + day // 28}, 18:02",
            "end_time": f"{1 + day % 28} Mar {1990 + day // 28}, 19:01",
            "exercise_title": f"Exercise {exercise}",
            "set_index": str(index),
        }
        for day in range(1000)
        for exercise in range(5)
        for index in range(4)
    ]
    content = hevy_export(*rows, columns=HEVY_COLUMNS)
    began = time.process_time()
    result = read(content)
    assert result.rows_read == 20_000
    # About one second on a small machine; the limit only detects quadratic growth.
    assert time.process_time() - began < 10
