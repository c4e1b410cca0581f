"""The tags by which runs tell what they are for."""

from typing import Literal

ATHLETE_TAG = "spotter/athlete"
"""For whom a run is: an athlete's id, or several with commas; without it for everybody."""

TRIGGER_TAG = "spotter/trigger"
"""What began a run."""

ASKED_TAG = "spotter/asked-for"
"""What a sensor asked a run for; the same while nothing else is wanted."""

FULL_TAG = "spotter/full-read"
"""On a run that reads the accounts whole."""

DELETIONS_TAG = "spotter/accept_deletions"
"""On a run that takes for meant what is gone of a history: whose, as ids with commas."""

Trigger = Literal[
    "nightly", "weekly", "catch-up", "change", "webhook", "import", "profile", "command"
]

# Jobs that go from raw to publication.
NIGHTLY = "nightly"
IMPORT_FILES = "import_files"
WHOLE_NIGHTS = frozenset({NIGHTLY, IMPORT_FILES})


def athletes_of(tag: str | None) -> frozenset[str] | None:
    """The ids that the tag of a run names; None is everybody."""
    return None if tag is None else frozenset(tag.split(","))
