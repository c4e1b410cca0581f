"""Read wellness days of Intervals.icu with the athlete's own key.

Source: the OpenAPI description of Intervals.icu, GET /athlete/{id}/wellness.
"""

import base64
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import httpx

from health_connector.addresses import INTERVALS_URL
from health_connector.days import HealthDay, HrvMethod, Metric, check_values, whole_minutes
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthError,
    HealthResponseError,
)
from health_connector.service import Json, ServiceClient
from hevy_connector.client.limits import RateLimit, RetryPolicy

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
    values, impossible = check_values(read)
    return HealthDay(
        source=INTERVALS,
        day=_day_of(answer),
        values=values,
        hrv_method=method if "hrv_ms" in values else None,
        impossible=impossible,
    )


def _day_of(answer: Json) -> date:
    try:
        return date.fromisoformat(str(answer.get("id")))
    except ValueError as error:
        raise HealthResponseError("Intervals.icu answered with a day without a date.") from error
