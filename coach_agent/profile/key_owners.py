"""The service that owns each key variable: a key is sent to its own service only.

A profile names variables, and a profile may be a file, a row, or the work of a hostile page. So the
name of the variable decides where its value may be sent, not the profile.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from hevy_connector.http.addresses import is_loopback

HEVY = "HEVY"
NOTIFY_PREFIX = "NOTIFY_"
HOST_PREFIX = "LLM_KEY_"
"""Before the host of a model server that is in no list: the operator names where the key may go."""

_MODEL_HOSTS: Mapping[str, tuple[str, ...]] = {
    "GEMINI": ("generativelanguage.googleapis.com",),
    "ANTHROPIC": ("api.anthropic.com",),
    "OPENAI": ("api.openai.com",),
    "CEREBRAS": ("api.cerebras.ai",),
    "DEEPSEEK": ("api.deepseek.com",),
    "FIREWORKS": ("api.fireworks.ai",),
    "GROQ": ("api.groq.com",),
    "MISTRAL": ("api.mistral.ai",),
    "OPENROUTER": ("openrouter.ai",),
    "TOGETHER": ("api.together.xyz", "api.together.ai"),
    "XAI": ("api.x.ai",),
}


def is_hevy_key(variable: str) -> bool:
    """Return whether the variable may hold the key of a Hevy account."""
    return _owner(variable) == HEVY


def is_model_key(variable: str) -> bool:
    """Return whether the variable may hold the key of a model provider."""
    return variable.startswith(HOST_PREFIX) or _owner(variable) in _MODEL_HOSTS


def may_be_sent(variable: str, url: str) -> bool:
    """Return whether a model provider's key may be sent to the address.

    Allowed are its own hosts and their subdomains over TLS, loopback (for a fake or proxy of the
    operator), and the host in the name of the variable.
    """
    if not is_model_key(variable):
        return False
    if is_loopback(url):
        return True
    parts = urlsplit(url)
    host = (parts.hostname or "").removesuffix(".")
    if parts.scheme != "https" or parts.username is not None:
        return False
    if variable.startswith(HOST_PREFIX):
        return variable == variable_for(url)
    own = _MODEL_HOSTS[_owner(variable) or ""]
    return any(host == each or host.endswith(f".{each}") for each in own)


def variable_for(url: str) -> str:
    """Return the key variable of a self-hosted model server: LLM_KEY_ and its host.

    A dot becomes one underscore and a hyphen two, so that two hosts never share a variable.
    """
    host = (urlsplit(url).hostname or "").removesuffix(".")
    return HOST_PREFIX + host.replace("-", "__").replace(".", "_").upper()


def _owner(variable: str) -> str | None:
    """Return the one service in the words of a name, as in KIMS_HEVY_KEY; None for 0 or several."""
    words = set(variable.split("_"))
    found = words & {HEVY, *_MODEL_HOSTS}
    return found.pop() if len(found) == 1 else None
