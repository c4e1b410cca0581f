"""Detect changed profiles since the last poll."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from coach_agent.domain.values import canonical_json
from coach_agent.profile.model import AthleteProfile


@dataclass(frozen=True)
class ProfileChanges:
    """Run key by changed athlete; `cursor` is for the next poll."""

    keys: dict[str, str]
    cursor: str


def profile_changes(profiles: Iterable[AthleteProfile], cursor: str | None) -> ProfileChanges:
    """Return the athletes whose profile is new or has other values.

    Comments and order do not matter. The first poll of a home only stores the cursor.
    """
    digests = {each.id: sha256(canonical_json(each)).hexdigest()[:16] for each in profiles}
    known: dict[str, str] = digests if cursor is None else json.loads(cursor)
    keys = {
        athlete: f"profile/{athlete}/{digest}"
        for athlete, digest in digests.items()
        if known.get(athlete) != digest
    }
    return ProfileChanges(keys, json.dumps(digests, sort_keys=True))
