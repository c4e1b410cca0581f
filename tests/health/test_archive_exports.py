"""Exports of Garmin and Strava, and FIT files: units, days, faults; what is damaged is listed."""

import gzip
import json
import zipfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest
from garmin_fit_sdk import Encoder, Profile

from health_connector.days import HealthDay
from health_connector.errors import HealthFileError
from health_connector.fit_file import is_fit_archive, read_fit
from health_connector.garmin_export import is_garmin_export, read_garmin_export
from health_connector.landing import land_file
from health_connector.strava_export import is_strava_table, read_strava_export
from hevy_connector.raw.tables import create_raw_tables
from tests.health.accounts import stored_days

TODAY = date(2026, 3, 10)
BERLIN = ZoneInfo("Europe/Berlin")
WELLNESS = "id/DI_CONNECT/DI-Connect-Wellness/"


def zipped(path: Path, files: dict[str, bytes | str | list[Any]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, json.dumps(content) if isinstance(content, list) else content)
    return path


def ms(text: str) -> int:
    return int(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


# ---- Garmin


def test_the_files_of_garmin_are_one_day_and_their_units_are_converted(tmp_path: Path) -> None:
    export = zipped(
        tmp_path / "garmin.zip",
        {
            f"{WELLNESS}2026_1_sleepData.json": [
                {
                    "calendarDate": "2026-03-01",
                    "deepSleepSeconds": 5_400,
                    "lightSleepSeconds": 14_400,
                    "remSleepSeconds": 5_460,
                },
                {"calendarDate": "2026-03-01", "deepSleepSeconds": 600},  # a nap
                {"calendarDate": "2026-03-02", "deepSleepSeconds": 0, "lightSleepSeconds": None},
                {"deepSleepSeconds": 5_400},
                {"calendarDate": "2030-01-01", "deepSleepSeconds": 5_400},
            ],
            f"{WELLNESS}2026_1_healthStatusData.json": [
                {
                    "calendarDate": "2026-03-01",
                    "metrics": [{"type": "HR", "value": 55}, {"type": "HRV", "value": 62}],
                },
                {
                    "calendarDate": "2026-03-02",
                    "metrics": [{"type": "HRV", "value": 0, "status": "UNKNOWN"}],
                },
            ],
            f"{WELLNESS}1_userBioMetrics.json": [
                {
                    "metaData": {"calendarDate": "2026-03-01T00:00:00.0"},
                    "weight": {"weight": 82_400.0},
                }
            ],
            "DI_CONNECT/DI-Connect-Aggregator/UDSFile_2026.json": [
                {"calendarDate": "2026-03-01", "restingHeartRate": 51},
                {"calendarDate": "2026-03-02", "restingHeartRate": 510},
                {"calendarDate": "2026-03-03", "hydration": 3},
            ],
        },
    )
    file = read_garmin_export(export, today=TODAY)
    values = {"sleep_minutes": 421, "hrv_ms": 62, "resting_hr": 51, "weight_kg": 82.4}
    first, second = file.days
    assert first == HealthDay("garmin_export", date(2026, 3, 1), values, "rmssd")
    assert (second.values, [one.metric for one in second.impossible]) == ({}, ["resting_hr"])
    assert file.unread == (
        "2026_1_sleepData.json: 1 rows have no date.",
        "2026_1_sleepData.json: 1 rows are before 1970 or in the future.",
    )


def test_an_activity_of_garmin_has_the_local_day_only_of_a_possible_offset(tmp_path: Path) -> None:
    rows = [
        {
            "activityId": 1,
            "activityType": "trail_running",
            "beginTimestamp": ms("2026-03-01 23:30:00"),
            "startTimeLocal": ms("2026-03-02 00:30:00"),
            "duration": 3_600_000.0,
            "movingDuration": 3_570_000.0,
            "distance": 1_002_500.0,
            "avgHr": 141.0,
            "activityTrainingLoad": 120.4,
        },
        {
            "activityId": 2,
            "activityType": "cycling",
            "startTimeGmt": ms("2026-03-02 10:00:00"),
            "startTimeLocal": ms("2026-03-05 10:00:00"),
        },
        {"activityId": 3, "activityType": "cycling"},
    ]
    export = zipped(
        tmp_path / "garmin.zip",
        {
            "DI-Connect-Fitness/a_0_summarizedActivities.json": [
                {"summarizedActivitiesExport": rows}
            ]
        },
    )
    file = read_garmin_export(export, today=TODAY)
    run, ride = file.sessions
    assert run.payload == {
        "source": "garmin_export",
        "session_id": "1",
        "started_at": "2026-03-01T23:30:00Z",
        "sport": "trail_running",
        "local_date": "2026-03-02",
        "duration_minutes": 59.5,
        "distance_m": 10_025,
        "average_hr": 141,
        "vendor_load": 120.4,
    }
    assert (ride.local_date, ride.values) == (None, {})
    assert file.unread == ("a_0_summarizedActivities.json: 1 rows have no start.",)


def test_a_damaged_file_of_an_export_is_listed_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = [{"calendarDate": "2026-03-01", "deepSleepSeconds": 25_200}]
    bomb = b"[" + bytes(1 << 25)
    export = zipped(
        tmp_path / "garmin.zip",
        {
            f"{WELLNESS}1_sleepData.json": good,
            f"{WELLNESS}2_sleepData.json": json.dumps(good)[:-9],
            f"{WELLNESS}3_sleepData.json": bomb,
        },
    )
    file = read_garmin_export(export, today=TODAY)
    assert [(day.day, dict(day.values)) for day in file.days] == [
        (date(2026, 3, 1), {"sleep_minutes": 420})
    ]
    assert file.unread[0] == "2_sleepData.json is no JSON; it may be truncated."
    assert "as a zip bomb does" in file.unread[1]
    truncated = tmp_path / "half.zip"
    truncated.write_bytes(export.read_bytes()[:-60])
    with pytest.raises(HealthFileError, match="The zip is damaged"):
        read_garmin_export(truncated, today=TODAY)
    with pytest.raises(HealthFileError, match="no days and no activities"):
        read_garmin_export(zipped(tmp_path / "e.zip", {"1_sleepData.json": []}), today=TODAY)


ODD = (5, -1, 10**400, "x", "", True, None, [], [5], [None], {}, {"a": 1}, {"weight": 10**400})


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("1_sleepData.json", {"calendarDate": "2026-03-01", "deepSleepSeconds": 25_200}),
        (
            "1_healthStatusData.json",
            {"calendarDate": "2026-03-01", "metrics": [{"type": "HRV", "value": 62}]},
        ),
        (
            "1_userBioMetrics.json",
            {"metaData": {"calendarDate": "2026-03-01"}, "weight": {"weight": 82_400}},
        ),
        ("UDSFile_1.json", {"calendarDate": "2026-03-01", "restingHeartRate": 51}),
        (
            "a_summarizedActivities.json",
            {
                "activityId": 1,
                "activityType": "running",
                "beginTimestamp": ms("2026-03-01 10:00:00"),
                "startTimeLocal": ms("2026-03-01 11:00:00"),
                "duration": 3_600_000,
                "distance": 1_000_000,
                "avgHr": 141,
            },
        ),
    ],
)
def test_no_damaged_row_of_garmin_ends_the_import(
    tmp_path: Path, name: str, good: dict[str, Any]
) -> None:
    """One value of another type ended it with a TypeError, a huge one with an OverflowError."""
    damaged: list[Any] = [{**good, field: odd} for field in good for odd in ODD]
    export = zipped(tmp_path / "garmin.zip", {f"DI_CONNECT/{name}": [*damaged, *ODD, good]})
    with zipfile.ZipFile(export) as archive:
        assert is_garmin_export(archive)
    alone = read_garmin_export(
        zipped(tmp_path / "alone.zip", {f"DI_CONNECT/{name}": [good]}), today=TODAY
    )
    file = read_garmin_export(export, today=TODAY)
    assert {day.day: day.values for day in alone.days}.items() <= {
        day.day: day.values for day in file.days
    }.items()
    assert all(one in file.sessions for one in alone.sessions)
    assert file.unread


# ---- Strava

HEADER = (
    "Activity ID,Activity Date,Activity Name,Activity Type,Elapsed Time,Distance,Max Heart Rate,"
    "Relative Effort,Elapsed Time,Moving Time,Distance,Max Heart Rate,Average Heart Rate,"
    "Perceived Exertion\n"
)
RIDE = '9,"Mar 1, 2026, 6:12:33\u202fPM","Ride, long",VirtualRide,4000,30.25,171,70,'
RIDE += "4000.0,3570.0,30250.5,171.0,,6.0\n"


def test_the_second_column_of_a_name_of_strava_has_the_value(tmp_path: Path) -> None:
    assert is_strava_table(HEADER.encode())
    assert not is_strava_table(b"date,weight_kg\n")
    name = "export_1/activities.csv"
    export = zipped(tmp_path / "strava.zip", {name: HEADER + RIDE, "activities/9.fit.gz": b"x"})
    (tmp_path / "activities.csv").write_text(HEADER + RIDE, encoding="utf-8-sig")
    file = read_strava_export(export, today=TODAY)
    assert read_strava_export(tmp_path / "activities.csv", today=TODAY) == file
    (ride,) = file.sessions
    assert ride.payload == {
        "source": "strava_export",
        "session_id": "9",
        "started_at": "2026-03-01T18:12:33Z",
        "sport": "virtual_ride",
        "duration_minutes": 59.5,
        "distance_m": 30250.5,
        "max_hr": 171,
        "session_rpe": 6,
        "vendor_load": 70,
    }


def test_a_row_of_strava_with_a_fault_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "activities.csv"
    rows = [
        RIDE,
        '10,"1 mars 2026",A,Run\n',
        RIDE.replace("9,", "11,", 1).replace("Mar 1, 2026", "1 mars 2026"),
        RIDE.replace("9,", "12,", 1).replace("3570.0", "an hour"),
        RIDE.replace("9,", "13,", 1)[:40],
    ]
    path.write_text(HEADER + "".join(rows))
    file = read_strava_export(path, today=TODAY)
    assert [one.session_id for one in file.sessions] == ["9"]
    assert file.unread == (
        "Line 3: it has 4 cells, but the header 14.",
        "Line 4: date '1 mars 2026, 6:12:33\u202fPM' is not a time such as "
        "Nov 27, 2026, 6:12:33 PM.",
        "Line 5: Moving Time 'an hour' is not a number.",
        "Line 6: the file breaks off, or a quotation mark is missing.",
    )
    path.write_text(HEADER.replace("Activity Date", "Date de l'activité") + RIDE)
    with pytest.raises(HealthFileError, match="Set the language of Strava to English"):
        read_strava_export(path, today=TODAY)


# ---- FIT

NUMBERS = Profile["mesg_num"]


def fit(*messages: tuple[str, dict[str, Any]]) -> bytes:
    """Write a file with the official SDK, so that another library reads it."""
    encoder = Encoder()
    created = {"type": "activity", "time_created": datetime(2026, 3, 1, tzinfo=UTC)}
    for name, fields in (("FILE_ID", created), *messages):
        encoder.write_mesg({"mesg_num": NUMBERS[name], **fields})
    return bytes(encoder.close())


def run_file(**fields: Any) -> bytes:
    start = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    end = start + timedelta(hours=1)
    session = {
        "timestamp": end,
        "start_time": start,
        "sport": "running",
        "total_timer_time": 3570.0,
        "total_distance": 10_025.5,
        "avg_heart_rate": 141,
        "workout_rpe": 70,
        **fields,
    }
    activity = {"timestamp": end, "local_timestamp": fit_seconds(end + timedelta(hours=1))}
    return fit(("SESSION", session), ("ACTIVITY", activity))


def fit_seconds(at: datetime) -> int:
    return int((at - datetime(1989, 12, 31, tzinfo=UTC)).total_seconds())


def test_a_session_of_a_fit_file_has_the_local_day_of_the_device(tmp_path: Path) -> None:
    path = tmp_path / "run.fit"
    path.write_bytes(run_file())
    (run,) = read_fit(path, ZoneInfo("America/Lima"), today=TODAY).sessions
    assert run.payload == {
        "source": "fit",
        "session_id": "20260301T233000Z",
        "started_at": "2026-03-01T23:30:00Z",
        "sport": "running",
        "local_date": "2026-03-02",
        "duration_minutes": 59.5,
        "distance_m": 10025.5,
        "average_hr": 141,
        "session_rpe": 7,
    }


def test_a_compressed_fit_file_is_read_and_a_damaged_or_huge_one_is_named(tmp_path: Path) -> None:
    """Strava and Garmin give `.fit.gz`; it was read as a CSV, and left out of a zip."""
    packed = gzip.compress(run_file())
    path = tmp_path / "run.fit.gz"
    path.write_bytes(packed)
    assert len(read_fit(path, BERLIN, today=TODAY).sessions) == 1
    files = {"1.fit.gz": packed, "2.fit.gz": packed[:-9], "3.fit.gz": gzip.compress(bytes(1 << 25))}
    file = read_fit(zipped(tmp_path / "files.zip", {**files}), BERLIN, today=TODAY)
    assert len(file.sessions) == 1
    damaged, bomb = file.unread
    assert damaged.startswith("2.fit.gz is damaged")
    assert bomb.startswith("3.fit.gz has more than 16,777,216 bytes")


def test_wellness_files_are_days_of_the_athlete_and_a_damaged_one_is_listed(tmp_path: Path) -> None:
    late = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)  # 00:30 in Berlin
    wellness = fit(
        ("HRV_STATUS_SUMMARY", {"timestamp": late, "last_night_average": 61.5}),
        (
            "MONITORING_HR_DATA",
            {"timestamp": late, "resting_heart_rate": 60, "current_day_resting_heart_rate": 51},
        ),
        ("WEIGHT_SCALE", {"timestamp": late, "weight": 82.4, "percent_fat": 15.5}),
    )
    again = fit(("WEIGHT_SCALE", {"timestamp": late + timedelta(hours=7), "weight": 82.0}))
    wrong_clock = fit(
        ("WEIGHT_SCALE", {"timestamp": datetime(2040, 1, 1, tzinfo=UTC), "weight": 80.0})
    )
    path = zipped(
        tmp_path / "files.zip",
        {
            "a/1.fit": wellness,
            "a/2.FIT": again,
            "a/3.fit": wellness[:-7],
            "a/4.fit": wrong_clock,
            "a/5.fit": run_file(sub_sport="strength_training", sport="training"),
            "a/readme.txt": b"x",
        },
    )
    file = read_fit(path, BERLIN, today=TODAY)
    values = {"hrv_ms": 61.5, "resting_hr": 51, "weight_kg": 82, "body_fat_pct": 15.5}
    assert file.days == (HealthDay("fit", date(2026, 3, 2), values, "rmssd"),)
    assert [one.sport for one in file.sessions] == ["strength_training"]
    damaged, clock = file.unread
    assert damaged.startswith("a/3.fit is truncated or damaged")
    assert clock == "a/4.fit: weight_scale of 2040-01-01 is before 1990 or in the future."
    (tmp_path / "half.fit").write_bytes(wellness[:-7])
    with pytest.raises(HealthFileError, match="truncated or damaged"):
        read_fit(tmp_path / "half.fit", BERLIN, today=TODAY)


# ---- several files of one account


def test_a_value_of_a_damaged_or_another_file_stays(tmp_path: Path) -> None:
    """A day with one metric removed the others that any day of the same file had."""
    day = datetime(2026, 3, 1, 7, tzinfo=UTC)
    hrv, weight = (
        fit((name, {"timestamp": at, field: value}))
        for name, at, field, value in (
            ("HRV_STATUS_SUMMARY", day, "last_night_average", 61.5),
            ("WEIGHT_SCALE", day, "weight", 82.4),
        )
    )
    later = fit(
        ("HRV_STATUS_SUMMARY", {"timestamp": day + timedelta(days=1), "last_night_average": 60.0})
    )
    nights = json.dumps([{"calendarDate": "2026-03-01", "deepSleepSeconds": 25_200}])
    pulse = [{"calendarDate": "2026-03-01", "restingHeartRate": 51}]
    other = [{"calendarDate": "2026-03-02", "deepSleepSeconds": 25_200}]
    damaged = {"1_sleepData.json": nights[:-9], "UDSFile_1.json": pulse, "2_sleepData.json": other}
    with duckdb.connect() as con:
        create_raw_tables(con)
        for number, files in enumerate(
            (
                {"1.fit": hrv},
                {"2.fit": weight, "3.fit": later},
                {"1_sleepData.json": nights, "UDSFile_1.json": pulse},
                damaged,
            )
        ):
            path = zipped(tmp_path / f"{number}.zip", {**files})
            file = (
                read_fit(path, BERLIN, today=TODAY)
                if number < 2
                else read_garmin_export(path, today=TODAY)
            )
            now = datetime(2026, 3, 10, number, tzinfo=UTC)
            land_file(con, "me", file, now=now, run_id="run")
        days = stored_days(con)
    names = ("hrv_ms", "weight_kg", "sleep_minutes", "resting_hr")
    assert [days["fit/2026-03-01"].get(name) for name in names] == [61.5, 82.4, None, None]
    assert [days["garmin_export/2026-03-01"].get(name) for name in names] == [None, None, 420, 51]


def test_fit_files_of_zips_in_a_zip_are_read(tmp_path: Path) -> None:
    """Garmin's export has them so; a damaged inner zip, and a bomb in it, are listed."""
    inner = zipped(tmp_path / "inner.zip", {"a.fit": run_file(), "b.fit": run_file()[:40]})
    bomb = zipped(tmp_path / "bomb.zip", {"c.fit": bytes(40_000_000)})
    nested = {
        "Part1.zip": inner.read_bytes(),
        "Part2.zip": inner.read_bytes()[:100],
        "Part3.zip": bomb.read_bytes(),
    }
    path = zipped(tmp_path / "outer.zip", nested)
    with zipfile.ZipFile(path) as archive:
        assert is_fit_archive(archive)
    found = read_fit(path, UTC, today=TODAY)
    assert [one.session_id for one in found.sessions] == ["20260301T233000Z"]
    damaged, unreadable, huge = found.unread
    assert damaged.startswith("b.fit is truncated or damaged")
    assert unreadable.startswith("Part2.zip: The zip is damaged")
    assert "as a zip bomb does" in huge


def test_zips_in_the_export_of_garmin_are_noted(tmp_path: Path) -> None:
    """They were passed over in silence; without them the export is complete all the same."""
    night = [{"calendarDate": "2026-03-02", "deepSleepSeconds": 25_200}]
    inner = zipped(tmp_path / "inner.zip", {"a.fit": run_file()}).read_bytes()
    path = zipped(
        tmp_path / "garmin.zip",
        {f"{WELLNESS}1_sleepData.json": night, "UploadedFiles_1.zip": inner},
    )
    found = read_garmin_export(path, today=TODAY)
    assert (found.unread, found.is_complete) == ((), True)
    assert found.notes == (
        "UploadedFiles_1.zip is not read: the export has the days and activities of its FIT files. "
        "To read these, too, unpack it and import it.",
    )
