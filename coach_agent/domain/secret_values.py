"""Detect variables with secrets, and redact their values in texts."""

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import parse_qsl

from coach_agent.domain.redaction import Scrub, scrubber

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|NOTIFY|LOGINS|_URLS?$", re.I
)
# These may contain several addresses, and a message may contain each of them.
_LIST_NAME = re.compile(r"NOTIFY|LOGINS|_URLS?$", re.I)
_WITHOUT_SECRET = {"HEVY_API_URL", "SPOTTER_DAGSTER_URL", "SPOTTER_SECRETS_FILE"}


def secrets_scrubber(variables: Mapping[str, str]) -> Scrub:
    """Return a function that redacts the values of all variables with a secret's name.

    It also redacts strings that look like a key.
    """
    return _scrubber_of(secrets_in(variables))


def secrets_in(variables: Mapping[str, str]) -> frozenset[str]:
    """Return the values of all variables with a secret's name, and each secret in a list."""
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
    each_token = {
        token
        for name, value in found.items()
        if "_TOKENS_" in name
        for name_of_one, token in parse_qsl(value)
        if name_of_one.endswith("_token")
    }
    return frozenset({*found.values(), *each_address, *each_token})


@cache
def _scrubber_of(secrets: frozenset[str]) -> Scrub:
    return scrubber(secrets)
