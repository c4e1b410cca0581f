"""Titles of routines and exercises as people write them."""

from collections.abc import Iterable
from difflib import get_close_matches


def compared_title(title: str) -> str:
    """A title as titles are compared: without case and doubled blanks."""
    return " ".join(title.split()).casefold()


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """The question whether the known title most alike was meant, after a blank; empty if none is.

    As in ` Did you mean 'Squat (Barbell)'?`.
    """
    nearest = nearest_title(written, known)
    return f" Did you mean '{nearest}'?" if nearest else ""


def nearest_title(written: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known title that is written most alike, case left aside; None if none is alike.

    `cutoff` is how alike, from 0 to 1 for the same.
    """
    titles = {compared_title(title): title for title in sorted(known, reverse=True)}
    found = get_close_matches(compared_title(written), titles, n=1, cutoff=cutoff)
    return titles[found[0]] if found else None
