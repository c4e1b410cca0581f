"""Which profiles changed since they were last looked at."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from coach_agent.domain.values import canonical_json
from coach_agent.profile.model import AthleteProfile


@dataclass(frozen=True)
class ProfileChanges:
    """By athlete a key of what the profile says now; `cursor` is for the next look."""

    keys: dict[str, str]
    cursor: str


def profile_changes(profiles: Iterable[AthleteProfile], cursor: str | None) -> ProfileChanges:
    """The athletes whose file means something else than it did, or who are new.

    Comments and order mean nothing. The first look of a home only remembers.
    """
    digests = {each.id: sha256(canonical_json(each)).hexdigest()[:16] for each in profiles}
    known: dict[str, str] = digests if cursor is None else json.loads(cursor)
    keys = {
        athlete: f"profile/{athlete}/{digest}"
        for athlete, digest in digests.items()
        if known.get(athlete) != digest
    }
    return ProfileChanges(keys, json.dumps(digests, sort_keys=True))
