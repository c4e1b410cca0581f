"""Which variables hold secrets, and texts without them."""

import re
from collections.abc import Mapping
from functools import cache

from coach_agent.domain.redaction import Scrub, scrubber

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|NOTIFY|LOGINS|_URLS?$", re.I
)
# Several addresses may stand in one of these, and a message may hold any of them.
_LIST_NAME = re.compile(r"NOTIFY|LOGINS|_URLS?$", re.I)
_WITHOUT_SECRET = {"HEVY_API_URL", "SPOTTER_DAGSTER_URL", "SPOTTER_SECRETS_FILE"}


def secrets_scrubber(variables: Mapping[str, str]) -> Scrub:
    """A function that hides in a text every variable's value whose name says it is a secret.

    It also hides what looks like a key of somebody else's.
    """
    return _scrubber_of(frozenset(_secrets(variables)))


def _secrets(variables: Mapping[str, str]) -> set[str]:
    found = {
        name: value
        for name, value in variables.items()
        if _SECRET_NAME.search(name) and name not in _WITHOUT_SECRET
    }
    each_address = {
        address
        for name, value in found.items()
        if _LIST_NAME.search(name)
        for address in value.split()
    }
    return {*found.values(), *each_address}


@cache
def _scrubber_of(secrets: frozenset[str]) -> Scrub:
    return scrubber(secrets)
