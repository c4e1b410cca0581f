"""One Hevy account over HTTP: JSON objects and whole lists, or an error that says what to do.

Objects come just as the service answered them. A list is returned whole or an error is raised: a
list that could not be read to its end never looks like a shorter one.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx

from hevy_connector.canonical_json import read_json
from hevy_connector.client.addresses import keeps_secrets
from hevy_connector.client.transport import RateLimit, RetryPolicy, Sender
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
from hevy_connector.schemas import JsonObject

HEVY_URL = "https://api.hevyapp.com"

_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "gzip, deflate",
    "user-agent": "spotter",
}
_READS_OF_A_LIST = 3
# Enough that no place in flight is empty while the first of them is waited for.
_PAGES_AHEAD = 16
_LONGEST_DETAIL = 200


@dataclass(frozen=True)
class Listing:
    """A list of the API: its path, the keys under which it was seen, and how it is paged.

    `identity` is the field by which a record is known. Without one the list is a feed: its records
    may come twice and it moves while it is read, so it is read page after page.
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
    """The account's key, which stands nowhere else in the client."""

    def __init__(self, text: str) -> None:
        self._text = text

    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {**_HEADERS, "api-key": self._text}

    def hidden(self, text: str) -> str:
        """The text without the key, should the service or a proxy have repeated it."""
        return text.replace(self._text, "[API key]")


class Connection:
    """An account's connection.

    Raises (every operation):
        HevyAuthError: the key was refused.
        HevyUnavailableError: no usable answer after the retries.
        HevyRequestError: the service refused the request.
        HevyResponseError: the answer is not what the endpoint promises.
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
        if transport is None and not keeps_secrets(base_url):
            raise HevyConfigError(
                f"'{base_url}' would get the key for all to read; use https, or an address of this "
                "machine."
            )
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self._key = _ApiKey(api_key)
        self._transport = transport or httpx.AsyncHTTPTransport(verify=_tls())
        self._sender = Sender(self._transport, retry, limit)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def read(self, path: str, params: Mapping[str, str] | None = None) -> JsonObject:
        """The JSON object that a GET answers."""
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
        """All records of a list, each once; read again if it changed while it was read."""
        if listing.identity is None:
            return await self._read_feed(listing, params or {})
        for _ in range(_READS_OF_A_LIST):
            try:
                return await self._read_still(listing, listing.identity, params or {})
            except HevyListMovedError as error:
                moved = error
        raise moved

    async def pages(self, listing: Listing) -> AsyncGenerator[list[JsonObject], None]:
        """The pages of a list in order, as they come in, as many as there were at the beginning.

        Records may be missing or come twice that moved from page to page: for callers who have
        other means to find that.
        """
        first = await self._page(listing, {}, 1)
        others = self._in_order(listing, {}, range(2, first.page_count + 1))
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
        """The successful answer to one request; see `Sender.send` for `is_repeatable`."""
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
            reason = self._key.hidden(str(error))
            raise HevyUnavailableError(
                f"Hevy cannot be reached at {self.base_url} ({method} {path}: "
                f"{reason or type(error).__name__}). {_advice(method)}"
            ) from (error if reason == str(error) else None)
        except httpx.DecodingError as error:
            raise HevyResponseError(
                f"The answer to {method} {path} is damaged and cannot be unpacked ({error})."
            ) from error
        if not response.is_success:
            raise self._failure(response, method, path)
        return response

    def json_of(self, response: httpx.Response) -> Any:
        """The answer as JSON; NaN and infinity, which JSON does not know, are refused."""
        try:
            return read_json(response.content)
        except (ValueError, RecursionError) as error:
            raise HevyResponseError(
                f"{response.request.method} {response.request.url.path} did not answer with JSON: "
                f"{self._key.hidden(response.text)[:80]!r} ({error})"
            ) from error

    async def _read_still(
        self, listing: Listing, identity: str, params: Mapping[str, str]
    ) -> list[JsonObject]:
        """All pages of a list that did not change meanwhile, several at a time.

        Whatever is added or removed anywhere moves the last page. So that one is read before all
        others and once more after them. What only changed its place stands on two pages, if what
        it pushed aside stands on none.
        """
        first = await self._page(listing, params, 1)
        last = first.page_count
        if last <= 1:
            return _each_once([first], identity)
        before = await self._page(listing, params, last)
        async with aclosing(self._in_order(listing, params, range(1, last))) as reading:
            others = [page async for page in reading]
        after = await self._page(listing, params, last)
        if _ids(before, identity) != _ids(after, identity):
            raise _moved(listing, "its last page changed")
        if {page.page_count for page in (before, *others, after)} != {last}:
            raise _moved(listing, "the number of its pages changed")
        records = _each_once([*others, after], identity)
        if len(records) < sum(len(page.records) for page in (*others, after)):
            raise _moved(listing, "a record stood on two pages")
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

    async def _in_order(
        self, listing: Listing, params: Mapping[str, str], numbers: Iterable[int]
    ) -> AsyncGenerator[_Page, None]:
        """These pages in order, some of them read ahead; at the end no reading goes on."""
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
            raise _moved(listing, f"Hevy promised a page {page} and answered 404") from error
        records = next((answer[key] for key in listing.keys if key in answer), None)
        if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
            raise HevyResponseError(f"GET {listing.path} answered without {listing.keys[0]}")
        count = answer.get("page_count")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            # Without it nobody knows where the list ends.
            raise HevyResponseError(
                f"GET {listing.path} answered without the number of its pages (its page_count is "
                f"a {type(count).__name__})"
            )
        return _Page(records, count)

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
                f"{_advice(method)}"
            )
        detail = self._key.hidden(_error_text(response))[:_LONGEST_DETAIL]
        kind = HevyNotFoundError if status == 404 else HevyRequestError
        return kind(
            f"Hevy refused {method} {path} with {status}: {detail or 'no reason given'}",
            status=status,
            detail=detail,
        )


def _advice(method: str) -> str:
    """What to do after no answer; a create may have been carried out all the same."""
    if method == "POST":
        return "It may have been carried out: look in the app before sending it again."
    return "Check the network and the API's URL, and try again later; nothing was changed here."


def _moved(listing: Listing, how: str) -> HevyListMovedError:
    return HevyListMovedError(
        f"The list of {listing.path} broke off or kept changing while it was read: {how}. "
        "Try again later; nothing was changed here."
    )


def _ids(page: _Page, identity: str) -> list[Any]:
    return [record.get(identity) for record in page.records]


def _each_once(pages: Sequence[_Page], identity: str) -> list[JsonObject]:
    """All records; one without an id stays, for whoever reads it to complain of."""
    records: dict[Any, JsonObject] = {}
    for page in pages:
        for record in page.records:
            known = record.get(identity)
            records.setdefault(known if isinstance(known, str | int) else id(record), record)
    return list(records.values())


@cache
def _tls() -> ssl.SSLContext:
    """Whom to trust, read once: it takes longer than a request."""
    return httpx.create_ssl_context()


def _is_http_url(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in {"http", "https"} and bool(url.host)


def _error_text(response: httpx.Response) -> str:
    """The service's own words; errors come as JSON, as text or empty."""
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return response.text
    return str(answer.get("error", answer) if isinstance(answer, dict) else answer)
