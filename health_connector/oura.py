"""Read nights, readiness and workouts of the Oura API v2.

A day is the one on which the athlete woke up, as Oura counts it. Source: the OpenAPI description of
the Oura API 1.37, GET /v2/usercollection/sleep, daily_readiness and workout.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import httpx

from health_connector.addresses import OURA_URL
from health_connector.days import (
    LIMITS,
    HealthDay,
    HrvMethod,
    Metric,
    check_values,
    is_measure,
    whole_minutes,
)
from health_connector.errors import (
    HealthAuthError,
    HealthError,
    HealthLoginExpiredError,
    HealthPermissionError,
    HealthResponseError,
)
from health_connector.service import Json, ServiceClient
from health_connector.sessions import Session, minutes, session_of
from hevy_connector.http.limits import RateLimit, RetryPolicy

OURA = "oura_api"
"""Source of the days that are read here; files may have the source "oura"."""

# The service filters some collections by time and others by day. It does not document if both ends
# are included, so more is requested than needed.
_MARGIN = timedelta(days=2)
_MOST_PAGES = 1000
_NO_SLEEP = frozenset({"deleted", "rest"})
_MAIN_SLEEP = "long_sleep"


class OuraClient(ServiceClient):
    """The account of one access token."""

    service = "Oura"

    def __init__(
        self,
        access_token: str,
        *,
        base_url: str = OURA_URL,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(
            f"Bearer {access_token}", base_url, retry=retry, limit=limit, transport=transport
        )

    async def days(self, oldest: date, newest: date) -> list[HealthDay]:
        """Return the days from `oldest` to `newest`, both included.

        Raises:
            HealthLoginExpiredError: the access token is no longer valid.
            HealthAuthError: the login lacks a permission, or the athlete a membership.
            HealthUnavailableError: no usable response after the retries.
            HealthResponseError: a response is no page of its collection, or a document has no id.
        """
        sleep = await self._collection("sleep", oldest, newest)
        readiness = await self._collection("daily_readiness", oldest, newest)
        days = parse_days(sleep, readiness)
        return [day for day in days if oldest <= day.day <= newest]

    async def sessions(self, oldest: date, newest: date) -> tuple[list[Session] | None, int]:
        """Return the workouts of these days, None if the login does not allow them.

        Oura records no heart rate of a workout and no effort in numbers.

        Raises:
            HealthError: see `days`.
        """
        try:
            workouts = await self._collection("workout", oldest, newest)
        except HealthPermissionError:
            return None, 0
        sessions = [_parse_workout(one) for one in workouts]
        return [one for one in sessions if one.local_date and oldest <= one.local_date <= newest], 0

    async def _collection(self, name: str, oldest: date, newest: date) -> list[Json]:
        """Return all documents of a collection; of two with the same id the last one counts."""
        window = {
            "start_date": (oldest - _MARGIN).isoformat(),
            "end_date": (newest + _MARGIN).isoformat(),
        }
        documents: dict[str, Json] = {}
        next_token: str | None = None
        for _ in range(_MOST_PAGES):
            token = {} if next_token is None else {"next_token": next_token}
            answer = await self._read(f"v2/usercollection/{name}", {**window, **token})
            page = answer.get("data") if isinstance(answer, dict) else None
            if not isinstance(page, list) or not all(isinstance(one, dict) for one in page):
                raise HealthResponseError(f"Oura answered {name} without a list of documents.")
            for one in page:
                documents[_id_of(one, name)] = one
            following = answer.get("next_token")
            if not following:
                return list(documents.values())
            if not isinstance(following, str) or following == next_token:
                break
            next_token = following
        raise HealthResponseError(f"Oura answered {name} with pages that do not end.")

    def _refusal(self, response: httpx.Response) -> HealthError | None:
        if response.status_code == 401:
            # Another token would be refused as well, so this is not an expired login.
            if "scope" in response.text:
                return HealthPermissionError(
                    "The login at Oura does not allow daily data. Allow it: spotter connect oura"
                )
            return HealthLoginExpiredError(
                "Oura refused the login. Log in again: spotter connect oura"
            )
        if response.status_code == 403:
            return HealthAuthError("Oura gives its API only to accounts with a membership.")
        if response.status_code == 426:
            return HealthAuthError("Update the Oura app on the phone; it is too old for the API.")
        return None


def parse_days(sleep: Sequence[Json], readiness: Sequence[Json]) -> list[HealthDay]:
    """Parse documents of sleep and of daily readiness into days.

    - Sleep: the sum of the long sleeps of a day; without any the longest sleep.
    - Heart rate variability (average rMSSD) and resting heart rate (the lowest): of the longest.

    Sleep that has not ended, was deleted, or that the athlete rejected is not read. A value that is
    no number, or impossible, is kept apart.
    """
    found: dict[date, dict[Metric, Any]] = defaultdict(dict)
    for one in readiness:
        found[_day_of(one)]["readiness"] = one.get("score")
    nights: dict[date, list[Json]] = defaultdict(list)
    for one in sleep:
        if one.get("type") not in _NO_SLEEP and one.get("bedtime_end") is not None:
            nights[_day_of(one)].append(one)
    for day, periods in nights.items():
        found[day].update(_night(periods))
    days = []
    for day, read in sorted(found.items()):
        values, impossible = check_values(read, LIMITS)
        method: HrvMethod | None = "rmssd" if "hrv_ms" in values else None
        days.append(HealthDay(OURA, day, values, method, impossible))
    return days


def _night(periods: Iterable[Json]) -> Mapping[Metric, Any]:
    """Return the values of the sleep periods of a day."""
    ranked = sorted(
        periods,
        key=lambda one: (one.get("type") == _MAIN_SLEEP, _seconds(one), str(one.get("id"))),
        reverse=True,
    )
    longest = ranked[0]
    seconds = longest.get("total_sleep_duration")
    if is_measure(seconds) and longest.get("type") == _MAIN_SLEEP:
        seconds = sum(_seconds(one) for one in ranked if one.get("type") == _MAIN_SLEEP)
    return {
        "sleep_minutes": whole_minutes(seconds),
        "hrv_ms": longest.get("average_hrv"),
        "resting_hr": longest.get("lowest_heart_rate"),
    }


def _parse_workout(document: Json) -> Session:
    try:
        started_at, ended_at = (
            datetime.fromisoformat(str(document.get(f"{end}_datetime"))) for end in ("start", "end")
        )
        duration_s = (ended_at - started_at).total_seconds()
        if started_at.tzinfo is None:
            raise ValueError
    except (TypeError, ValueError) as error:
        raise HealthResponseError(
            "Oura answered with a workout without a start and an end."
        ) from error
    return session_of(
        OURA,
        _id_of(document, "workout"),
        started_at,
        document.get("activity"),
        {"duration_minutes": minutes(duration_s), "distance_m": document.get("distance")},
        _day_of(document),
    )


def _seconds(period: Json) -> float:
    found = period.get("total_sleep_duration")
    return float(found) if is_measure(found) else 0.0


def _id_of(document: Json, collection: str) -> str:
    found = document.get("id")
    if not isinstance(found, str) or not found:
        # Documents without an id would replace each other, and their days would be deleted.
        raise HealthResponseError(f"Oura answered {collection} with a document without an id.")
    return found


def _day_of(document: Json) -> date:
    try:
        return date.fromisoformat(str(document.get("day")))
    except ValueError as error:
        raise HealthResponseError("Oura answered with a document without a day.") from error
