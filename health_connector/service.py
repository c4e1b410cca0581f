"""Read JSON of one account at a service, over the transport of the Hevy client."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date
from types import TracebackType
from typing import Any, Self

import httpx

from health_connector.days import HealthDay
from health_connector.errors import (
    HealthConfigError,
    HealthError,
    HealthResponseError,
    HealthUnavailableError,
)
from health_connector.sessions import Session
from hevy_connector.canonical_json import read_json
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.http.transport import HEADERS, UnencryptedUrlError, open_sender

Json = dict[str, Any]


class ServiceClient(ABC):
    """An account at a service; use it as an asynchronous context manager.

    Subclasses set `service`, its name in messages, and translate refusals in `_refusal`.
    """

    service = ""

    def __init__(
        self,
        authorization: str,
        base_url: str,
        *,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        try:
            self._sender = open_sender(base_url, retry, limit, transport)
        except UnencryptedUrlError as error:
            raise HealthConfigError(str(error)) from None
        self._base_url = base_url.rstrip("/")
        self._authorization = authorization

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._sender.aclose()

    @abstractmethod
    async def days(self, oldest: date, newest: date) -> list[HealthDay]:
        """Return the days from `oldest` to `newest`, both included.

        Raises:
            HealthError: the read failed; nothing may be concluded about the days.
        """

    async def sessions(self, oldest: date, newest: date) -> tuple[list[Session] | None, int]:
        """Return the sessions of these days, and how many the service does not give.

        None if the login does not allow them: then nothing may be concluded about known ones.

        Raises:
            HealthError: see `days`.
        """
        return [], 0

    @abstractmethod
    def _refusal(self, response: httpx.Response) -> HealthError | None:
        """Return the error of a status that only this service has, or None."""

    async def _read(self, path: str, params: Mapping[str, str]) -> Any:
        """Return the JSON at a path.

        Raises:
            HealthAuthError: the account was refused.
            HealthUnavailableError: no usable response after the retries.
            HealthResponseError: the response is no JSON.
        """
        try:
            response = await self._sender.send(
                "GET",
                f"{self._base_url}/{path}",
                headers={**HEADERS, "authorization": self._authorization},
                params=params,
            )
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise HealthUnavailableError(
                f"{self.service} cannot be read at {self._base_url} ({type(error).__name__}). Try "
                "again later; nothing was changed here."
            ) from error
        if (refusal := self._refusal(response)) is not None:
            raise refusal
        if not response.is_success:
            raise HealthUnavailableError(
                f"{self.service} answered {response.status_code} to {path}. Try again later; "
                "nothing was changed here."
            )
        try:
            return read_json(response.content)
        except (ValueError, RecursionError) as error:
            raise HealthResponseError(f"{self.service} answered {path} without JSON.") from error
