"""Tags of runs."""

import json
from collections.abc import Mapping
from typing import Literal

ATHLETE_TAG = "spotter/athlete"
"""Athletes of a run: ids separated by commas; all athletes without the tag."""

NIGHT_TAG = "spotter/night"
"""Night of a run of one of its parts, if the athletes are in partitions."""

EXPECTED_TAG = "spotter/runs-of-part"
"""Number of runs of the same part of the night."""

CONFLICTS_TAG = "spotter/write-conflicts"
"""Number of a run's commits that were retried after a conflict; none without the tag."""

TRIGGER_TAG = "spotter/trigger"
"""Trigger of a run."""

ASKED_TAG = "spotter/asked-for"
"""Subject of a sensor's request; unchanged while the cause is the same."""

FULL_TAG = "spotter/full-read"
"""Set on a run that reads accounts in full."""

DELETIONS_TAG = "spotter/accept_deletions"
"""Athletes whose missing sets were deleted on purpose: ids separated by commas."""

_LEFT = "spotter.left/"
"""Prefix, by step: athletes that the step excluded, with reasons."""

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

CATCH_UP: Trigger = "catch-up"
"""Trigger of nights that were missed or failed."""

# Jobs that go from raw to publication.
NIGHTLY = "nightly"
IMPORT_FILES = "import_files"
MARTS = "marts"
WHOLE_NIGHTS = frozenset({NIGHTLY, IMPORT_FILES})

# Parts of a night of partitions: some run per partition, some once for all.
SYNC, MODELS, COACH, RELEASE, BRIEF = "sync", "models", "coach", "release", "brief"
EXCLUSIVE_PARTS = frozenset({MODELS, COACH, RELEASE, BRIEF})


def athletes_of(tag: str | None) -> frozenset[str] | None:
    """Parse the ids in the tag of a run; None for all athletes."""
    return None if tag is None else frozenset(tag.split(","))


def exclusion_tags(step: str, reasons: Mapping[str, str]) -> dict[str, str]:
    """Return the run tags with the athletes excluded by a step; empty without any."""
    if not reasons:
        return {}
    short = {athlete: why[:_LONGEST_REASON] for athlete, why in sorted(reasons.items())}
    return {f"{_LEFT}{step}": json.dumps(short)}


def exclusions_of(tags: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons by excluded athlete, from the first excluding step of the run."""
    left: dict[str, str] = {}
    for tag in sorted(tag for tag in tags if tag.startswith(_LEFT)):
        left = json.loads(tags[tag]) | left
    return left
