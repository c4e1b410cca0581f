"""Addresses of the services, which settings read without importing an HTTP client."""

from dataclasses import dataclass, field

INTERVALS_URL = "https://intervals.icu"
OURA_URL = "https://api.ouraring.com"
OURA_AUTHORIZE_URL = "https://cloud.ouraring.com/oauth/authorize"
# Applications of the new developer portal; those of the former one need
# https://api.ouraring.com/oauth/token.
OURA_TOKEN_URL = "https://moi.ouraring.com/oauth/v2/ext/oauth-token"  # noqa: S105 - an address


@dataclass(frozen=True)
class OuraApp:
    """An application that the operator registered at Oura, and the addresses of its login."""

    client_id: str
    client_secret: str = field(repr=False)
    authorize_url: str = OURA_AUTHORIZE_URL
    token_url: str = OURA_TOKEN_URL
