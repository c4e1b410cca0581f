"""Nights of Oura: parsing, login, faults, and stored data that equal the source."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from health_connector.addresses import OuraApp
from health_connector.days import HealthDay
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthError,
    HealthLoginExpiredError,
    HealthResponseError,
    HealthUnavailableError,
)
from health_connector.oura import OURA, OuraClient, parse_days
from health_connector.oura_login import (
    Tokens,
    current_tokens,
    exchange_code,
    login_url,
    parse_tokens,
)
from health_connector.sessions import Session
from health_connector.simulator import (
    OURA_CLIENT_ID,
    OURA_CLIENT_SECRET,
    DateMode,
    Fault,
    SimulatedOura,
    running_service,
)
from health_connector.sync import Window, newest_known_day, next_window, read_window
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.raw.tables import create_raw_tables
from tests.health.accounts import Killed, land_reading, stored_days
from tests.profiles import examples

TODAY = date(2026, 3, 10)
NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
WEEK = Window(date(2026, 3, 1), date(2026, 3, 11))


@pytest.fixture(scope="module")
def running() -> Iterator[SimulatedOura]:
    with running_service(SimulatedOura()) as service:
        yield service


@pytest.fixture
def service(running: SimulatedOura) -> SimulatedOura:
    """Return the service with an empty account that may be read."""
    fresh = SimulatedOura(url=running.url)
    vars(running).update(vars(fresh))
    return running


def client(service: SimulatedOura, token: str) -> OuraClient:
    return OuraClient(
        token,
        base_url=service.url,
        retry=RetryPolicy(attempts=2, first_wait_s=0),
        limit=RateLimit(per_second=None),
    )


def app_of(service: SimulatedOura) -> OuraApp:
    return OuraApp(
        OURA_CLIENT_ID,
        OURA_CLIENT_SECRET,
        f"{service.url}/oauth/authorize",
        f"{service.url}/oauth/token",
    )


def night(day: str, identity: str = "n", **values: Any) -> dict[str, Any]:
    ended = {"bedtime_start": f"{day}T00:10:00+01:00", "bedtime_end": f"{day}T07:00:00+01:00"}
    return {"id": identity, "day": day, "type": "long_sleep", **ended, **values}


def test_the_long_sleep_of_a_day_counts_and_unfinished_or_rejected_sleep_does_not() -> None:
    days = parse_days(
        [
            night("2026-03-01", "a", total_sleep_duration=20_400, average_hrv=61),
            night(
                "2026-03-01",
                "b",
                total_sleep_duration=11_100,
                average_hrv=90,
                lowest_heart_rate=40,
            ),
            night("2026-03-01", "c", type="sleep", total_sleep_duration=30_000, average_hrv=20),
            night("2026-03-02", "d", type="rest", total_sleep_duration=30_000),
            night("2026-03-02", "e", bedtime_end=None, total_sleep_duration=3_000),
            night("2026-03-03", "f", type="late_nap", total_sleep_duration=4_830),
            night("2026-03-04", "g", total_sleep_duration=None, average_hrv=0),
        ],
        [{"id": "r", "day": "2026-03-02", "score": 71, "contributors": {"hrv_balance": 3}}],
    )
    # 20,400 + 11,100 s are 525 min, 4,830 s are 80.5 min.
    assert days[:3] == [
        HealthDay(OURA, date(2026, 3, 1), {"sleep_minutes": 525, "hrv_ms": 61}, "rmssd"),
        HealthDay(OURA, date(2026, 3, 2), {"readiness": 71}),
        HealthDay(OURA, date(2026, 3, 3), {"sleep_minutes": 80}),
    ]
    assert (days[3].values, days[3].hrv_method) == ({}, None)
    assert [one.reason for one in days[3].impossible] == ["hrv_ms 0 is not between 1 and 400."]


@pytest.mark.parametrize("mode", ["inclusive", "end-exclusive", "start-exclusive"])
def test_all_days_of_a_window_are_read_however_the_service_counts(
    service: SimulatedOura, mode: DateMode
) -> None:
    """Also with pages: a client that ignores the next token loses the newest days."""
    service.date_mode, service.page_size = mode, 3
    wanted = [WEEK.oldest + timedelta(days=at) for at in range(-3, 14)]
    for day in wanted:
        service.documents["sleep"][f"{day}"] = night(
            f"{day}", f"{day}", total_sleep_duration=25_200
        )
    days = read_window(client(service, service.grant()["access_token"]), WEEK).days
    assert [day.day for day in days] == [day for day in wanted if WEEK.oldest <= day <= WEEK.newest]


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
    service: SimulatedOura, faults: list[Fault], error: type[HealthError]
) -> None:
    token = service.grant()["access_token"]
    service.faults.extend(faults)
    with pytest.raises(error):
        read_window(client(service, token), WEEK)


@pytest.mark.parametrize("identity", [None, "", 7])
def test_documents_without_an_id_do_not_replace_each_other(
    service: SimulatedOura, identity: object
) -> None:
    """Of two documents without an id one counted, and the day of the other was deleted."""
    for day in ("2026-03-01", "2026-03-02"):
        document = {**night(day, total_sleep_duration=25_200), "id": identity}
        service.documents["sleep"][day] = document
    with pytest.raises(HealthResponseError, match="sleep with a document without an id"):
        read_window(client(service, service.grant()["access_token"]), WEEK)


def ride(day: str, identity: str, **values: Any) -> dict[str, Any]:
    times = {"start_datetime": f"{day}T23:30:00+02:00", "end_datetime": f"{day}T23:59:30+02:00"}
    return {"id": identity, "day": day, "activity": "cycling", **times, **values}


def test_workouts_are_sessions_with_the_day_of_the_athlete(service: SimulatedOura) -> None:
    service.documents["workout"] = {
        "a": ride("2026-03-01", "a", distance=9_500.5),
        "b": ride("2026-02-28", "b"),
    }
    reading = read_window(client(service, service.grant()["access_token"]), WEEK)
    assert reading.sessions == [
        Session(
            OURA,
            "a",
            datetime(2026, 3, 1, 21, 30, tzinfo=UTC),
            "cycling",
            {"duration_minutes": 29.5, "distance_m": 9_500.5},
            date(2026, 3, 1),
        )
    ]
    service.documents["workout"]["c"] = ride("2026-03-02", "c", start_datetime="soon")
    with pytest.raises(HealthResponseError, match="without a start"):
        read_window(client(service, service.grant()["access_token"]), WEEK)


def test_workouts_stay_known_while_the_login_does_not_allow_them(service: SimulatedOura) -> None:
    service.documents["workout"] = {"a": ride("2026-03-01", "a")}
    token = service.grant()["access_token"]
    with duckdb.connect() as con:
        create_raw_tables(con)

        def deletions_after_a_read(*scopes: str) -> list[bool]:
            service.scopes = frozenset(scopes)
            reading = read_window(client(service, token), WEEK)
            land_reading(con, OURA, reading, WEEK, now=NOW, is_killed=False)
            rows = con.execute("select is_deleted from raw.health_sessions order by loaded_at")
            return [is_deleted for (is_deleted,) in rows.fetchall()]

        assert deletions_after_a_read("daily", "workout") == [False]
        assert deletions_after_a_read("daily") == [False]
        service.documents["workout"] = {}
        assert deletions_after_a_read("daily", "workout") == [False, True]


def test_each_refusal_has_its_own_remedy(service: SimulatedOura) -> None:
    token = service.grant()["access_token"]
    with pytest.raises(HealthLoginExpiredError, match="spotter connect oura"):
        read_window(client(service, "another-token"), WEEK)
    service.scopes = frozenset({"personal"})
    with pytest.raises(HealthAuthError, match="does not allow daily data") as caught:
        read_window(client(service, token), WEEK)
    assert not isinstance(caught.value, HealthLoginExpiredError)
    service.has_membership = False
    with pytest.raises(HealthAuthError, match="membership"):
        read_window(client(service, token), WEEK)
    with pytest.raises(HealthConfigError, match="unencrypted"):
        OuraClient("token", base_url="http://example.org")


# ---- login


@dataclass
class Store:
    """Tokens in memory; `kill` ends the process before or after they are stored."""

    text: str | None = None
    kill: Literal["before saving", "after saving"] | None = None

    @contextmanager
    def lock(self) -> Iterator[None]:
        yield

    def load(self) -> Tokens | None:
        return None if self.text is None else parse_tokens(self.text)

    def save(self, tokens: Tokens) -> None:
        if tokens.text == self.text:
            return
        if self.kill == "before saving":
            raise Killed
        self.text = tokens.text
        if self.kill == "after saving":
            raise Killed


def logged_in(service: SimulatedOura, now: datetime = NOW) -> Store:
    service.codes.add("code")
    return Store(exchange_code(app_of(service), "code", "http://127.0.0.1:1/oura", now).text)


def test_a_code_is_exchanged_once_and_a_missing_permission_is_named(
    service: SimulatedOura,
) -> None:
    assert login_url(app_of(service), "http://127.0.0.1:8730/oura", "s t").endswith(
        "?response_type=code&client_id=simulated-client"
        "&redirect_uri=http%3A%2F%2F127.0.0.1%3A8730%2Foura&scope=daily+workout&state=s+t"
    )
    logged_in(service)
    with pytest.raises(HealthAuthError, match="OURA_TOKEN_URL"):
        exchange_code(app_of(service), "code", "http://127.0.0.1:1/oura", NOW)
    service.scopes = frozenset({"personal"})
    with pytest.raises(HealthAuthError, match="does not allow daily data"):
        logged_in(service)


def test_a_token_is_refreshed_before_it_expires_and_stored_before_its_use(
    service: SimulatedOura,
) -> None:
    store = logged_in(service)
    first = current_tokens(app_of(service), store, NOW + timedelta(hours=23))
    assert first == store.load()
    second = current_tokens(app_of(service), store, NOW + timedelta(hours=24))
    assert second == store.load() != first
    assert second.access_token in service.access_tokens
    store.kill = "after saving"
    with pytest.raises(Killed):
        current_tokens(app_of(service), store, NOW, refused=second.access_token)
    store.kill = None
    third = current_tokens(app_of(service), store, NOW, refused=second.access_token)
    assert third.access_token in service.access_tokens
    assert service.burnt == 0


def test_a_lost_refresh_token_needs_a_login_and_no_secret_is_shown(
    service: SimulatedOura,
) -> None:
    """The answer to the refresh never arrives; the token is used up all the same."""
    store = logged_in(service)
    service.faults.append("reset")
    later = NOW + timedelta(days=2)
    with pytest.raises(HealthUnavailableError):
        current_tokens(app_of(service), store, later)
    with pytest.raises(HealthAuthError, match="Log in again: spotter connect oura") as caught:
        current_tokens(app_of(service), store, later)
    known = parse_tokens(store.text or "")
    for secret in (known.access_token, known.refresh_token, OURA_CLIENT_SECRET):
        assert secret not in f"{caught.value} {known!r} {app_of(service)!r}"
    with pytest.raises(HealthConfigError, match="damaged"):
        parse_tokens("access_token=a&refresh_token=b&expires_at=soon")


# ---- random histories

_DAYS = st.integers(0, 12).map(lambda ago: TODAY - timedelta(days=ago))
_SLEEP = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["long_sleep", "sleep", "rest", "deleted"]),
        "total_sleep_duration": st.sampled_from([None, 3_600, 25_200, 27_000]),
        "average_hrv": st.sampled_from([None, 0, 55, 61]),
        "lowest_heart_rate": st.sampled_from([None, 49, 510]),
    },
    optional={"bedtime_end": st.none()},
)
_CHANGES = st.lists(
    st.tuples(
        _DAYS, st.sampled_from(["a", "b"]), st.none() | _SLEEP, st.sampled_from([None, 70, 90])
    ),
    max_size=4,
)
_NIGHTS = st.lists(
    st.tuples(
        _CHANGES,
        st.lists(st.sampled_from(["busy", "error", "page", "truncate", "reset"]), max_size=3),
        st.sampled_from([None, "before saving", "after saving", "before the commit"]),
        st.sampled_from(["inclusive", "end-exclusive", "start-exclusive"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


def expected(service: SimulatedOura) -> dict[str, dict[str, Any]]:
    """Return the values of each day that the source has and that are possible."""
    days: dict[str, dict[str, Any]] = {}
    for one in service.documents["daily_readiness"].values():
        days.setdefault(one["day"], {})["readiness"] = one["score"]
    periods: dict[str, list[dict[str, Any]]] = {}
    for one in service.documents["sleep"].values():
        if one["type"] in ("long_sleep", "sleep") and one["bedtime_end"]:
            periods.setdefault(one["day"], []).append(one)
    for day, found in periods.items():
        long = [one for one in found if one["type"] == "long_sleep"]
        # Of two equal ones it is the second.
        best = max(
            reversed(sorted(long or found, key=lambda one: one["id"])),
            key=lambda one: one["total_sleep_duration"] or 0,
        )
        values = days.setdefault(day, {})
        if best["total_sleep_duration"] is not None:
            counted = long or [best]
            seconds = sum(one["total_sleep_duration"] or 0 for one in counted)
            values["sleep_minutes"] = seconds // 60
        if best["average_hrv"]:
            values |= {"hrv_ms": best["average_hrv"], "hrv_method": "rmssd"}
        if best["lowest_heart_rate"] == 49:
            values["resting_hr"] = 49
    return {
        f"{OURA}/{day}": {"source": OURA, "day": day, **values}
        for day, values in days.items()
        if values
    }


def sync(
    con: duckdb.DuckDBPyConnection,
    service: SimulatedOura,
    store: Store,
    number: int,
    *,
    is_killed: bool = False,
) -> None:
    window = next_window(newest_known_day(con, "me", OURA), TODAY)
    now = NOW + timedelta(hours=number)
    days = read_window(
        client(service, current_tokens(app_of(service), store, now).access_token), window
    )
    land_reading(con, OURA, days, window, now=now, is_killed=is_killed)


@examples(100, quick=8)
@given(nights=_NIGHTS)
def test_after_faults_and_kills_the_stored_days_equal_the_source(
    running: SimulatedOura, nights: list[Any]
) -> None:
    """A login is needed again only where the answer to a refresh was lost."""
    vars(running).update(vars(SimulatedOura(url=running.url, page_size=2)))
    with duckdb.connect() as con:
        create_raw_tables(con)
        store = logged_in(running)
        for number, (changes, faults, kill, mode, is_expired) in enumerate(nights):
            running.date_mode = mode
            for day, identity, sleep, score in changes:
                key = f"{day}-{identity}"
                running.documents["sleep"].pop(key, None)
                running.documents["daily_readiness"].pop(f"{day}", None)
                if sleep is not None:
                    running.documents["sleep"][key] = night(f"{day}", key, **sleep)
                if score is not None:
                    one = {"id": f"{day}", "day": f"{day}", "score": score}
                    running.documents["daily_readiness"][f"{day}"] = one
            running.faults.extend(faults)
            running.expires_in_s = 60 if is_expired else 86_400
            store.kill = kill if kill != "before the commit" else None
            before = stored_days(con)
            try:
                sync(con, running, store, number, is_killed=kill == "before the commit")
            except (HealthError, Killed):
                assert stored_days(con) == before
            store.kill = None
            running.faults.clear()
            if parse_tokens(store.text or "").refresh_token != running.refresh_token:
                assert kill == "before saving" or faults
                store = logged_in(running, NOW + timedelta(hours=number))
        sync(con, running, store, len(nights))
        assert stored_days(con) == expected(running)
        assert running.burnt == 0
        rows = con.execute("select count(*) from raw.health_days").fetchall()
        sync(con, running, store, len(nights) + 1)
        assert con.execute("select count(*) from raw.health_days").fetchall() == rows
