"""Check of a provider's key with a request for its list of models, which is free."""

from collections.abc import Mapping

import httpx

from coach_agent.domain.redaction import scrubber
from coach_agent.profile.llm_settings import Provider

_WITHIN_S = 15.0


def key_problem(provider: Provider) -> str | None:
    """Return the reason why a provider cannot be used; None if its key is valid. Free of charge."""
    scrub = scrubber((provider.key,))
    url, headers = _models_of(provider)
    try:
        # A proxy of the environment could read unencrypted requests: only TLS may pass through one.
        answer = httpx.get(
            url,
            headers=headers,
            timeout=_WITHIN_S,
            follow_redirects=False,
            trust_env=url.startswith("https:"),
        )
    except httpx.HTTPError as error:
        return scrub(f"{provider.settings.url} does not answer: {type(error).__name__}.")
    if answer.is_success:
        return None
    if answer.status_code in {400, 401, 403}:
        return f"It refuses the key ({answer.status_code})."
    return f"It answers with {answer.status_code}."


def _models_of(provider: Provider) -> tuple[str, Mapping[str, str]]:
    """Return the URL of the model list, and the key as a header, because URLs are logged."""
    url = provider.settings.url
    if provider.settings.kind == "google":
        return f"{url}/v1beta/models?pageSize=1", {"x-goog-api-key": provider.key}
    if provider.settings.kind == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return f"{url}/v1/models?limit=1", {"x-api-key": provider.key, **version}
    return f"{url}/models", {"authorization": f"Bearer {provider.key}"}
