"""The tags by which runs tell what they are for."""

import json
from collections.abc import Mapping
from typing import Literal

ATHLETE_TAG = "spotter/athlete"
"""For whom a run is: an athlete's id, or several with commas; without it for everybody."""

SHARD_TAG = "spotter/shard"
"""For which part of the athletes a run is, as `2/4`; without it for all parts."""

TRIGGER_TAG = "spotter/trigger"
"""What began a run."""

ASKED_TAG = "spotter/asked-for"
"""What a sensor asked a run for; the same while nothing else is wanted."""

FULL_TAG = "spotter/full-read"
"""On a run that reads the accounts whole."""

DELETIONS_TAG = "spotter/accept_deletions"
"""On a run that takes for meant what is gone of a history: whose, as ids with commas."""

_LEFT = "spotter.left/"
"""Of a step: whom it left out although the run went on, and why."""

_LONGEST_REASON = 200

Trigger = Literal[
    "nightly",
    "weekly",
    "catch-up",
    "change",
    "webhook",
    "import",
    "profile",
    "command",
    "dashboard",
    "check",
]

# Jobs that go from raw to publication.
NIGHTLY = "nightly"
IMPORT_FILES = "import_files"
WHOLE_NIGHTS = frozenset({NIGHTLY, IMPORT_FILES})

# The parts of a night on a lake: some run for one shard of the athletes each, some once for all.
SYNC, MODELS, COACH, RELEASE, BRIEF = "sync", "models", "coach", "release", "brief"
EXCLUSIVE_PARTS = frozenset({MODELS, COACH, RELEASE, BRIEF})


def athletes_of(tag: str | None) -> frozenset[str] | None:
    """The ids that the tag of a run names; None is everybody."""
    return None if tag is None else frozenset(tag.split(","))


def left_tags(step: str, reasons: Mapping[str, str]) -> dict[str, str]:
    """The tags of a run by which a step tells whom it left out, by athlete why; none for nobody."""
    if not reasons:
        return {}
    short = {athlete: why[:_LONGEST_REASON] for athlete, why in sorted(reasons.items())}
    return {f"{_LEFT}{step}": json.dumps(short)}


def left_of(tags: Mapping[str, str]) -> dict[str, str]:
    """By athlete why a run did not do all for them, as the first of its steps tells."""
    left: dict[str, str] = {}
    for tag in sorted(tag for tag in tags if tag.startswith(_LEFT)):
        left = json.loads(tags[tag]) | left
    return left
