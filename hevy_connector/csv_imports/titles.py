"""Exercise titles of exports: they carry no ids, and the athlete's spelling."""

import re

_BLANKS = re.compile(r"\s+", re.ASCII)


def normalised_title(title: str) -> str:
    """Normalize a title for comparison; equal to the warehouse's macro of this name."""
    return _BLANKS.sub(" ", title).strip(" ").lower()
