"""The Hevy API client: complete reads, checked writes, errors that say what to do.

Reads return the service's JSON objects unchanged, because the raw tables keep what was really
answered; `schemas` gives them types. A list is returned whole or an error is raised: a list that
could not be read to its end never looks like a shorter one.
"""

import json
from collections.abc import Generator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, NoReturn, Self

import httpx

from hevy_connector.errors import (
    HevyAuthError,
    HevyConfigError,
    HevyError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.schemas import RoutineWrite
from hevy_connector.transport import RetryPolicy, RetryTransport

HEVY_URL = "https://api.hevyapp.com"

JsonObject = dict[str, Any]

_PAGE_SIZE = 10
_TEMPLATE_PAGE_SIZE = 100
_TIMEOUT = httpx.Timeout(30, connect=10)


class _ApiKeyAuth(httpx.Auth):
    """Adds the key to each request, so that it stands nowhere else in the client."""

    def __init__(self, api_key: str) -> None:
        self._api_key = api_key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["api-key"] = self._api_key
        yield request


class HevyClient:
    """One Hevy account over HTTP; use it as a context manager.

    Args:
        api_key: the account's key; it appears in no message and no representation.
        base_url: where the service is, without `/v1`.
        retry: how often failed requests are repeated.
        transport: what sends requests; tests hand in their own.

    Raises (every operation):
        HevyAuthError: the key was refused.
        HevyUnavailableError: no usable answer after the retries.
        HevyRequestError: the service refused the request.
        HevyResponseError: the answer is not what the endpoint promises.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = HEVY_URL,
        retry: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if not api_key.strip():
            raise HevyConfigError("No Hevy API key given. Keys are at hevy.com/settings?developer.")
        if not api_key.isascii() or not api_key.isprintable():
            raise HevyConfigError("The Hevy API key holds characters that no key has.")
        if not _is_http_url(base_url):
            raise HevyConfigError(f"'{base_url}' is no URL of the Hevy API; use {HEVY_URL}.")
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self._http = httpx.Client(
            base_url=f"{self.base_url}/v1/",
            auth=_ApiKeyAuth(api_key.strip()),
            timeout=_TIMEOUT,
            headers={"accept": "application/json"},
            transport=RetryTransport(transport or httpx.HTTPTransport(), retry),
        )

    def __repr__(self) -> str:
        return f"HevyClient({self.base_url})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def user_info(self) -> JsonObject:
        """The account that the key belongs to. Source: GET /v1/user/info."""
        answer = _json_object(self._request("GET", "user/info"))
        return _unwrapped(answer, "data")

    def workout_count(self) -> int:
        """How many workouts the account has. Source: GET /v1/workouts/count."""
        answer = _json_object(self._request("GET", "workouts/count"))
        count = answer.get("workout_count")
        if not isinstance(count, int):
            raise HevyResponseError(f"GET workouts/count answered without a count: {answer}")
        return count

    def workouts(self) -> list[JsonObject]:
        """All workouts, newest first. Source: GET /v1/workouts."""
        return self._read_list("workouts", ("workouts",), _PAGE_SIZE, identity="id")

    def workout_events(self, since: datetime) -> list[JsonObject]:
        """Changes of workouts since an aware time, newest first. Source: GET /v1/workouts/events.

        An empty feed was seen to answer under the key `workouts`.
        """
        text = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return self._read_list(
            "workouts/events", ("events", "workouts"), _PAGE_SIZE, params={"since": text}
        )

    def routines(self) -> list[JsonObject]:
        """All routines. Source: GET /v1/routines."""
        return self._read_list("routines", ("routines",), _PAGE_SIZE, identity="id")

    def routine_folders(self) -> list[JsonObject]:
        """All folders of routines. Source: GET /v1/routine_folders."""
        return self._read_list("routine_folders", ("routine_folders",), _PAGE_SIZE, identity="id")

    def exercise_templates(self) -> list[JsonObject]:
        """The catalogue: built-in exercises and the athlete's own.

        Source: GET /v1/exercise_templates.
        """
        return self._read_list(
            "exercise_templates", ("exercise_templates",), _TEMPLATE_PAGE_SIZE, identity="id"
        )

    def body_measurements(self) -> list[JsonObject]:
        """All body measurements, one a day. Source: GET /v1/body_measurements."""
        return self._read_list(
            "body_measurements", ("body_measurements",), _PAGE_SIZE, identity="date"
        )

    def routine(self, routine_id: str) -> JsonObject:
        """One routine as it is now. Source: GET /v1/routines/{routineId}.

        Raises:
            HevyNotFoundError: there is no such routine (any more).
        """
        return _unwrapped(_json_object(self._request("GET", f"routines/{routine_id}")), "routine")

    def update_routine(self, routine_id: str, routine: RoutineWrite) -> None:
        """Replace a whole routine. Source: PUT /v1/routines/{routineId}.

        The answer's shape differs between versions of the service, so it is not interpreted:
        read the routine back to see what is stored.

        Raises:
            HevyNotFoundError: there is no such routine (any more).
        """
        self._request("PUT", f"routines/{routine_id}", body=routine.put_body())

    def create_routine(self, routine: RoutineWrite, folder_id: int | None = None) -> None:
        """Create a routine, in "My Routines" where no folder is given. Source: POST /v1/routines.

        It is sent once: after an unclear failure look in the list before trying again.
        """
        self._request("POST", "routines", body=routine.post_body(folder_id))

    def _read_list(
        self,
        path: str,
        keys: tuple[str, ...],
        page_size: int,
        *,
        identity: str | None = None,
        params: dict[str, str] | None = None,
    ) -> list[JsonObject]:
        """All pages of a list; a record that a shifting page shows twice is kept once.

        Each answer says anew how many pages there are, so only pages that were promised are asked
        for: one that is not there is a list that broke off.
        """
        records: list[JsonObject] = []
        seen: set[Any] = set()
        page = 1
        while True:
            query = {**(params or {}), "page": str(page), "pageSize": str(page_size)}
            try:
                answer = _json_object(self._request("GET", path, params=query))
            except HevyNotFoundError as error:
                if page == 1:
                    raise
                raise HevyUnavailableError(
                    f"The list of {path} broke off: Hevy promised a page {page} and answered 404. "
                    "Try again later; nothing was changed here."
                ) from error
            for record in _listed(answer, keys, path):
                known = record.get(identity) if identity else None
                if known is None or known not in seen:
                    seen.add(known)
                    records.append(record)
            if page >= _page_count(answer, path):
                return records
            page += 1

    def _request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, str] | None = None,
        body: JsonObject | None = None,
    ) -> httpx.Response:
        try:
            response = self._http.request(method, path, params=params, json=body)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise HevyUnavailableError(
                f"Hevy cannot be reached at {self.base_url} ({method} {path}: {reason}). "
                "Check the network and the API's URL; nothing was changed here."
            ) from error
        except httpx.DecodingError as error:
            raise HevyResponseError(
                f"The answer to {method} {path} is damaged and cannot be unpacked ({error})."
            ) from error
        if not response.is_success:
            raise self._failure(response, method, path)
        return response

    def _failure(self, response: httpx.Response, method: str, path: str) -> HevyError:
        status = response.status_code
        if status == 401:
            return HevyAuthError(
                f"Hevy at {self.base_url} refused the API key: it is wrong, or the account has no "
                "Pro subscription. Get the key at hevy.com/settings?developer."
            )
        if status == 429 or status >= 500:
            return HevyUnavailableError(
                f"Hevy at {self.base_url} kept answering {status} to {method} {path}. "
                "Try again later; nothing was changed here."
            )
        detail = _error_text(response)
        kind = HevyNotFoundError if status == 404 else HevyRequestError
        return kind(
            f"Hevy refused {method} {path} with {status}: {detail or 'no reason given'}",
            status=status,
            detail=detail,
        )


def _is_http_url(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in {"http", "https"} and bool(url.host)


def _json_object(response: httpx.Response) -> JsonObject:
    """The answer as a JSON object; numbers that JSON does not know are refused."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    try:
        answer = json.loads(response.text, parse_constant=refuse)
    except ValueError as error:
        raise HevyResponseError(
            f"{response.request.method} {response.request.url.path} did not answer with JSON: "
            f"{response.text[:80]!r} ({error})"
        ) from error
    if not isinstance(answer, dict):
        raise HevyResponseError(
            f"{response.request.method} {response.request.url.path} answered "
            f"{type(answer).__name__} where an object was expected"
        )
    return answer


def _unwrapped(answer: JsonObject, key: str) -> JsonObject:
    """The object inside its envelope: bare, as an object or as a list of one."""
    inner = answer.get(key, answer)
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    if not isinstance(inner, dict):
        raise HevyResponseError(f"the answer holds no {key}")
    return inner


def _listed(answer: JsonObject, keys: tuple[str, ...], path: str) -> list[JsonObject]:
    records = next((answer[key] for key in keys if key in answer), None)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise HevyResponseError(f"GET {path} answered without a list of {keys[0]}")
    return records


def _page_count(answer: JsonObject, path: str) -> int:
    """How many pages there are, 0 for an empty list; without it nobody knows where a list ends."""
    count = answer.get("page_count")
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise HevyResponseError(
            f"GET {path} answered without the number of its pages (page_count: {count!r})"
        )
    return count


def _error_text(response: httpx.Response) -> str:
    """The service's own words, shortened; errors come as JSON, as text or empty."""
    try:
        answer = response.json()
    except ValueError:
        return response.text[:200]
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(error)[:200]
