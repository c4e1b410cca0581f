"""HTTP connection to one Hevy account; returns JSON objects and whole lists.

Objects are returned unchanged. A list is returned completely or an error is raised: a partial read
never looks like a shorter list. Each error states the action that the reader can take.
"""

import asyncio
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from hevy_connector.canonical_json import read_json
from hevy_connector.connection.hevy_url import HEVY_URL
from hevy_connector.errors import (
    HevyAuthError,
    HevyConfigError,
    HevyError,
    HevyListMovedError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.http.transport import HEADERS, UnencryptedUrlError, open_sender
from hevy_connector.schemas import JsonObject

_READS_OF_A_LIST = 3
# Enough to keep all request slots busy during the wait for the first page.
_PAGES_AHEAD = 16
_LONGEST_DETAIL = 200


@dataclass(frozen=True)
class Listing:
    """A list of the API: its path, its envelope keys and its paging.

    `identity` is the id field of a record. Without one the list is a feed: its records may repeat
    and it changes during the read, so its pages are read one after the other.
    """

    path: str
    keys: tuple[str, ...]
    page_size: int = 10
    identity: str | None = "id"


@dataclass(frozen=True)
class _Page:
    records: list[JsonObject]
    page_count: int


class _ApiKey:
    """The account's key; no other object of the client holds it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {**HEADERS, "api-key": self._text}

    def redact(self, text: str) -> str:
        """Remove the key from a text that the service or a proxy may have echoed."""
        return text.replace(self._text, "[API key]")


class Connection:
    """An account's connection.

    Raises (every operation):
        HevyAuthError: the key was refused.
        HevyUnavailableError: no usable response after the retries.
        HevyRequestError: the service refused the request.
        HevyResponseError: the response does not match the endpoint's schema.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        retry: RetryPolicy,
        limit: RateLimit,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        api_key = api_key.strip()
        if not api_key:
            raise HevyConfigError("No Hevy API key given. Keys are at hevy.com/settings?developer.")
        if not api_key.isascii() or not api_key.isprintable():
            raise HevyConfigError("The Hevy API key holds characters that no key has.")
        if not _is_http_url(base_url):
            raise HevyConfigError(f"'{base_url}' is no URL of the Hevy API; use {HEVY_URL}.")
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self._key = _ApiKey(api_key)
        try:
            self._sender = open_sender(base_url, retry, limit, transport)
        except UnencryptedUrlError as error:
            raise HevyConfigError(str(error)) from None

    async def aclose(self) -> None:
        """Close the connections, unless they are shared."""
        await self._sender.aclose()

    async def read(self, path: str, params: Mapping[str, str] | None = None) -> JsonObject:
        """Fetch a JSON object with GET."""
        response = await self.request("GET", path, params=params)
        answer = self.json_of(response)
        if not isinstance(answer, dict):
            raise HevyResponseError(
                f"GET {path} answered {type(answer).__name__} where an object was expected"
            )
        return answer

    async def read_all(
        self, listing: Listing, params: Mapping[str, str] | None = None
    ) -> list[JsonObject]:
        """Fetch all records of a list, each once; retry if the list changes during the read."""
        if listing.identity is None:
            return await self._read_feed(listing, params or {})
        for _ in range(_READS_OF_A_LIST):
            try:
                return await self._read_stable(listing, listing.identity, params or {})
            except HevyListMovedError as error:
                moved = error
        raise moved

    async def pages(self, listing: Listing) -> AsyncGenerator[list[JsonObject], None]:
        """Yield the pages of a list in order, as many as there were at the beginning.

        Records that move between pages may be missing or occur twice; the caller must detect that.
        """
        first = await self._page(listing, {}, 1)
        others = self._pages_in_order(listing, {}, range(2, first.page_count + 1))
        async with aclosing(others):
            yield first.records
            async for page in others:
                yield page.records

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: JsonObject | None = None,
        is_repeatable: bool | None = None,
    ) -> httpx.Response:
        """Return the successful response to one request; see `Sender.send` for `is_repeatable`."""
        try:
            response = await self._sender.send(
                method,
                f"{self.base_url}/v1/{path}",
                headers=self._key.headers(),
                params=params,
                body=body,
                is_repeatable=is_repeatable,
            )
        except httpx.TransportError as error:
            reason = self._key.redact(str(error))
            raise HevyUnavailableError(
                f"Hevy cannot be reached at {self.base_url} ({method} {path}: "
                f"{reason or type(error).__name__}). {_advice(method)}"
            ) from (error if reason == str(error) else None)
        except httpx.DecodingError as error:
            raise HevyResponseError(
                f"The answer to {method} {path} is damaged and cannot be unpacked ({error})."
            ) from error
        if not response.is_success:
            raise self._error_for(response, method, path)
        return response

    def json_of(self, response: httpx.Response) -> Any:
        """Parse the response as JSON; NaN and infinity are rejected, since JSON has neither."""
        try:
            return read_json(response.content)
        except (ValueError, RecursionError) as error:
            raise HevyResponseError(
                f"{response.request.method} {response.request.url.path} did not answer with JSON: "
                f"{self._key.redact(response.text)[:80]!r} ({error})"
            ) from error

    async def _read_stable(
        self, listing: Listing, identity: str, params: Mapping[str, str]
    ) -> list[JsonObject]:
        """Fetch all pages of a list concurrently and fail if it changed during the read.

        Every insertion and deletion moves the last page, so that page is read first and again at
        the end. A record that only changed its place occurs on two pages, unless the record that it
        displaced occurs on none.
        """
        first = await self._page(listing, params, 1)
        last = first.page_count
        if last <= 1:
            return _deduplicate([first], identity)
        before = await self._page(listing, params, last)
        async with aclosing(self._pages_in_order(listing, params, range(1, last))) as reading:
            others = [page async for page in reading]
        after = await self._page(listing, params, last)
        if _ids(before, identity) != _ids(after, identity):
            raise _list_moved_error(listing, "its last page changed")
        if {page.page_count for page in (before, *others, after)} != {last}:
            raise _list_moved_error(listing, "the number of its pages changed")
        records = _deduplicate([*others, after], identity)
        if len(records) < sum(len(page.records) for page in (*others, after)):
            raise _list_moved_error(listing, "a record was on two pages")
        return records

    async def _read_feed(self, listing: Listing, params: Mapping[str, str]) -> list[JsonObject]:
        records: list[JsonObject] = []
        page = 1
        while True:
            answer = await self._page(listing, params, page)
            records += answer.records
            if page >= answer.page_count:
                return records
            page += 1

    async def _pages_in_order(
        self, listing: Listing, params: Mapping[str, str], numbers: Iterable[int]
    ) -> AsyncGenerator[_Page, None]:
        """Yield these pages in order, with read-ahead; cancel pending requests at the end."""
        reads: deque[asyncio.Task[_Page]] = deque()
        try:
            for number in numbers:
                reads.append(asyncio.create_task(self._page(listing, params, number)))
                if len(reads) == _PAGES_AHEAD:
                    yield await reads[0]
                    reads.popleft()
            while reads:
                yield await reads[0]
                reads.popleft()
        finally:
            for read in reads:
                read.cancel()
            await asyncio.gather(*reads, return_exceptions=True)

    async def _page(self, listing: Listing, params: Mapping[str, str], page: int) -> _Page:
        query = {**params, "page": str(page), "pageSize": str(listing.page_size)}
        try:
            answer = await self.read(listing.path, query)
        except HevyNotFoundError as error:
            if page == 1:
                raise
            raise _list_moved_error(
                listing, f"Hevy announced page {page} and returned 404"
            ) from error
        records = next((answer[key] for key in listing.keys if key in answer), None)
        if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
            raise HevyResponseError(f"GET {listing.path} answered without {listing.keys[0]}")
        count = answer.get("page_count")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            # Without it the end of the list is unknown.
            raise HevyResponseError(
                f"GET {listing.path} answered without the number of its pages (its page_count is "
                f"a {type(count).__name__})"
            )
        return _Page(records, count)

    def _error_for(self, response: httpx.Response, method: str, path: str) -> HevyError:
        status = response.status_code
        if status == 401:
            return HevyAuthError(
                f"Hevy at {self.base_url} refused the API key: it is wrong, or the account has no "
                "Pro subscription. Get the key at hevy.com/settings?developer."
            )
        if status == 429 or status >= 500:
            return HevyUnavailableError(
                f"Hevy at {self.base_url} kept answering {status} to {method} {path}. "
                f"{_advice(method)}"
            )
        detail = self._key.redact(_error_text(response))[:_LONGEST_DETAIL]
        kind = HevyNotFoundError if status == 404 else HevyRequestError
        return kind(
            f"Hevy refused {method} {path} with {status}: {detail or 'no reason given'}",
            status=status,
            detail=detail,
        )


def _advice(method: str) -> str:
    """Return the advice after a missing response; a create may still have been carried out."""
    if method == "POST":
        return "It may have been carried out: look in the app before sending it again."
    return "Check the network and the API's URL, and try again later; nothing was changed here."


def _list_moved_error(listing: Listing, how: str) -> HevyListMovedError:
    return HevyListMovedError(
        f"The list of {listing.path} broke off or kept changing while it was read: {how}. "
        "Try again later; nothing was changed here."
    )


def _ids(page: _Page, identity: str) -> list[Any]:
    return [record.get(identity) for record in page.records]


def _deduplicate(pages: Sequence[_Page], identity: str) -> list[JsonObject]:
    """Deduplicate records by id; a record without an id stays and is rejected later."""
    records: dict[Any, JsonObject] = {}
    for page in pages:
        for record in page.records:
            known = record.get(identity)
            records.setdefault(known if isinstance(known, str | int) else id(record), record)
    return list(records.values())


def _is_http_url(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in {"http", "https"} and bool(url.host)


def _error_text(response: httpx.Response) -> str:
    """Return the service's error message; errors come as JSON, as text or empty."""
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return response.text
    return str(answer.get("error", answer) if isinstance(answer, dict) else answer)
