"""Vectors of texts from the athlete's own provider, which receives the texts.

It is used only if the profile names a model of embeddings.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coach_agent.domain.redaction import scrubber
from coach_agent.llm.background import BackgroundLoop
from coach_agent.profile.llm_settings import Provider

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.embeddings import EmbeddingModel

_TIMEOUT_S = 20.0
_LONGEST_ERROR = 200


class EmbeddingError(Exception):
    """A model gave no vectors; the message has the reason, and no key."""


class ProviderEmbedder:
    """A model of embeddings of a provider, which gives no version: the model's name has it."""

    version = ""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._name = provider.settings.embeddings or ""
        self._scrub = scrubber([provider.key, *provider.secrets])

    @property
    def model(self) -> str:
        """Return the name of provider and model."""
        return f"{self._provider.name}:{self._name}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of length one for each text.

        Raises:
            EmbeddingError: the provider cannot be reached, refuses, or its answer is unusable.
        """
        try:
            with BackgroundLoop() as loop:
                answer = loop.run(self._request([self._scrub(each) for each in texts]), _TIMEOUT_S)
            rows = np.asarray(answer, dtype=np.float64)
        except Exception as error:
            # Clients also raise undocumented exceptions on unexpected responses.
            reason = self._scrub(f"{type(error).__name__}: {error}")[:_LONGEST_ERROR]
            raise EmbeddingError(f"{self.model} gave no vectors. {reason}") from None
        if len(rows) != len(texts):
            raise EmbeddingError(f"{self.model} gave {len(rows)} vectors for {len(texts)} texts.")
        return unit_rows(rows)

    async def _request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import httpx2

        # No redirects: the key would be sent along. See `wire.Wire` for the proxy.
        async with httpx2.AsyncClient(timeout=_TIMEOUT_S, mounts={"http://": None}) as client:
            result = await self._embedding_model(client).embed(list(texts), input_type="document")
            return result.embeddings

    def _embedding_model(self, client: "httpx2.AsyncClient") -> "EmbeddingModel":
        key, url = self._provider.key, self._provider.settings.url
        if self._provider.settings.kind == "google":
            from pydantic_ai.embeddings.google import GoogleEmbeddingModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleEmbeddingModel(
                self._name, provider=GoogleProvider(api_key=key, base_url=url, http_client=client)
            )
        from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIEmbeddingModel(
            self._name, provider=OpenAIProvider(api_key=key, base_url=url, http_client=client)
        )


def unit_rows(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Return the rows with length one.

    Raises:
        EmbeddingError: a row is zero or has no finite length.
    """
    if rows.ndim != 2:
        raise EmbeddingError("The model gave unusable vectors.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise EmbeddingError("The model gave unusable vectors.")
    unit: NDArray[np.float32] = (rows / lengths).astype(np.float32)
    return unit
