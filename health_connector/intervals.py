"""Read wellness days and activities of Intervals.icu with the athlete's own key.

Source: the OpenAPI description of Intervals.icu, GET /athlete/{id}/wellness and activities.
"""

import base64
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import httpx

from health_connector.addresses import INTERVALS_URL
from health_connector.days import LIMITS, HealthDay, HrvMethod, Metric, check_values, whole_minutes
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthError,
    HealthResponseError,
)
from health_connector.service import Json, ServiceClient
from health_connector.sessions import Session, minutes, session_of
from hevy_connector.http.limits import RateLimit, RetryPolicy

INTERVALS = "intervals"
"""Source of the days that are read here."""

_FIELDS: Mapping[Metric, str] = {
    "resting_hr": "restingHR",
    "readiness": "readiness",
    "weight_kg": "weight",
    "body_fat_pct": "bodyFat",
}
# Copied from an earlier day by the service, not measured on this one.
_CARRIED_FORWARD: Mapping[Metric, str] = {
    "weight_kg": "tempWeight",
    "resting_hr": "tempRestingHR",
}
_HRV_FIELDS: tuple[tuple[HrvMethod, str], ...] = (("rmssd", "hrv"), ("sdnn", "hrvSDNN"))


class IntervalsClient(ServiceClient):
    """The account of one key."""

    service = "Intervals.icu"

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = INTERVALS_URL,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        key = api_key.strip()
        if not key or not key.isascii() or not key.isprintable():
            raise HealthConfigError(
                "This is no key of Intervals.icu. Keys are at intervals.icu/settings, under "
                "Developer Settings."
            )
        # Source: Intervals.icu, "API access": the user name is the literal API_KEY.
        basic = base64.b64encode(f"API_KEY:{key}".encode()).decode()
        super().__init__(f"Basic {basic}", base_url, retry=retry, limit=limit, transport=transport)

    async def athlete_name(self) -> str:
        """Return the name of the key's owner; this verifies the key.

        Raises:
            HealthError: see `wellness`.
        """
        answer = await self._read("api/v1/athlete/0", {})
        if not isinstance(answer, dict) or "id" not in answer:
            raise HealthResponseError("Intervals.icu answered athlete/0 without an athlete.")
        return str(answer.get("name") or answer["id"])

    async def wellness(self, oldest: date, newest: date) -> list[Json]:
        """Return the wellness objects of the days from `oldest` to `newest`, both included.

        Raises:
            HealthAuthError: the key was refused.
            HealthUnavailableError: no usable response after the retries.
            HealthResponseError: the response is no list of days of this window.
        """
        window = {"oldest": oldest.isoformat(), "newest": newest.isoformat()}
        answer = await self._read("api/v1/athlete/0/wellness", window)
        if not isinstance(answer, list) or not all(isinstance(one, dict) for one in answer):
            raise HealthResponseError("Intervals.icu answered wellness without a list of days.")
        for one in answer:
            if not oldest <= _day_of(one) <= newest:
                raise HealthResponseError(
                    f"Intervals.icu answered with {one['id']}, outside {oldest} to {newest}."
                )
        return answer

    async def days(self, oldest: date, newest: date) -> list[HealthDay]:
        """Return the days from `oldest` to `newest`, both included; raises as `wellness`."""
        return parse_wellness(await self.wellness(oldest, newest))

    async def sessions(self, oldest: date, newest: date) -> tuple[list[Session], int]:
        """Return the activities of these days, without stubs of Strava, and count those stubs.

        Raises:
            HealthError: see `wellness`.
        """
        # The newest end is a moment for activities, not a day.
        window = {"oldest": oldest.isoformat(), "newest": f"{newest.isoformat()}T23:59:59"}
        answer = await self._read("api/v1/athlete/0/activities", window)
        if not isinstance(answer, list) or not all(isinstance(one, dict) for one in answer):
            raise HealthResponseError("Intervals.icu answered activities without a list.")
        # The terms of Strava forbid others to pass its activities on.
        given = [one for one in answer if one.get("source") != "STRAVA"]
        sessions = {one.session_id: one for one in map(_parse_activity, given)}
        in_window = [
            one
            for one in sessions.values()
            if one.local_date and oldest <= one.local_date <= newest
        ]
        return in_window, len(answer) - len(given)

    def _refusal(self, response: httpx.Response) -> HealthError | None:
        if response.status_code not in (401, 403):
            return None
        return HealthAuthError(
            "Intervals.icu refused the key. Get a new one at intervals.icu/settings and run: "
            "spotter connect intervals"
        )


def parse_wellness(objects: Sequence[Json]) -> list[HealthDay]:
    """Parse wellness objects into days; of two with the same date the last one counts.

    Values that the service carried forward from an earlier day are dropped. Sleep is rounded to
    whole minutes. A value that is no number, or impossible, is kept apart.
    """
    return list({day.day: day for day in map(_parse_day, objects)}.values())


def _parse_day(answer: Json) -> HealthDay:
    read: dict[Metric, Any] = {
        metric: answer.get(name)
        for metric, name in _FIELDS.items()
        if answer.get(_CARRIED_FORWARD.get(metric, "")) is not True
    }
    read["sleep_minutes"] = whole_minutes(answer.get("sleepSecs"))
    method, read["hrv_ms"] = next(
        ((method, answer[name]) for method, name in _HRV_FIELDS if answer.get(name) is not None),
        (None, None),
    )
    values, impossible = check_values(read, LIMITS)
    return HealthDay(
        source=INTERVALS,
        day=_day_of(answer),
        values=values,
        hrv_method=method if "hrv_ms" in values else None,
        impossible=impossible,
    )


def _parse_activity(answer: Json) -> Session:
    try:
        started_at = datetime.fromisoformat(str(answer["start_date"]))
        local_date = datetime.fromisoformat(str(answer["start_date_local"])).date()
        session_id = answer["id"]
        # Activities without an id would replace each other.
        if started_at.tzinfo is None or not isinstance(session_id, str | int) or not session_id:
            raise ValueError
    except (KeyError, ValueError) as error:
        raise HealthResponseError(
            "Intervals.icu answered with an activity without an id or a start."
        ) from error
    moving, elapsed = answer.get("moving_time"), answer.get("elapsed_time")
    return session_of(
        INTERVALS,
        str(session_id),
        started_at,
        answer.get("type"),
        {
            "duration_minutes": minutes(moving or elapsed),
            "distance_m": answer.get("distance"),
            "average_hr": answer.get("average_heartrate"),
            "max_hr": answer.get("max_heartrate"),
            "session_rpe": answer.get("icu_rpe"),
            "vendor_load": answer.get("icu_training_load"),
        },
        local_date,
    )


def _day_of(answer: Json) -> date:
    try:
        return date.fromisoformat(str(answer.get("id")))
    except ValueError as error:
        raise HealthResponseError("Intervals.icu answered with a day without a date.") from error
