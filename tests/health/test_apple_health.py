"""Days of an Apple Health export: sleep by night, one app for each metric, units."""

import re
from datetime import date
from pathlib import Path

import pytest

from health_connector.apple_health import read_apple_health
from health_connector.days import HealthDay
from health_connector.errors import HealthFileError
from tests.health.apple_exports import (
    FAT,
    MASS,
    RESTING,
    SDNN,
    asleep,
    moment,
    record,
    write_large,
    xml,
)

TODAY = date(2026, 3, 10)
PHONE = "iPhone"


def days(folder: Path, *records: str) -> list[HealthDay]:
    path = folder / "export.xml"
    path.write_bytes(xml(*records))
    return list(read_apple_health(path, today=TODAY).days)


def values(folder: Path, *records: str) -> dict[int, dict[str, float]]:
    """Return the values by day of March."""
    return {each.day.day: dict(each.values) for each in days(folder, *records)}


def test_overlapping_sleep_is_united_and_belongs_to_the_day_of_waking_up(tmp_path: Path) -> None:
    """22:30 to 02:00 and 01:00 to 06:30 are 8 h; the nap at 15:00 adds 30 min."""
    assert values(
        tmp_path,
        asleep(moment("01 22:30"), moment("02 02:00")),
        asleep(moment("02 01:00"), moment("02 06:30"), "AsleepREM"),
        asleep(moment("01 22:00"), moment("02 07:00"), "InBed"),
        asleep(moment("02 03:00"), moment("02 03:20"), "Awake"),
        asleep(moment("02 15:00"), moment("02 15:30"), "AsleepUnspecified"),
        asleep(moment("02 22:00"), moment("02 23:30"), "AsleepCore"),
    ) == {2: {"sleep_minutes": 510}, 3: {"sleep_minutes": 90}}


def test_the_app_with_stages_is_preferred_then_the_longest_sleep(tmp_path: Path) -> None:
    assert values(
        tmp_path,
        asleep(moment("01 22:00"), moment("02 08:00"), "Asleep", source=PHONE),
        asleep(moment("01 23:00"), moment("02 06:00"), "AsleepDeep"),
        asleep(moment("02 22:00"), moment("03 06:00"), "AsleepUnspecified", source=PHONE),
        asleep(moment("02 23:00"), moment("03 05:00"), "AsleepUnspecified"),
    ) == {2: {"sleep_minutes": 420}, 3: {"sleep_minutes": 480}}


def test_the_zone_of_a_record_decides_its_day(tmp_path: Path) -> None:
    """The phone wrote the offset of Berlin; the athlete woke up at 05:30 in New York."""
    pulse = record(RESTING, 50, moment("03 04:00"), unit="count/min", zone="America/New_York")
    unknown = record(RESTING, 51, moment("05 04:00"), unit="count/min", zone="Nowhere/Here")
    assert values(tmp_path, pulse, unknown) == {2: {"resting_hr": 50}, 5: {"resting_hr": 51}}


def test_the_night_of_the_clock_change_has_its_real_length(tmp_path: Path) -> None:
    """22:00 to 07:00 summer time on 29 March 2026 are 8 h."""
    path = tmp_path / "export.xml"
    path.write_bytes(xml(asleep(moment("28 22:00"), moment("29 07:00", "+0200"))))
    [day] = read_apple_health(path, today=date(2026, 4, 1)).days
    assert (day.day, day.values) == (date(2026, 3, 29), {"sleep_minutes": 480})


def test_variability_is_the_mean_of_the_sleep_else_the_first_of_the_day(tmp_path: Path) -> None:
    def sdnn(value: float, at: str) -> str:
        return record(SDNN, value, moment(at), unit="ms")

    found = days(
        tmp_path,
        asleep(moment("01 22:00"), moment("02 06:00")),
        sdnn(90, "01 21:00"),
        sdnn(40, "01 23:30"),
        sdnn(45.25, "02 03:00"),
        sdnn(80, "02 12:00"),
        sdnn(70, "03 20:00"),
        sdnn(55, "04 07:00"),
        sdnn(65, "04 09:00"),
        sdnn(75, "05 19:00"),
    )
    assert [(each.day.day, each.values.get("hrv_ms"), each.hrv_method) for each in found] == [
        (2, 42.625, "sdnn"),
        (4, 55, "sdnn"),
    ]
    assert {each.source for each in found} == {"apple_health"}


def test_pulse_is_the_last_and_weight_the_first_of_the_day(tmp_path: Path) -> None:
    assert values(
        tmp_path,
        record(RESTING, 54, moment("02 00:00"), moment("02 22:00"), unit="count/min"),
        record(RESTING, 52, moment("02 00:00"), moment("02 12:00"), unit="count/min"),
        record(MASS, 83, moment("02 20:00"), unit="kg"),
        record(MASS, 82.5, moment("02 07:00"), unit="kg"),
        record(FAT, 0.185, moment("02 07:00"), unit="%"),
    ) == {2: {"resting_hr": 54, "weight_kg": 82.5, "body_fat_pct": 18.5}}


@pytest.mark.parametrize(
    ("unit", "value", "kilograms"), [("kg", 80, 80), ("lb", 200, 90.718474), ("g", 80500, 80.5)]
)
def test_weights_are_in_kilograms(
    tmp_path: Path, unit: str, value: float, kilograms: float
) -> None:
    """1 lb is 0.45359237 kg."""
    weight = record(MASS, value, moment("02 07:00"), unit=unit)
    assert values(tmp_path, weight) == {2: {"weight_kg": kilograms}}


def test_each_metric_of_a_day_is_of_the_app_with_most_days(tmp_path: Path) -> None:
    scale = [record(MASS, 80 + at, moment(f"0{at} 08:00"), unit="kg") for at in (2, 3)]
    others = [record(MASS, 70, moment(f"0{at} 07:00"), unit="kg", source="Diary") for at in (3,)]
    lonely = record(MASS, 71, moment("05 07:00"), unit="kg", source="Other")
    assert values(tmp_path, *others, *scale, lonely) == {
        2: {"weight_kg": 82},
        3: {"weight_kg": 83},
        5: {"weight_kg": 71},
    }


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        (record(MASS, 82, moment("02 07:00"), unit="st"), "unit 'st' of weight_kg is not kg or lb"),
        (record(MASS, "82,5", moment("02 07:00"), unit="kg"), "weight_kg '82,5' is not a number"),
        (record(MASS, 820, moment("02 07:00"), unit="kg"), "weight_kg 820 is not between 20 and"),
        (record(MASS, 82, "2040-01-02 07:00:00 +0100", unit="kg"), "or in the future"),
        (asleep(moment("02 07:00"), moment("02 06:00")), "sleep_minutes ends before it begins"),
        (asleep(moment("01 07:00"), moment("02 10:00")), "sleep_minutes 1620 is not between 0"),
    ],
    ids=["unit", "number", "limit", "future", "order", "long sleep"],
)
def test_an_impossible_value_is_kept_apart(tmp_path: Path, faulty: str, reason: str) -> None:
    found = days(tmp_path, faulty, record(RESTING, 51, moment("02 00:00"), unit="count/min"))
    assert [dict(each.values) for each in found if each.values] == [{"resting_hr": 51}]
    [value] = [one for each in found for one in each.impossible]
    assert reason in value.reason


def test_an_impossible_sample_is_not_averaged(tmp_path: Path) -> None:
    """40, 40, 40 and 900 ms were a mean of 255 ms, which is possible."""
    night = [40, 40, 900, 40]
    [day] = days(
        tmp_path,
        asleep(moment("01 22:00"), moment("02 06:00")),
        *(record(SDNN, value, moment(f"02 0{at}:00"), unit="ms") for at, value in enumerate(night)),
    )
    assert day.values == {"sleep_minutes": 480, "hrv_ms": 40}
    [value] = day.impossible
    assert (value.metric, value.text) == ("hrv_ms", "900")
    assert value.reason == f"Line {value.line}: hrv_ms 900 is not between 1 and 400."


def test_an_impossible_sample_does_not_hide_a_possible_one(tmp_path: Path) -> None:
    """A weight of 800 kg in the morning left the day without the one of the evening."""
    [day] = days(
        tmp_path,
        record(MASS, 800, moment("02 07:00"), unit="kg"),
        record(MASS, 80, moment("02 20:00"), unit="kg"),
        record(FAT, 0.2, moment("02 07:00"), unit="%"),
        record(FAT, 0.9, moment("02 06:00"), unit="%", source="Scale"),
        record(RESTING, 51, moment("02 12:00"), unit="count/min"),
        record(RESTING, 510, moment("02 22:00"), unit="count/min"),
    )
    assert day.values == {"weight_kg": 80, "body_fat_pct": 20, "resting_hr": 51}
    assert {one.metric: one.text for one in day.impossible} == {
        "weight_kg": "800",
        "body_fat_pct": "0.9",
        "resting_hr": "510",
    }


@pytest.mark.parametrize(
    "time",
    ["2026-03-02T07:00:00Z", "2026-02-30 07:00:00 +0100", "9999-12-31 23:00:00 +0100", ""],
)
def test_a_time_that_cannot_be_parsed_is_listed_and_the_rest_is_kept(
    tmp_path: Path, time: str
) -> None:
    """One such record ended the import of a whole export."""
    weight = record(MASS, 82, moment("02 07:00"), unit="kg").replace(moment("02 07:00"), time)
    reason = f"Line 15: startDate '{time}' is not a time such as 2026-03-01 07:10:00 +0100."
    with pytest.raises(HealthFileError, match=re.escape(f"nothing was imported. {reason}")):
        days(tmp_path, weight)
    path = tmp_path / "export.xml"
    path.write_bytes(xml(weight, record(MASS, 81, moment("03 07:00"), unit="kg")))
    found = read_apple_health(path, today=TODAY)
    assert [(each.day.day, each.values) for each in found.days] == [(3, {"weight_kg": 81})]
    assert found.unread == (reason,)
    # The unknown day may be any, so none is known to be gone.
    assert (found.is_complete, found.covered) == (False, frozenset())


def test_many_unreadable_times_are_counted(tmp_path: Path) -> None:
    faulty = record(MASS, 82, "yesterday", unit="kg")
    path = tmp_path / "export.xml"
    path.write_bytes(xml(record(MASS, 81, moment("03 07:00"), unit="kg"), *[faulty] * 1200))
    found = read_apple_health(path, today=TODAY)
    assert len(found.unread) == 1001
    assert found.unread[-1] == "200 more records have no time that can be parsed."


def test_two_devices_that_disagree_are_reported(tmp_path: Path) -> None:
    """Equal values of two apps, and one app with two values, are no disagreement."""
    scale = {"unit": "kg", "source": "Scale"}
    path = tmp_path / "export.xml"
    path.write_bytes(
        xml(
            record(MASS, 82, moment("02 07:00"), unit="kg"),
            record(MASS, 84, moment("02 07:01"), **scale),
            record(MASS, 82, moment("03 07:00"), unit="kg"),
            record(MASS, 82, moment("03 07:01"), **scale),
            record(MASS, 81, moment("04 07:00"), unit="kg"),
            record(MASS, 80, moment("04 20:00"), unit="kg"),
            asleep(moment("03 23:00"), moment("04 06:00")),
            asleep(moment("03 23:30"), moment("04 06:00"), source="Ring"),
            asleep(moment("04 23:00"), moment("05 06:00")),
        )
    )
    found = read_apple_health(path, today=TODAY)
    assert found.notes == (
        "sleep_minutes: apps disagree on 1 day; one that knows stages counts, then the one with "
        "most sleep.",
        "weight_kg: apps disagree on 1 day; 'Kim\u2019s Watch', which measured on most days, "
        "counts where it has a value.",
    )
    assert [each.values.get("weight_kg") for each in found.days] == [82, 82, 81, None]
    assert found.is_complete


def test_an_export_without_a_value_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HealthFileError, match="has no sleep, heart rate variability"):
        days(tmp_path, asleep(moment("01 22:00"), moment("02 06:00"), "InBed"))


def test_the_export_covers_the_metrics_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    path.write_bytes(xml(record(MASS, 82, moment("02 07:00"), unit="kg")))
    assert read_apple_health(path, today=TODAY).covered == {"weight_kg"}


def test_every_day_of_a_large_export_has_its_values(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    count = write_large(path, 4 << 20)
    found = read_apple_health(path, today=TODAY).days
    assert len(found) == count
    assert all(each.values["sleep_minutes"] == 480 for each in found)
    # The mean of 40, 41, 45, 46, 50, 51, 55 and 56.
    assert all(each.values["hrv_ms"] == 48 for each in found)
