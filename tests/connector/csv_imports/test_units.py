"""Units come from the file or the option and are never assumed."""

from typing import Any

import pytest

from hevy_connector.csv_imports.dialects import Unit
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import (
    S1,
    UTC,
    all_sets,
    hevy_export,
    read,
    renamed,
    strong_export,
)

S2 = (
    "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE;Distance;"
    "Distance Unit;Seconds;Notes;Workout Notes;Workout Duration"
)
S4 = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes"


def weights(content: bytes | str, unit: Unit | None) -> list[Any]:
    return [one["weight_kg"] for one in all_sets(read(content, UTC, unit))]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(strong_export('"Squat",1,100.0,5,0,0,,,'), id="S1"),
        pytest.param(f'{S4}\n2018-05-06 19:00:00,"A","Squat",1,100,8,0,0,"",""', id="S4"),
    ],
)
def test_a_file_without_a_unit_asks_for_it(content: str) -> None:
    with pytest.raises(CsvFormatError, match="--weight-unit kg or --weight-unit lb") as error:
        read(content)
    assert "line 2" in str(error.value)
    assert weights(content, "kg") == [100]
    assert weights(content, "lb") == [45.359237]


def test_weights_of_zero_need_no_unit() -> None:
    assert weights(strong_export('"Dip",1,0.0,5,0,0,,,', '"Dip",2,,5,0,0,,,'), None) == [None, None]


def test_only_a_distance_that_is_not_zero_asks_for_its_unit() -> None:
    content = strong_export('"Run",1,0,0,2.5,810,,,')
    with pytest.raises(CsvFormatError, match="--distance-unit km or --distance-unit mi"):
        read(content)
    [in_km] = all_sets(read(content, UTC, None, "km"))
    [in_miles] = all_sets(read(content, UTC, None, "mi"))
    assert (in_km["distance_meters"], in_miles["distance_meters"]) == (2500, 4023.36)


@pytest.mark.parametrize(
    ("weight", "hint"),
    [
        pytest.param("44.09245243697551", "suggests lb: .* lb is 20 kg converted", id="20 kg"),
        pytest.param("159.17375329748162", "suggests lb: .* lb is 72.2 kg", id="72.2 kg"),
        pytest.param("102.05828325", "suggests kg: .* kg is 225 lb converted", id="225 lb"),
    ],
)
def test_a_converted_float_suggests_the_unit(weight: str, hint: str) -> None:
    with pytest.raises(CsvFormatError, match=f"Line 3 {hint}"):
        read(strong_export('"Squat",1,60,5,0,0,,,', f'"Squat",2,{weight},5,0,0,,,'))


@pytest.mark.parametrize(
    ("weight", "unit", "expected_kg"),
    [
        pytest.param("44.09245243697551", "lb", 20, id="20 kg in pounds"),
        pytest.param("187.39292285714595", "lb", 85, id="85 kg in pounds"),
        pytest.param("185.00000000000003", "lb", 83.91458845, id="185 lb with noise"),
        pytest.param("37.49999999999999", "lb", 17.009713875, id="37.5 lb with noise"),
        pytest.param("102.05828325", "kg", 102.05828325, id="225 lb in kilograms"),
        pytest.param("79.99999999999999", "kg", 80, id="80 kg with noise"),
        pytest.param("33.07", "lb", 15.0002996759, id="two decimals are what they are"),
        pytest.param("12.3456789", "kg", 12.3456789, id="a float near nothing"),
        pytest.param("0.0000001", "kg", 1e-7, id="next to nothing"),
    ],
)
def test_a_converted_float_is_what_was_entered(weight: str, unit: Unit, expected_kg: float) -> None:
    assert weights(strong_export(f'"Squat",1,{weight},5,0,0,,,'), unit) == [expected_kg]


def test_a_unit_that_the_numbers_speak_against_is_used_and_flagged() -> None:
    content = strong_export('"Squat",1,60,5,0,0,,,', '"Squat",2,44.09245243697551,5,0,0,,,')
    result = read(content, UTC, "kg")
    assert [(flag.line, flag.reason) for flag in result.flags] == [
        (3, "the weights were read in kg, but 44.09245243697551 lb is 20 kg converted")
    ]
    assert read(content, UTC, "lb").flags == ()


def test_each_row_may_name_its_own_unit() -> None:
    rows = [
        '2024-01-09 07:30:00;"Pull";"Row";1;50;kg;10;;;;0;"";"";44m',
        '2024-01-09 07:30:00;"Pull";"Row";2;100;lbs;10;;;;0;"";;44m',
        '2024-01-09 07:30:00;"Pull";"Row";3;50,5;kg;10;;;;0;"";;44m',
        '2024-01-09 07:30:00;"Pull";"Run";1;;;;;2;miles;1140;"";;44m',
        '2024-01-09 07:30:00;"Pull";"Row";4;50;stone;10;;;;0;"";;44m',
        '2024-01-09 07:30:00;"Pull";"Row";5;50;;10;;;;0;"";;44m',
    ]
    content = "\n".join([S2, *rows])
    result = read(content)
    assert [(one["weight_kg"], one["distance_meters"]) for one in all_sets(result)] == [
        (50, None),
        (45.359237, None),
        (50.5, None),
        (None, 3218.688),
    ]
    assert [one.reason for one in result.rejected] == [
        "Line 6: Weight Unit 'stone' is no unit; known are kg, lb.",
        "Line 7: Weight '50' has no unit.",
    ]
    # The option applies only to rows without a unit.
    assert weights(content, "lb") == [50, 45.359237, 50.5, None, 22.6796185]


@pytest.mark.parametrize(
    ("header", "expected_kg"),
    [
        (S1.replace("Weight", "Weight (lbs)"), 45.359237),
        (S1.replace("Weight", "Weight (kg)"), 100),
        (S1.replace("Weight", "lb"), 45.359237),
        (S1.replace("Weight", "Weight [KGS]"), 100),
        (S1.replace("Weight", "Weight\uff08kg\uff09"), 100),
        (S1.replace("Weight", "Weight kg"), 100),
        (S1.replace("Weight", "weight_lbs"), 45.359237),
        (S1.replace("Weight", "Weight - Pounds"), 45.359237),
        (S1.replace("Weight", "Weight in lb."), 45.359237),
        (S1.replace("Weight", '"Weight, kilograms"'), 100),
    ],
)
def test_a_header_names_the_unit_of_every_row(header: str, expected_kg: float) -> None:
    assert weights(strong_export('"Squat",1,100,5,0,0,,,', header=header), None) == [expected_kg]


@pytest.mark.parametrize(
    ("column", "right", "wrong"), [("weight_kg", "kg", "lb"), ("weight_lbs", "lb", "kg")]
)
def test_a_unit_against_the_header_is_refused(column: str, right: Unit, wrong: Unit) -> None:
    content = hevy_export({column: "100"}, columns=renamed("weight_kg", column))
    assert weights(content, right) == weights(content, None)
    with pytest.raises(CsvFormatError, match=f"names the unit of weight .{column}."):
        read(content, UTC, wrong)


FITNOTES_ANDROID = "Date,Exercise,Category,Weight,Weight Unit,Reps"
FITNOTES_IOS = "Date,Exercise,Category,Weight (kg),Weight (lbs),Reps"


@pytest.mark.parametrize(
    ("content", "is_in_pounds"),
    [
        pytest.param(f"{FITNOTES_ANDROID}\n2026-03-02,Squat,Legs,225,lbs,5", True, id="row in lb"),
        pytest.param(f"{FITNOTES_ANDROID}\n2026-03-02,Squat,Legs,100,kgs,5", False, id="row in kg"),
        pytest.param(
            f"{FITNOTES_ANDROID}\n2026-03-02,Squat,Legs,0,kgs,9\n2026-03-02,Squat,Legs,0,kgs,9\n"
            "2026-03-02,Squat,Legs,225,lbs,5",
            True,
            id="rows without load do not count",
        ),
        pytest.param(
            f"{FITNOTES_IOS}\n2026-03-02,Squat,Legs,102.06,225.00,5", True, id="rounder in lb"
        ),
        pytest.param(
            f"{FITNOTES_IOS}\n2026-03-02,Squat,Legs,100.00,220.46,5", False, id="rounder in kg"
        ),
        pytest.param(f'{S2}\n2026-03-02 18:00:00;"A";"Squat";1;225;lbs;5;;;;;;;50m', True, id="S2"),
    ],
)
def test_the_rows_of_a_file_may_name_pounds(content: str, *, is_in_pounds: bool) -> None:
    """A file with a unit in each row led to a profile in kilograms: 85 lb was 38.56 kg."""
    assert read(content).is_in_pounds is is_in_pounds
