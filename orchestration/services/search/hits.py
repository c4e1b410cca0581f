"""Wording of search hits."""

from orchestration.services.search.index import Hit
from orchestration.text.measures import day_text

_NAMES = {"note": "Note", "memory": "Memory", "review": "Review"}


def hit_line(hit: Hit, longest: int | None = None) -> str:
    """Return the hit as a line: `Tue 10 Mar 2026, Bench Press (Barbell): "easy"`.

    A text of more than `longest` characters is cut.
    """
    text = hit.text if longest is None or len(hit.text) <= longest else f"{hit.text[:longest]} …"
    return f'{day_text(hit.day)}, {hit.title or _NAMES[hit.kind]}: "{text}"'
