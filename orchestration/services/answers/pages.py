"""Pages of long answers, so that an assistant's context is never filled by one of them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

PAGE_CHARACTERS = 2_700
"""Largest JSON of a page: it is sent twice, as a text and as data, in under 2,000 tokens."""

T = TypeVar("T")


class CursorError(ValueError):
    """A cursor that no page gave."""


def page_of(
    items: Sequence[T],
    cursor: str | None,
    size_of: Callable[[T], int],
    *,
    budget: int = PAGE_CHARACTERS,
) -> tuple[Sequence[T], str | None]:
    """Return the items from the cursor that fit into the budget (characters), and the next cursor.

    A page has at least one item. The cursor is None on the first and after the last page.

    Raises:
        CursorError: the cursor is none of these items.
    """
    first = start_of(cursor, len(items))
    end, used = first, 0
    for item in items[first:]:
        used += size_of(item)
        if used > budget and end > first:
            break
        end += 1
    return items[first:end], str(end) if end < len(items) else None


def start_of(cursor: str | None, count: int) -> int:
    """Return the place of a cursor in `count` items.

    Raises:
        CursorError: it is none.
    """
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10 and int(cursor) < count):
        raise CursorError("cursor must be the next_cursor of the page before; leave it out.")
    return int(cursor)
