"""Search an athlete's notes, memories and reviews; the index follows the warehouse."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from coach_agent.domain.days import local_date
from coach_agent.domain.values import Value
from coach_agent.llm.embeddings import EmbeddingError, ProviderEmbedder
from coach_agent.profile.llm_settings import embedding_provider
from coach_agent.profile.model import AthleteProfile
from orchestration.config.settings import Settings
from orchestration.services.search.documents import (
    KINDS,
    Document,
    DocumentKind,
    memory_source,
    read_documents,
)
from orchestration.services.search.index import (
    Hit,
    Index,
    QueryVector,
    Space,
    find,
    index_file,
    read_index,
    write_index,
)
from orchestration.services.search.vectors import Embedder, local_embedder
from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.file_lock import serialized
from orchestration.storage.warehouse import WarehouseBusyError, open_warehouse

LONGEST_QUERY = 300
"""Characters."""

MOST_HITS = 20
"""Hits of one search."""

_BATCH = 64
"""Texts of one request to a model."""

_MOST_NEW = 500
"""Texts that one search sends to a model, newest first; the next search sends more. The local model
takes 13 s for them on two busy cores.
"""

_BUSY_S = 5.0
"""Time to wait for a busy warehouse if there is an index of before (s)."""

_NO_MODEL = (
    "Only words are compared: the model of embeddings is not installed. Run: make install, or "
    "pip install 'spotter[search]'"
)

_log = logging.getLogger(__name__)


class Found(Value):
    """The hits, best first, and the reason if the meaning of words was not compared."""

    hits: tuple[Hit, ...]
    warning: str | None = None


def search(
    settings: Settings,
    profile: AthleteProfile,
    query: str,
    *,
    kinds: Collection[DocumentKind] = KINDS,
    limit: int = 5,
) -> Found:
    """Return the texts of the athlete that are nearest to a query.

    The index is updated first. While the warehouse is busy, the index of before is used.

    Raises:
        WarehouseBusyError, WarehouseMissingError: there is no index, and no warehouse to read.
        ExtensionMissingError: the extension for full text is not installed.
    """
    embedder = embedder_of(profile, settings.keys)
    file = index_file(settings.home, profile.id)
    text = " ".join(query.split())[:LONGEST_QUERY]
    vector, warning = None, None if embedder else _NO_MODEL
    try:
        refresh_index(settings, profile, embedder)
        if embedder is not None and text:
            vector = QueryVector(Space.of(embedder), embedder.embed([text])[0])
    except EmbeddingError as error:
        warning = f"Only words are compared: {error}"
    hits = find(file, text, kinds=kinds, limit=limit, vector=vector)
    return Found(hits=hits, warning=warning)


def embedder_of(profile: AthleteProfile, keys: Mapping[str, str]) -> Embedder | None:
    """Return the athlete's model: that of a provider only if the profile names it, else the
    package's; None without one.
    """
    provider = embedding_provider(profile.llm, keys)
    return local_embedder() if provider is None else ProviderEmbedder(provider)


def refresh_index(settings: Settings, profile: AthleteProfile, embedder: Embedder | None) -> None:
    """Update the athlete's index from the warehouse; texts that have a vector keep it.

    If a request fails, the texts are updated all the same, with the vectors up to it.

    Raises:
        WarehouseBusyError, WarehouseMissingError: there is no index, and no warehouse to read.
        EmbeddingError: the model gave no vectors.
        ExtensionMissingError: the extension for full text is not installed.
    """
    file = index_file(settings.home, profile.id)
    with _lock(file):
        try:
            documents = _documents(settings, profile, wait_s=_BUSY_S if file.exists() else 60.0)
        except WarehouseBusyError:
            if not file.exists():
                raise
            _log.info("The warehouse is busy: the search uses the index of before")
            return
        vectors: dict[str, bytes] = {}
        space = None if embedder is None else Space.of(embedder)
        try:
            if embedder is not None:
                before = read_index(file)
                stored = before.vectors if before is not None and before.space == space else {}
                for some in _vectors(documents, stored, embedder):
                    vectors.update(some)
        finally:
            write_index(file, Index(documents, profile.preferences.language, space, vectors))


def _documents(
    settings: Settings, profile: AthleteProfile, *, wait_s: float
) -> tuple[Document, ...]:
    today = local_date(datetime.now(UTC), profile.timezone)
    with open_warehouse(settings.warehouse, read_only=True, wait_s=wait_s) as con:
        return read_documents(con, profile, today)


def _vectors(
    documents: tuple[Document, ...], stored: Mapping[str, bytes], embedder: Embedder
) -> Iterator[dict[str, bytes]]:
    """Yield vectors by digest: the stored ones, then batches of new ones, newest texts first."""
    wanted = {each.digest: each.content for each in reversed(documents)}
    yield {digest: stored[digest] for digest in wanted if digest in stored}
    new = [digest for digest in wanted if digest not in stored][:_MOST_NEW]
    for start in range(0, len(new), _BATCH):
        batch = new[start : start + _BATCH]
        rows = embedder.embed([wanted[digest] for digest in batch])
        yield {digest: row.tobytes() for digest, row in zip(batch, rows, strict=True)}


def forget_in_index(home: Path, athlete_id: str, number: int) -> None:
    """Remove a forgotten memory from the athlete's index, with its vector.

    An index that cannot be read is deleted; the next search writes it anew.
    """
    file = index_file(home, athlete_id)
    if not file.exists():
        return
    with _lock(file):
        try:
            index = read_index(file)
            if index is not None:
                write_index(file, index.without(memory_source(number)))
                return
        except ExtensionMissingError:
            _log.info("Without the extension for full text the index is deleted")
        file.unlink()


def _lock(file: Path) -> AbstractContextManager[None]:
    return serialized(file.with_suffix(".lock"), "spotter search")
