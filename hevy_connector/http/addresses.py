"""Kinds of addresses: only loopback ones may receive a key without TLS."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback_host(host: str) -> bool:
    """Return whether a host name or an address without brackets is loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_loopback(url: str) -> bool:
    """Return whether a URL points to loopback."""
    try:
        return is_loopback_host(urlsplit(url).hostname or "")
    except ValueError:
        return False


def is_confidential(url: str) -> bool:
    """Return whether requests to a URL are confidential: TLS or loopback."""
    return urlsplit(url).scheme == "https" or is_loopback(url)
