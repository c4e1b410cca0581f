"""Read wellness days of Intervals.icu with the athlete's own key.

Requests go through the transport of the Hevy client, with its rate limit and retries. Source: the
OpenAPI description of Intervals.icu, GET /athlete/{id}/wellness.
"""

import base64
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self, TypeGuard

import httpx

from health_connector.addresses import INTERVALS_URL
from health_connector.days import (
    METRICS,
    HealthDay,
    HrvMethod,
    ImpossibleValue,
    Metric,
    Number,
    limit_fault,
    plain_number,
)
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthResponseError,
    HealthUnavailableError,
)
from hevy_connector.canonical_json import read_json
from hevy_connector.client.addresses import is_confidential
from hevy_connector.client.limits import RateLimit, RetryPolicy
from hevy_connector.client.transport import Sender

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

Json = dict[str, Any]


class IntervalsClient:
    """The account of one key; use it as an asynchronous context manager."""

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
        if transport is None and not is_confidential(base_url):
            raise HealthConfigError(
                f"'{base_url}' would receive the key unencrypted; use https, or an address of this "
                "machine."
            )
        self._base_url = base_url.rstrip("/")
        # Source: Intervals.icu, "API access": the user name is the literal API_KEY.
        self._authorization = base64.b64encode(f"API_KEY:{key}".encode()).decode()
        self._transport = transport or httpx.AsyncHTTPTransport(verify=_tls())
        self._sender = Sender(self._transport, retry or RetryPolicy(), limit or RateLimit())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._transport.aclose()

    async def athlete_name(self) -> str:
        """Return the name of the key's owner; this verifies the key.

        Raises:
            HealthError: see `wellness`.
        """
        answer = await self._read("athlete/0", {})
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
        answer = await self._read("athlete/0/wellness", window)
        if not isinstance(answer, list) or not all(isinstance(one, dict) for one in answer):
            raise HealthResponseError("Intervals.icu answered wellness without a list of days.")
        for one in answer:
            if not oldest <= _day_of(one) <= newest:
                raise HealthResponseError(
                    f"Intervals.icu answered with {one['id']}, outside {oldest} to {newest}."
                )
        return answer

    async def _read(self, path: str, params: Mapping[str, str]) -> Any:
        url = f"{self._base_url}/api/v1/{path}"
        headers = {
            "accept": "application/json",
            "accept-encoding": "gzip, deflate",
            "authorization": f"Basic {self._authorization}",
            "user-agent": "spotter",
        }
        try:
            response = await self._sender.send("GET", url, headers=headers, params=params)
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise HealthUnavailableError(
                f"Intervals.icu cannot be read at {self._base_url} ({type(error).__name__}). Try "
                "again later; nothing was changed here."
            ) from error
        if response.status_code in (401, 403):
            raise HealthAuthError(
                "Intervals.icu refused the key. Get a new one at intervals.icu/settings and run: "
                "spotter connect intervals"
            )
        if not response.is_success:
            raise HealthUnavailableError(
                f"Intervals.icu answered {response.status_code} to {path}. Try again later; "
                "nothing was changed here."
            )
        try:
            return read_json(response.content)
        except (ValueError, RecursionError) as error:
            raise HealthResponseError(f"Intervals.icu answered {path} without JSON.") from error


def parse_wellness(objects: Sequence[Json]) -> list[HealthDay]:
    """Parse wellness objects into days; of two with the same date the last one counts.

    Values that the service carried forward from an earlier day are dropped. Sleep is rounded to
    whole minutes. A value that is no number, or impossible, is kept apart.
    """
    return list({day.day: day for day in map(_parse_day, objects)}.values())


def _parse_day(answer: Json) -> HealthDay:
    values: dict[Metric, Number] = {}
    impossible: list[ImpossibleValue] = []
    read: dict[Metric, Any] = {
        metric: answer.get(name)
        for metric, name in _FIELDS.items()
        if answer.get(_CARRIED_FORWARD.get(metric, "")) is not True
    }
    seconds = answer.get("sleepSecs")
    read["sleep_minutes"] = round(seconds / 60) if _is_number(seconds) else seconds
    method, read["hrv_ms"] = next(
        ((method, answer[name]) for method, name in _HRV_FIELDS if answer.get(name) is not None),
        (None, None),
    )
    for metric in METRICS:
        if (found := read.get(metric)) is None:
            continue
        fault = (
            limit_fault(metric, value := Decimal(str(found)))
            if _is_number(found)
            else f"{metric} is not a number"
        )
        if fault is None:
            values[metric] = plain_number(value)
        else:
            impossible.append(ImpossibleValue(metric, f"{fault}.", str(found)[:80]))
    return HealthDay(
        source=INTERVALS,
        day=_day_of(answer),
        values=values,
        hrv_method=method if "hrv_ms" in values else None,
        impossible=tuple(impossible),
    )


def _is_number(value: object) -> TypeGuard[int | float | Decimal]:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _day_of(answer: Json) -> date:
    try:
        return date.fromisoformat(str(answer.get("id")))
    except ValueError as error:
        raise HealthResponseError("Intervals.icu answered with a day without a date.") from error


@cache
def _tls() -> SSLContext:
    """Load the trusted certificates once: that takes longer than a request."""
    return httpx.create_ssl_context()
