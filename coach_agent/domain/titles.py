"""Titles of routines and exercises as people write them."""

from collections.abc import Iterable
from difflib import get_close_matches


def normalize_title(title: str) -> str:
    """Normalize a title for comparison: lower case, single blanks."""
    return " ".join(title.split()).casefold()


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """Return a suggestion of the most similar known title, with a leading blank; empty without one.

    Example: ` Did you mean 'Squat (Barbell)'?`.
    """
    nearest = nearest_title(written, known)
    return f" Did you mean '{nearest}'?" if nearest else ""


def nearest_title(written: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the most similar known title, ignoring case; None if none is similar enough.

    `cutoff` is the required similarity, from 0 to 1 (equal).
    """
    titles = {normalize_title(title): title for title in sorted(known, reverse=True)}
    found = get_close_matches(normalize_title(written), titles, n=1, cutoff=cutoff)
    return titles[found[0]] if found else None
