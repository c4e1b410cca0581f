"""Wellness of Intervals.icu: parsing, faults, and stored data that equal the source."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from health_connector.days import HealthDay
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthError,
    HealthResponseError,
    HealthUnavailableError,
)
from health_connector.intervals import IntervalsClient, parse_wellness
from health_connector.simulator import (
    SIMULATED_KEY,
    Fault,
    SimulatedIntervals,
    running_service,
)
from health_connector.sync import Window, newest_known_day, next_window, read_window
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.raw.tables import create_raw_tables, known_records
from tests.health.accounts import Killed, land_reading, stored_days
from tests.profiles import examples

TODAY = date(2026, 3, 10)
NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
WEEK = Window(date(2026, 3, 1), date(2026, 3, 11))


@pytest.fixture(scope="module")
def service() -> Iterator[SimulatedIntervals]:
    with running_service(SimulatedIntervals()) as running:
        yield running


def client(service: SimulatedIntervals, key: str = SIMULATED_KEY) -> IntervalsClient:
    return IntervalsClient(
        key,
        base_url=service.url,
        retry=RetryPolicy(attempts=2, first_wait_s=0),
        limit=RateLimit(per_second=None),
    )


def test_carried_forward_values_are_dropped_and_days_with_load_only_are_empty() -> None:
    days = parse_wellness(
        [
            {
                "id": "2026-03-01",
                "weight": 82.4,
                "tempWeight": False,
                "restingHR": 51,
                "tempRestingHR": True,
                "hrv": 61.5,
                "hrvSDNN": 90,
                "sleepSecs": 25_930,
                "readiness": 78.0,
                "ctl": 40.5,
                "comments": "private",
            },
            {"id": "2026-03-02", "weight": 82.4, "tempWeight": True, "ctl": 40.5},
            {"id": "2026-03-03", "hrvSDNN": 90, "restingHR": 0, "bodyFat": "15"},
        ]
    )
    first, second, third = days
    assert first == HealthDay(
        source="intervals",
        day=date(2026, 3, 1),
        # 25,930 s are 432.17 min.
        values={"weight_kg": 82.4, "hrv_ms": 61.5, "sleep_minutes": 432, "readiness": 78},
        hrv_method="rmssd",
    )
    assert (second.values, second.impossible) == ({}, ())
    assert (third.values, third.hrv_method) == ({"hrv_ms": 90}, "sdnn")
    assert [one.reason for one in third.impossible] == [
        "resting_hr 0 is not between 20 and 150.",
        "body_fat_pct is not a number.",
    ]


@pytest.mark.parametrize(
    ("newest_known", "window"),
    [
        (None, Window(date(2025, 2, 3), date(2026, 3, 11))),
        (date(2026, 3, 9), Window(date(2026, 2, 23), date(2026, 3, 11))),
        (date(2026, 1, 20), Window(date(2026, 1, 6), date(2026, 3, 11))),
        (date(2026, 3, 11), Window(date(2026, 2, 24), date(2026, 3, 11))),
    ],
    ids=["first read", "each night", "after a gap", "tomorrow in the east"],
)
def test_the_last_days_are_read_again(newest_known: date | None, window: Window) -> None:
    assert next_window(newest_known, TODAY) == window


@pytest.mark.parametrize(
    ("faults", "error"),
    [
        (["busy", "error"], HealthUnavailableError),
        (["reset", "reset"], HealthUnavailableError),
        (["page"], HealthResponseError),
        (["truncate"], HealthResponseError),
    ],
)
def test_a_failed_read_is_never_an_empty_one(
    service: SimulatedIntervals, faults: list[Fault], error: type[HealthError]
) -> None:
    service.faults.clear()
    service.faults.extend(faults)
    with pytest.raises(error):
        read_window(client(service), WEEK)


@pytest.mark.parametrize("fault", ["busy", "error", "reset"])
def test_one_passing_fault_is_retried(service: SimulatedIntervals, fault: Fault) -> None:
    service.wellness = {date(2026, 3, 1): {"restingHR": 51}}
    service.faults.clear()
    service.faults.append(fault)
    (day,) = read_window(client(service), WEEK).days
    assert day.values == {"resting_hr": 51}


def test_a_refused_key_is_named_and_never_shown(service: SimulatedIntervals) -> None:
    service.faults.clear()
    with pytest.raises(HealthAuthError, match="refused the key") as caught:
        read_window(client(service, "my-other-secret"), WEEK)
    assert "my-other-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "url"),
    [("", "https://intervals.icu"), ("a\nb", "https://intervals.icu"), ("k", "http://example.org")],
)
def test_a_key_is_only_sent_encrypted_or_to_this_machine(key: str, url: str) -> None:
    with pytest.raises(HealthConfigError):
        IntervalsClient(key, base_url=url)


def activity(day: date, **values: Any) -> dict[str, Any]:
    return {
        "start_date": f"{day}T05:30:00Z",
        "start_date_local": f"{day}T06:30:00",
        "source": "GARMIN_CONNECT",
        "type": "Run",
        **values,
    }


def test_activities_are_sessions_and_stubs_of_strava_are_counted(
    service: SimulatedIntervals,
) -> None:
    day = date(2026, 3, 1)
    service.faults.clear()
    service.activities = {
        "i1": activity(
            day,
            type="VirtualRide",
            moving_time=3_570,
            elapsed_time=4_000,
            distance=30_250.5,
            average_heartrate=0,
            max_heartrate=171,
            icu_rpe=6,
            icu_training_load=70,
        ),
        "i2": activity(date(2026, 2, 28)),
        "i3": {**activity(day), "source": "STRAVA"},
        "i4": activity(date(2026, 3, 11), elapsed_time=300_000, max_heartrate=300),
    }
    reading = read_window(client(service), WEEK)
    service.activities = {}
    late, ride = reading.sessions
    assert reading.left_out == 1
    assert (ride.record_id, ride.payload) == (
        "intervals/i1",
        {
            "source": "intervals",
            "session_id": "i1",
            "started_at": "2026-03-01T05:30:00Z",
            "local_date": "2026-03-01",
            "sport": "virtual_ride",
            "duration_minutes": 59.5,
            "distance_m": 30250.5,
            "max_hr": 171,
            "session_rpe": 6,
            "vendor_load": 70,
        },
    )
    assert (late.values, [one.metric for one in late.impossible]) == (
        {},
        ["duration_minutes", "max_hr"],
    )


@pytest.mark.parametrize("answer", [{}, {"id": "2026-03-01"}, [["2026-03-01"]], "days", None])
def test_an_answer_that_is_no_list_of_days_is_no_empty_one(
    service: SimulatedIntervals, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    async def read(*_: object) -> object:
        return answer

    service.faults.clear()
    monkeypatch.setattr(IntervalsClient, "_read", read)
    with pytest.raises(HealthResponseError, match="without a list"):
        read_window(client(service), WEEK)


@pytest.mark.parametrize("identity", [None, "", []])
def test_activities_without_an_id_do_not_replace_each_other(
    service: SimulatedIntervals, identity: object
) -> None:
    service.faults.clear()
    service.activities = {"i1": {**activity(date(2026, 3, 1)), "id": identity}}
    with pytest.raises(HealthResponseError, match="without an id"):
        read_window(client(service), WEEK)
    service.activities = {}


# ---- random histories

_DAYS = st.integers(0, 12).map(lambda ago: TODAY - timedelta(days=ago))
_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "weight": st.sampled_from([0, 80, 82.4]),
        "tempWeight": st.booleans(),
        "restingHR": st.sampled_from([49, 51, 510]),
        "tempRestingHR": st.booleans(),
        "hrv": st.sampled_from([None, 55.5, 61]),
        "hrvSDNN": st.sampled_from([None, 90]),
        "sleepSecs": st.sampled_from([0, 25_200, 27_000]),
    },
)
_CHANGES = st.lists(st.tuples(_DAYS, st.none() | _VALUES), max_size=4)
_ACTIVITIES = st.lists(
    st.tuples(_DAYS, st.sampled_from("ab"), st.none() | st.sampled_from([0, 6, 99])), max_size=3
)
_FAULTS = st.lists(st.sampled_from(["busy", "error", "page", "truncate", "reset"]), max_size=3)
_NIGHTS = st.lists(st.tuples(_CHANGES, _ACTIVITIES, _FAULTS, st.booleans()), min_size=1, max_size=6)


def expected(wellness: dict[date, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the values of each day that the source measured and that are possible."""
    days: dict[str, dict[str, Any]] = {}
    for day, one in wellness.items():
        values: dict[str, Any] = {}
        if one.get("weight") in (80, 82.4) and not one.get("tempWeight"):
            values["weight_kg"] = one["weight"]
        if one.get("restingHR") in (49, 51) and not one.get("tempRestingHR"):
            values["resting_hr"] = one["restingHR"]
        if one.get("hrv") is not None:
            values |= {"hrv_ms": one["hrv"], "hrv_method": "rmssd"}
        elif one.get("hrvSDNN") is not None:
            values |= {"hrv_ms": 90, "hrv_method": "sdnn"}
        if "sleepSecs" in one:
            values["sleep_minutes"] = {0: 0, 25_200: 420, 27_000: 450}[one["sleepSecs"]]
        if values:
            days[f"intervals/{day}"] = {"source": "intervals", "day": str(day), **values}
    return days


def stored_rpes(con: duckdb.DuckDBPyConnection) -> dict[str, float | None]:
    rows = con.execute(
        "select record_id, cast(payload ->> 'session_rpe' as double) "
        f"from ({known_records('health_sessions')}) where not is_deleted",
        {"athlete_id": "me"},
    ).fetchall()
    return dict(rows)


def sync(
    con: duckdb.DuckDBPyConnection,
    service: SimulatedIntervals,
    night: int,
    *,
    is_killed: bool = False,
) -> None:
    window = next_window(newest_known_day(con, "me", "intervals"), TODAY)
    days = read_window(client(service), window)
    now = NOW + timedelta(hours=night)
    land_reading(con, "intervals", days, window, now=now, is_killed=is_killed)


@examples(100, quick=8)
@given(nights=_NIGHTS)
def test_after_faults_and_kills_the_stored_days_equal_the_source(
    service: SimulatedIntervals,
    nights: list[Any],
) -> None:
    service.wellness, service.activities = {}, {}
    with duckdb.connect() as con:
        create_raw_tables(con)
        for number, (changes, activities, faults, is_killed) in enumerate(nights):
            for day, name, rpe in activities:
                service.activities.pop(f"{day}{name}", None)
                if rpe is not None:
                    service.activities[f"{day}{name}"] = activity(day, icu_rpe=rpe)
            for day, values in changes:
                service.wellness.pop(day, None)
                if values is not None:
                    service.wellness[day] = values
            service.faults.clear()
            service.faults.extend(faults)
            before = stored_days(con), stored_rpes(con)
            try:
                sync(con, service, number, is_killed=is_killed)
            except (HealthError, Killed):
                assert (stored_days(con), stored_rpes(con)) == before
        service.faults.clear()
        sync(con, service, len(nights))
        assert stored_days(con) == expected(service.wellness)
        assert stored_rpes(con) == {
            f"intervals/{name}": 6 if one["icu_rpe"] == 6 else None
            for name, one in service.activities.items()
        }
        count = (
            "select count(*) from raw.health_days union all "
            "select count(*) from raw.health_sessions"
        )
        rows = con.execute(count).fetchall()
        sync(con, service, len(nights) + 1)
        assert con.execute(count).fetchall() == rows
