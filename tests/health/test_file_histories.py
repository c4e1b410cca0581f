"""Exports after random changes at their source: what is stored equals it, after faults and kills.

One history is for all kinds of files. A night changes values at the source, exports it, and imports
the export: truncated, with a damaged part, or killed before the commit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from health_connector.apple_health import read_apple_health
from health_connector.csv_file import read_health_csv
from health_connector.errors import HealthFileError
from health_connector.fit_file import read_fit
from health_connector.garmin_export import read_garmin_export
from health_connector.health_file import HealthFile
from health_connector.landing import land_file
from health_connector.strava_export import read_strava_export
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.raw.transactions import run_in_transaction
from tests.health.accounts import Killed, stored_days, stored_sessions
from tests.health.apple_exports import BERLIN, MASS, RESTING, SDNN, asleep, record, xml, zipped
from tests.health.test_archive_exports import HEADER, WELLNESS, fit, ms
from tests.health.test_archive_exports import zipped as zipped_files
from tests.profiles import examples

TODAY = date(2026, 3, 10)
NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)

Damage = Literal["a part", "truncated"]
Values = dict[str, Any]
Found = dict[str, Values]


@dataclass
class Source:
    """What a device or an account has: values of days, and the pulse of sessions by their id.

    `cleared` are days that had values.
    """

    days: dict[date, Values] = field(default_factory=dict)
    sessions: dict[int, tuple[date, int | None]] = field(default_factory=dict)
    cleared: set[date] = field(default_factory=set)


@dataclass(frozen=True)
class Kind:
    """A kind of export: how the source is written to a file, with a damaged part or not, and read.

    `deletes` is false where a file has only what is new.
    """

    source: str
    write: Callable[[Path, Source, bool], Path]
    read: Callable[[Path], HealthFile]
    method: str = "rmssd"
    has_days: bool = True
    has_sessions: bool = True
    deletes: bool = True


def parts(files: Mapping[str, Any], is_damaged: bool) -> dict[str, Any]:
    """Return the files of a zip; a damaged one breaks off."""
    last = max(files, default=None) if is_damaged else None
    return {
        name: content[: len(content) // 2] if name == last else content
        for name, content in files.items()
    }


# ---- files


def write_csv(folder: Path, source: Source, _: bool) -> Path:
    path = folder / "recovery.csv"
    lines = ["date,source,sleep_minutes,hrv_ms,hrv_method,resting_hr,weight_kg"]
    for day in sorted({*source.days, *source.cleared}):
        values = source.days.get(day, {})
        hrv = f"{values['hrv_ms']},rmssd" if "hrv_ms" in values else ","
        sleep, pulse, weight = (
            values.get(name, "") for name in ("sleep_minutes", "resting_hr", "weight_kg")
        )
        lines.append(f"{day},ring,{sleep},{hrv},{pulse},{weight}")
    path.write_text("\n".join(lines))
    return path


def write_apple(folder: Path, source: Source, _: bool) -> Path:
    records: list[str] = []
    for day, values in source.days.items():
        morning = datetime(day.year, day.month, day.day, 7, tzinfo=BERLIN)

        def at(minutes: int, morning: datetime = morning) -> str:
            return f"{morning + timedelta(minutes=minutes):%Y-%m-%d %H:%M:%S %z}"

        if minutes := values.get("sleep_minutes"):
            records.append(asleep(at(-minutes), at(0)))
        if "hrv_ms" in values:
            records.append(record(SDNN, values["hrv_ms"], at(0), unit="ms"))
        if "resting_hr" in values:
            records.append(record(RESTING, values["resting_hr"], at(5), unit="count/min"))
        if "weight_kg" in values:
            records.append(record(MASS, values["weight_kg"], at(9), unit="kg"))
    return zipped(folder / "export.zip", xml(*records))


def write_garmin(folder: Path, source: Source, is_damaged: bool) -> Path:
    """The nights of even days are in another file than those of odd ones."""
    files: dict[str, list[Any]] = {
        f"{WELLNESS}{number}{name}": []
        for number, name in (
            (0, "_sleepData.json"),
            (1, "_sleepData.json"),
            (0, "_healthStatusData.json"),
            (0, "_userBioMetrics.json"),
        )
    }
    daily = files["DI_CONNECT/UDSFile_1.json"] = []
    for day, values in source.days.items():
        known = {"calendarDate": f"{day}"}
        if minutes := values.get("sleep_minutes"):
            row = {**known, "deepSleepSeconds": 60 * minutes}
            files[f"{WELLNESS}{day.day % 2}_sleepData.json"].append(row)
        if "hrv_ms" in values:
            row = {**known, "metrics": [{"type": "HRV", "value": values["hrv_ms"]}]}
            files[f"{WELLNESS}0_healthStatusData.json"].append(row)
        if "weight_kg" in values:
            weight = {"weight": values["weight_kg"] * 1000}
            files[f"{WELLNESS}0_userBioMetrics.json"].append({"metaData": known, "weight": weight})
        if "resting_hr" in values:
            daily.append({**known, "restingHeartRate": values["resting_hr"]})
    activities = [
        {
            "activityId": name,
            "activityType": "running",
            "beginTimestamp": ms(f"{day} 10:00:00"),
            **({} if pulse is None else {"avgHr": pulse}),
        }
        for name, (day, pulse) in source.sessions.items()
    ]
    files["DI_CONNECT/1_summarizedActivities.json"] = [{"summarizedActivitiesExport": activities}]
    written = {name: str(content).replace("'", '"') for name, content in files.items()}
    return zipped_files(folder / "garmin.zip", parts(written, is_damaged))


def write_fit(folder: Path, source: Source, is_damaged: bool) -> Path:
    files: dict[str, bytes] = {}
    for day, values in source.days.items():
        at = datetime(day.year, day.month, day.day, 7, tzinfo=UTC)
        for metric, (message, name) in {
            "hrv_ms": ("HRV_STATUS_SUMMARY", "last_night_average"),
            "resting_hr": ("MONITORING_HR_DATA", "current_day_resting_heart_rate"),
            "weight_kg": ("WEIGHT_SCALE", "weight"),
        }.items():
            if metric in values and values[metric] != 510:
                content = fit((message, {"timestamp": at, name: values[metric]}))
                files[f"{day}-{metric}.fit"] = content
    for name, (day, pulse) in source.sessions.items():
        start = datetime(day.year, day.month, day.day, 10, name, tzinfo=UTC)
        more = {} if pulse is None else {"avg_heart_rate": pulse}
        session = {"timestamp": start, "start_time": start, "sport": "running", **more}
        files[f"{name}.fit"] = fit(("SESSION", session))
    return zipped_files(folder / "fit.zip", parts(files, is_damaged))


def write_strava(folder: Path, source: Source, is_damaged: bool) -> Path:
    rows = "".join(
        f'{name},"{day:%b} {day.day}, {day.year}, 10:00:00 AM",A,Run,60,1,,,60,60,,,'
        f"{pulse or ''},\n"
        for name, (day, pulse) in source.sessions.items()
    )
    table = {"activities.csv": HEADER + rows}
    # Half of the rows, and not of the header.
    cut = {"activities.csv": HEADER + rows[: len(rows) // 2]}
    return zipped_files(folder / "strava.zip", cut if is_damaged else table)


KINDS = {
    "csv": Kind(
        "ring",
        write_csv,
        lambda path: read_health_csv(path.read_bytes(), today=TODAY),
        has_sessions=False,
    ),
    "apple": Kind(
        "apple_health",
        write_apple,
        lambda path: read_apple_health(path, today=TODAY),
        method="sdnn",
        has_sessions=False,
    ),
    "garmin": Kind(
        "garmin_export", write_garmin, lambda path: read_garmin_export(path, today=TODAY)
    ),
    "fit": Kind(
        "fit",
        write_fit,
        lambda path: read_fit(path, ZoneInfo("UTC"), today=TODAY),
        deletes=False,
    ),
    "strava": Kind(
        "strava_export",
        write_strava,
        lambda path: read_strava_export(path, today=TODAY),
        has_days=False,
    ),
}

# ---- histories

# The first and the last day stay: a file says nothing about days beyond those.
_DAYS = st.integers(1, 12).map(lambda ago: TODAY - timedelta(days=ago))
_CHANGES = st.lists(
    st.tuples(
        _DAYS,
        st.sampled_from(
            [
                ("sleep_minutes", 420),
                ("sleep_minutes", 450),
                ("sleep_minutes", None),
                ("hrv_ms", 55),
                ("hrv_ms", 61),
                ("hrv_ms", None),
                ("resting_hr", 51),
                ("resting_hr", 510),
                ("resting_hr", None),
                ("weight_kg", 80),
                ("weight_kg", 82),
                ("weight_kg", None),
            ]
        ),
    ),
    max_size=6,
)
_SESSIONS = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from(["gone", None, 120, 141])), max_size=3
)
_NIGHTS = st.lists(
    st.tuples(
        _CHANGES,
        _SESSIONS,
        st.sampled_from([None, None, "a part", "truncated"]),
        st.integers(1, 99),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


def change(kind: Kind, source: Source, changes: list[Any], sessions: list[Any]) -> None:
    for day, (metric, value) in changes:
        values = source.days.setdefault(day, {})
        if value is not None:
            values[metric] = value
        elif kind.deletes:
            values.pop(metric, None)
            source.cleared.add(day)
        if not values:
            del source.days[day]
    for name, pulse in sessions:
        if pulse != "gone":
            source.sessions[name] = (TODAY - timedelta(days=name), pulse)
        elif kind.deletes:
            source.sessions.pop(name, None)


def edges() -> Source:
    """Return the days around those that change, with each metric: none leaves a file completely.

    An export without any value of a metric removes none, as it may lack the metric.
    """
    first, last = TODAY - timedelta(days=13), TODAY
    usual: Values = {"sleep_minutes": 420, "hrv_ms": 60, "resting_hr": 51, "weight_kg": 80}
    return Source(
        {first: {**usual}, last: {**usual}},
        {11: (first, 100), 12: (last, 100)},
    )


def expected_days(kind: Kind, source: Source) -> Found:
    """Return the possible values of each day."""
    days: Found = {}
    for day, values in source.days.items():
        possible = {
            metric: value
            for metric, value in values.items()
            if value != 510 and not (kind.source == "fit" and metric == "sleep_minutes")
        }
        if possible and kind.has_days:
            method = {"hrv_method": kind.method} if "hrv_ms" in possible else {}
            days[f"{kind.source}/{day}"] = {
                "source": kind.source,
                "day": f"{day}",
                **possible,
                **method,
            }
    return days


def expected_pulses(kind: Kind, source: Source) -> dict[str, int | None]:
    if not kind.has_sessions:
        return {}
    return {
        f"{kind.source}/{f'{day:%Y%m%d}T10{name:02}00Z' if kind.source == 'fit' else name}": pulse
        for name, (day, pulse) in source.sessions.items()
    }


def stored_pulses(con: duckdb.DuckDBPyConnection) -> dict[str, int | None]:
    return {key: payload.get("average_hr") for key, payload in stored_sessions(con).items()}


def imports(
    con: duckdb.DuckDBPyConnection, file: HealthFile, night: int, *, is_killed: bool = False
) -> None:
    def work() -> None:
        now = NOW + timedelta(hours=night)
        land_file(con, "me", file, now=now, run_id="run")
        if is_killed:
            raise Killed

    run_in_transaction(con, work)


def check_partial(before: Found, after: Found, source: Found) -> None:
    """A damaged file loses no value that the source has, and adds none that it never had."""
    for key, values in after.items():
        for name, value in values.items():
            assert value in (before.get(key, {}).get(name), source.get(key, {}).get(name))
    for key, values in before.items():
        still = values.items() & source.get(key, {}).items()
        assert still <= after.get(key, {}).items()


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
@examples(100, quick=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nights=_NIGHTS)
def test_after_faults_and_kills_the_stored_data_equal_the_source(
    tmp_path: Path, name: str, nights: list[Any]
) -> None:
    kind, source = KINDS[name], edges()
    with duckdb.connect() as con:
        create_raw_tables(con)
        for number, (changes, sessions, damage, kept, is_killed) in enumerate(nights):
            change(kind, source, changes, sessions)
            path = kind.write(tmp_path, source, damage == "a part")
            if damage == "truncated":
                content = path.read_bytes()
                path.write_bytes(content[: len(content) * kept // 100])
            before = stored_days(con), stored_pulses(con)
            try:
                imports(con, kind.read(path), number, is_killed=is_killed)
            except (HealthFileError, Killed):
                assert (stored_days(con), stored_pulses(con)) == before
            else:
                check_partial(before[0], stored_days(con), expected_days(kind, source))
        imports(con, kind.read(kind.write(tmp_path, source, False)), len(nights))
        assert stored_days(con) == expected_days(kind, source)
        assert stored_pulses(con) == expected_pulses(kind, source)
        count = (
            "select count(*) from raw.health_days union all "
            "select count(*) from raw.health_sessions union all "
            "select count(*) from raw.quarantine"
        )
        rows = con.execute(count).fetchall()
        imports(con, kind.read(kind.write(tmp_path, source, False)), len(nights) + 1)
        assert con.execute(count).fetchall() == rows
