"""Parse the parameters of one call as the service does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hevy_connector.simulator.api.json_text import read_json
from hevy_connector.simulator.api.problem import bad_request, not_found
from hevy_connector.simulator.api.records import Json
from hevy_connector.simulator.api.times import utc_time

PAGE_LIMIT = 10
TEMPLATE_PAGE_LIMIT = 100
_MOST_DIGITS = 20
"""More than any id or page has, and few enough for any database."""


@dataclass(frozen=True)
class Call:
    """An authenticated request: path variables, query and body.

    `is_json` is the declared content type; the service ignores other bodies.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""
    is_json: bool = True

    @property
    def has_json(self) -> bool:
        """Return whether there is a body that the service parses."""
        return self.is_json and bool(self.body)

    def json(self) -> Any:
        """Return the parsed body; without one the service sees an empty object."""
        if not self.has_json:
            return {}
        try:
            return read_json(self.body)
        except ValueError:
            raise bad_request("Invalid JSON") from None

    def time(self, name: str) -> datetime | None:
        """Parse a time in the query."""
        if name not in self.query:
            return None
        try:
            return utc_time(self.query[name])
        except ValueError:
            raise bad_request(f"Invalid {name}") from None


def whole_number(text: str) -> int | None:
    """Parse the integer in a path or a query; None if it is anything other than digits."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None


def query_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Parse the query; repeated names have their values joined, as JavaScript prints a list."""
    query: dict[str, str] = {}
    for name, value in pairs:
        query[name] = f"{query[name]},{value}" if name in query else value
    return query


def page_of(
    items: Sequence[Json],
    key: str,
    call: Call,
    *,
    limit: int = PAGE_LIMIT,
    is_open_ended: bool = False,
) -> Json:
    """Return one page of a list; sizes above the limit are rejected, not clamped.

    A page past the end does not exist, or is empty if the list is open-ended.
    """
    page = whole_number(call.query.get("page", "1"))
    if page is None or page < 1:
        raise bad_request("Invalid page")
    size = whole_number(call.query.get("pageSize", str(limit)))
    if size is None or not 1 <= size <= limit:
        raise bad_request("Invalid page size")
    page_count = -(-len(items) // size)
    if page > max(page_count, 1) and not is_open_ended:
        raise not_found("Page")
    return {
        "page": page,
        "page_count": page_count,
        key: items[(page - 1) * size : page * size],
    }
