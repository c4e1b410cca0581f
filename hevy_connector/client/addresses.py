"""Addresses of this machine, which alone may get a key without TLS."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback_host(host: str) -> bool:
    """Return whether a host name, or an address without brackets, is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_loopback(url: str) -> bool:
    """Return whether a URL leads to this machine."""
    try:
        return is_loopback_host(urlsplit(url).hostname or "")
    except ValueError:
        return False


def keeps_secrets(url: str) -> bool:
    """Return whether a request there is confidential: over TLS, or on this machine."""
    return urlsplit(url).scheme == "https" or is_loopback(url)
