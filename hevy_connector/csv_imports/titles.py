"""Exercise titles: normalization, and suggestions for unknown titles.

Exports carry titles but no ids, in the language of the app and in the athlete's spelling.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

_BLANKS = re.compile(r"\s+", re.ASCII)
_SUGGESTIONS = 3


@dataclass(frozen=True)
class UnknownTitle:
    """A title that is not in the catalogue; `suggestions` are the nearest in spelling."""

    title: str
    set_count: int
    suggestions: tuple[str, ...]


def normalised_title(title: str) -> str:
    """Normalize a title for comparison; equal to the warehouse's macro of this name."""
    return _BLANKS.sub(" ", title).strip(" ").lower()


def unknown_titles(
    set_counts: Mapping[str, int], catalogue: Iterable[str], aliases: Mapping[str, str]
) -> tuple[UnknownTitle, ...]:
    """Return the titles that are not in the catalogue, most sets first.

    `aliases` map written titles to catalogue titles.
    """
    known = {normalised_title(title): title for title in catalogue}
    meant = {normalised_title(title): target for title, target in aliases.items()}
    unknown: dict[str, tuple[str, int]] = {}
    for written, count in set_counts.items():
        title = meant.get(normalised_title(written), written)
        key = normalised_title(title)
        if key not in known:
            first, before = unknown.get(key, (title, 0))
            unknown[key] = first, before + count
    return tuple(
        UnknownTitle(
            title,
            count,
            tuple(known[near] for near in get_close_matches(key, known, n=_SUGGESTIONS)),
        )
        for key, (title, count) in sorted(
            unknown.items(), key=lambda item: (-item[1][1], item[1][0])
        )
    )
