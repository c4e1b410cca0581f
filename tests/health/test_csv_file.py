"""Plain CSV files of recovery data: values, impossible values and faults with their lines."""

import re
from datetime import date
from pathlib import Path

import pytest

from health_connector.csv_file import COLUMNS, HealthFile, read_health_csv
from health_connector.days import LIMITS, METRICS, HealthDay
from health_connector.errors import HealthFileError

TODAY = date(2026, 3, 10)


def read(text: str) -> HealthFile:
    return read_health_csv(text.encode(), today=TODAY)


def test_a_row_is_a_day_with_its_values() -> None:
    file = read(
        "date,sleep_minutes,hrv_ms,hrv_method,resting_hr,readiness,weight_kg,body_fat_pct\n"
        "2026-03-01,432,61.5,rMSSD,51,78,82.4,17\n"
        "2026-03-02,,,,52,,,\n"
    )
    assert file.covered == set(METRICS)
    assert file.days == (
        HealthDay(
            source="csv",
            day=date(2026, 3, 1),
            values={
                "sleep_minutes": 432,
                "hrv_ms": 61.5,
                "resting_hr": 51,
                "readiness": 78,
                "weight_kg": 82.4,
                "body_fat_pct": 17,
            },
            hrv_method="rmssd",
        ),
        HealthDay(source="csv", day=date(2026, 3, 2), values={"resting_hr": 52}),
    )


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffDate,Weight_kg\r\n2026-03-01,82.5\r\n",
        "date;weight_kg\n2026-03-01;82,5\n",
        "date\tweight_kg\n2026-03-01\t82,5\n",
        'date,weight_kg\n\n2026-03-01,"82.5"\n\n',
    ],
    ids=["byte order mark and CRLF", "semicolons", "tabs", "blank lines and quotes"],
)
def test_spreadsheets_write_the_same_values_differently(text: str) -> None:
    (day,) = read(text).days
    assert day.values == {"weight_kg": 82.5}


def test_a_row_names_its_source() -> None:
    file = read("date,source,resting_hr\n2026-03-01,Oura,51\n2026-03-01,garmin,53\n")
    assert [day.record_id for day in file.days] == ["oura/2026-03-01", "garmin/2026-03-01"]


def test_an_impossible_value_is_kept_apart_and_the_rest_of_its_day_stays() -> None:
    (day,) = read("date,resting_hr,weight_kg\n2026-03-01,510,82.4\n").days
    assert day.values == {"weight_kg": 82.4}
    (value,) = day.impossible
    assert (value.metric, value.text, value.line) == ("resting_hr", "510", 2)
    assert value.reason == "Line 2: resting_hr 510 is not between 20 and 150."


def test_an_impossible_variability_needs_no_method() -> None:
    (day,) = read("date,hrv_ms,hrv_method\n2026-03-01,-5,\n").days
    assert (day.values, day.hrv_method, len(day.impossible)) == ({}, None, 1)


def test_equal_rows_of_a_day_are_one() -> None:
    assert len(read("date,resting_hr\n2026-03-01,51\n2026-03-01,51\n").days) == 1


def test_columns_that_are_not_read_are_named() -> None:
    file = read("date,weight_kg,Mood\n2026-03-01,82,good\n")
    assert (file.ignored_columns, file.covered) == (("Mood",), {"weight_kg"})


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("01.03.2026,51,,", "Line 2: date '01.03.2026' is not a day such as 2026-03-01."),
        ("2026-02-30,51,,", "Line 2: date '2026-02-30' is not a day such as 2026-03-01."),
        ("2026-03-12,51,,", "Line 2: 2026-03-12 is before 1970 or in the future."),
        ("1969-12-31,51,,", "Line 2: 1969-12-31 is before 1970 or in the future."),
        ("2026-03-01,low,,", "Line 2: resting_hr 'low' is not a number."),
        ("2026-03-01,nan,,", "Line 2: resting_hr 'nan' is not a number."),
        ("2026-03-01,5e1,,", "Line 2: resting_hr '5e1' is not a number."),
        ("2026-03-01,51,60,", "Line 2: hrv_ms needs hrv_method, rmssd or sdnn"),
        ("2026-03-01,51,60,lf", "Line 2: hrv_method 'lf' is not rmssd or sdnn."),
        ("2026-03-01,51", "Line 2: 2 cells, but the header has 4."),
    ],
)
def test_a_fault_names_its_line_and_nothing_is_read(row: str, fault: str) -> None:
    with pytest.raises(HealthFileError) as caught:
        read(f"date,resting_hr,hrv_ms,hrv_method\n{row}\n2026-03-03,52,,\n")
    assert fault in str(caught.value)
    assert str(caught.value).startswith("Nothing was imported.")


def test_tomorrow_is_a_day_of_athletes_east_of_greenwich() -> None:
    assert len(read("date,resting_hr\n2026-03-11,51\n").days) == 1


def test_two_rows_of_a_day_may_not_disagree() -> None:
    with pytest.raises(HealthFileError, match="Line 3: 2026-03-01 of csv has other values in line"):
        read("date,resting_hr\n2026-03-01,51\n2026-03-01,52\n")


def test_all_faults_of_a_file_are_counted() -> None:
    rows = "".join(f"2026-02-{day:02},x\n" for day in range(1, 13))
    with pytest.raises(HealthFileError) as caught:
        read(f"date,resting_hr\n{rows}")
    assert len(caught.value.problems) == 12
    assert "2 more lines have faults" in str(caught.value)


@pytest.mark.parametrize("source", ["intervals", "hevy", "my watch!"])
def test_a_file_cannot_speak_for_a_connector(source: str) -> None:
    with pytest.raises(HealthFileError, match=r"source '.*' is not allowed"):
        read(f"date,source,resting_hr\n2026-03-01,{source},51\n")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no header"),
        (b"day,weight\n1,2\n", "no header"),
        (b"date,mood\n2026-03-01,2\n", "no header"),
        (b"date,weight_kg\n", "no days"),
        (b"date,weight_kg,weight_kg\n2026-03-01,1,2\n", "there twice"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'date,weight_kg\n2026-03-01,"82\n', "not valid CSV"),
        (b"PK\x03\x04\x00", "no header"),
    ],
)
def test_what_is_no_health_file_is_refused(content: bytes, fault: str) -> None:
    with pytest.raises(HealthFileError, match=fault):
        read_health_csv(content, today=TODAY)


def test_the_documented_file_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "health.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```csv\n(.*?)^```", page, flags=re.M | re.S)
    file = read(example)
    assert set(example.splitlines()[0].split(",")) == set(COLUMNS)
    assert (len(file.days), file.ignored_columns) == (2, ())
    for metric, (least, greatest) in LIMITS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{metric}`"))
        assert row.endswith(f"| {least} to {greatest} |")
