"""The search index of one athlete: a DuckDB file with texts, full text and vectors.

It is derived from the warehouse and can be deleted at any time. A file is never changed: an update
writes a new one and renames it, so that readers need no lock, and nothing of a removed text stays
in its blocks.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import duckdb
import numpy as np

from coach_agent.domain.values import Value
from orchestration.services.search.documents import KINDS, Document, DocumentKind, Key, source_text
from orchestration.services.search.vectors import Embedder, Vectors
from orchestration.storage.connection import connect_duckdb, quoted_path
from orchestration.storage.extensions import extension_path
from orchestration.storage.home_files import COPYING

_WRITTEN_BY = f"1, DuckDB {duckdb.__version__}"
"""Version of the tables and of DuckDB; a file of another one is written anew."""


_STEMMERS: Mapping[str, str] = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "porter",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""DuckDB's stemmers by language; others, such as Polish, have none."""

_RANK_OFFSET = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""

_CANDIDATES = 50
"""Best hits of each ranking that are fused."""

_SETTINGS: Mapping[str, str | bool | int] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

_TABLES = """
create table info (
    written_by varchar not null,
    language varchar not null,
    model varchar,
    version varchar
);
create table documents (
    id integer primary key,
    kind varchar not null,
    mart varchar not null,
    key json not null,
    day date not null,
    title varchar not null,
    text varchar not null
);
create table vectors (
    digest varchar not null,
    model varchar not null,
    version varchar not null,
    vector blob not null,
    primary key (digest, model, version)
);
"""


Ranking = Literal["words", "meaning"]


class Hit(Value):
    """A found text; `matches` tells whether its words, its meaning or both are near the query."""

    kind: DocumentKind
    day: date
    title: str
    text: str
    mart: str
    key: Key
    matches: tuple[Ranking, ...]

    @property
    def source(self) -> str:
        """Return the source row."""
        return source_text(self.mart, self.key)


@dataclass(frozen=True)
class Space:
    """The model and version of vectors."""

    model: str
    version: str

    @classmethod
    def of(cls, embedder: Embedder) -> "Space":
        """Return the space of a model's vectors."""
        return cls(embedder.model, embedder.version)


@dataclass(frozen=True)
class Index:
    """The contents of an index: texts, oldest first, and their vectors by digest.

    A vector is an array of float32 as bytes. All are of one space.
    """

    documents: tuple[Document, ...]
    language: str
    space: Space | None = None
    vectors: Mapping[str, bytes] = field(default_factory=dict)

    def without(self, source: str) -> "Index":
        """Return the index without the text of this source, and without its vector."""
        kept = tuple(each for each in self.documents if each.source != source)
        digests = {each.digest for each in kept}
        vectors = {key: each for key, each in self.vectors.items() if key in digests}
        return replace(self, documents=kept, vectors=vectors)


@dataclass(frozen=True)
class QueryVector:
    """The vector of a query, comparable with those of the same space only."""

    space: Space
    vector: Vectors


def index_file(home: Path, athlete_id: str) -> Path:
    """Return the path of an athlete's index."""
    return home / "search" / f"{athlete_id}.duckdb"


def write_index(file: Path, index: Index) -> None:
    """Write an index in place of the file; one with the same contents is left alone.

    Raises:
        ExtensionMissingError: the extension for full text is not installed.
    """
    if read_index(file) == index:
        return
    home = file.parent.parent
    file.parent.mkdir(parents=True, exist_ok=True)
    # A killed process leaves a folder that `spotter compact` removes.
    with TemporaryDirectory(dir=home, prefix=COPYING) as folder:
        draft = Path(folder) / file.name
        _write(draft, index)
        draft.rename(file)


def read_index(file: Path) -> Index | None:
    """Return the contents of a file.

    None without one, for an unreadable one, and for one of another version of DuckDB, whose full
    text may not be readable.

    Raises:
        ExtensionMissingError: the extension for full text is not installed.
    """
    if not file.exists():
        return None
    try:
        with _opened(file) as con:
            return _read(con)
    except duckdb.Error:
        return None


def _read(con: duckdb.DuckDBPyConnection) -> Index | None:
    info = con.execute(
        "select language, model, version from info where written_by = $1", [_WRITTEN_BY]
    ).fetchone()
    rows = con.execute(
        "select kind, mart, key, day, title, text from documents order by id"
    ).fetchall()
    vectors: list[tuple[str, bytes]] = con.execute("select digest, vector from vectors").fetchall()
    if info is None:
        return None
    language, model, version = info
    return Index(
        documents=tuple(_document(row) for row in rows),
        language=language,
        space=None if model is None else Space(model, version),
        vectors=dict(vectors),
    )


def _document(row: tuple[Any, ...]) -> Document:
    kind, mart, key, day, title, text = row
    return Document(kind=kind, mart=mart, key=json.loads(key), day=day, title=title, text=text)


def _write(path: Path, index: Index) -> None:
    stemmer = _STEMMERS.get(index.language, "none")
    stopwords = "english" if index.language == "en" else "none"
    space = index.space
    model, version = (None, None) if space is None else (space.model, space.version)
    import pyarrow as pa  # 50 MB, which searches without a new text do not need

    # Inserting the vectors of 10,000 texts row by row takes a minute.
    documents = pa.table(
        {
            "id": range(len(index.documents)),
            "kind": [each.kind for each in index.documents],
            "mart": [each.mart for each in index.documents],
            "key": [json.dumps(each.key) for each in index.documents],
            "day": [each.day for each in index.documents],
            "title": [each.title for each in index.documents],
            "text": [each.text for each in index.documents],
        }
    )
    vectors = pa.table({"digest": [*index.vectors], "vector": [*index.vectors.values()]})
    with _opened(path, read_only=False) as con:
        con.execute(_TABLES)
        con.execute(
            "insert into info values ($1, $2, $3, $4)",
            [_WRITTEN_BY, index.language, model, version],
        )
        con.register("new_documents", documents)
        con.register("new_vectors", vectors)
        con.execute("insert into documents by name from new_documents")
        if space is not None:
            con.execute(
                "insert into vectors select digest, $1, $2, vector from new_vectors",
                [model, version],
            )
        con.execute(
            "pragma create_fts_index('documents', 'id', 'title', 'text', "
            f"stemmer = '{stemmer}', stopwords = '{stopwords}')"
        )


def find(
    file: Path,
    query: str,
    *,
    kinds: Collection[DocumentKind] = KINDS,
    limit: int = 5,
    vector: QueryVector | None = None,
) -> tuple[Hit, ...]:
    """Return the best hits by words and, with the vector of the query, by meaning.

    The ranks of both are fused: the sum of 1 / (60 + rank). A vector of another space than the
    file's is not compared; the nearest texts are hits however far they are.

    Raises:
        ExtensionMissingError: the extension for full text is not installed.
        duckdb.Error: the file cannot be read.
    """
    if not file.exists():
        return ()
    with _opened(file) as con:
        index = _read(con)
        if index is None:
            return ()
        allowed = [at for at, each in enumerate(index.documents) if each.kind in kinds]
        by_words = _ranked_by_words(con, query, allowed)
    by_meaning: list[int] = []
    if vector is not None and vector.space == index.space:
        by_meaning = _ranked_by_meaning(index, allowed, vector.vector)
    scores: dict[int, float] = {}
    for ranking in (by_words, by_meaning):
        for rank, at in enumerate(ranking, start=1):
            scores[at] = scores.get(at, 0.0) + 1 / (_RANK_OFFSET + rank)
    # Of equal scores the newest first.
    best = sorted(scores, key=lambda at: (-scores[at], -at))[:limit]
    return tuple(
        _hit(index.documents[at], is_word=at in by_words, is_meaning=at in by_meaning)
        for at in best
    )


def _hit(document: Document, *, is_word: bool, is_meaning: bool) -> Hit:
    matches: list[Ranking] = ["words"] if is_word else []
    matches += ["meaning"] if is_meaning else []
    return Hit(
        kind=document.kind,
        day=document.day,
        title=document.title,
        text=document.text,
        mart=document.mart,
        key=document.key,
        matches=tuple(matches),
    )


def _ranked_by_words(
    con: duckdb.DuckDBPyConnection, query: str, allowed: Sequence[int]
) -> list[int]:
    rows: list[tuple[int]] = con.execute(
        """
        with scored as (
            select id, fts_main_documents.match_bm25(id, $1) as score from documents
            where id in (select unnest($2))
        )

        select id from scored where score is not null order by score desc, id desc limit $3
        """,
        [query, list(allowed), _CANDIDATES],
    ).fetchall()
    return [row[0] for row in rows]


def _ranked_by_meaning(index: Index, allowed: Sequence[int], vector: Vectors) -> list[int]:
    stored = {at: index.vectors.get(index.documents[at].digest, b"") for at in allowed}
    # A provider may change the length of its vectors under the same name.
    known = [at for at, each in stored.items() if len(each) == vector.nbytes]
    if not known:
        return []
    matrix = np.frombuffer(b"".join(stored[at] for at in known), dtype=np.float32)
    cosines = matrix.reshape(len(known), -1) @ vector
    order = np.argsort(-cosines, kind="stable")[:_CANDIDATES]
    return [known[at] for at in order]


@contextmanager
def _opened(file: Path, *, read_only: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection with full text; the extension comes from its wheel."""
    path = extension_path("fts", "search")
    with connect_duckdb(file, read_only=read_only, settings=_SETTINGS) as con:
        con.execute(f"load '{quoted_path(path)}'")
        yield con
