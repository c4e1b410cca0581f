"""The index finds texts by their words and, with a model, by their meaning."""

import tomllib
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from orchestration.services.search.documents import Document, DocumentKind
from orchestration.services.search.index import (
    Index,
    QueryVector,
    Space,
    find,
    index_file,
    read_index,
    write_index,
)
from orchestration.services.search.vectors import LocalEmbedder, Vectors

SPACE = Space("fake", "1")


def _document(
    number: int, text: str, kind: DocumentKind = "note", *, title: str = "Push"
) -> Document:
    day = date(2026, 3, 1) + timedelta(days=number)
    return Document(
        kind=kind, mart="fct_set", key={"number": number}, day=day, title=title, text=text
    )


DOCUMENTS = (
    _document(1, "Left knee felt off after squats"),
    _document(2, "Grip gave out on deadlifts"),
    _document(3, "You keep swapping Squat (Barbell) for something else", "memory"),
    _document(4, "Slept four hours"),
)


def _vector(*numbers: float) -> Vectors:
    return np.asarray(numbers, dtype=np.float32)


def _vectors(*rows: Vectors) -> dict[str, bytes]:
    return {
        each.digest: row.tobytes() for each, row in zip(DOCUMENTS[: len(rows)], rows, strict=True)
    }


def _numbers(hits: Sequence[object]) -> list[int]:
    return [hit.key["number"] for hit in hits]  # type: ignore[attr-defined]


def test_words_are_found_in_any_form_and_kinds_are_filtered(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    write_index(file, Index(DOCUMENTS, "en"))
    # "squatting" has the stem of "Squat" and "squats".
    hits = find(file, "squatting")
    assert set(_numbers(hits)) == {1, 3}
    assert {each.matches for each in hits} == {("words",)}
    assert _numbers(find(file, "squatting", kinds=["memory"])) == [3]
    assert _numbers(find(file, "push", limit=2)) == [4, 3]
    for nothing in ("elbow", "", "' or 1 = 1 --", "\x00", "💪"):
        assert find(file, nothing) == ()


def test_meaning_adds_to_words(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    rows = (_vector(1, 0), _vector(0, 1), _vector(0.6, 0.8), _vector(-1, 0))
    write_index(file, Index(DOCUMENTS, "en", SPACE, _vectors(*rows)))
    hits = find(file, "deadlift", vector=QueryVector(SPACE, _vector(1, 0)))
    assert [(each.key["number"], each.matches) for each in hits] == [
        # First by its words, third by its meaning.
        (2, ("words", "meaning")),
        (1, ("meaning",)),
        (3, ("meaning",)),
        (4, ("meaning",)),
    ]
    both = find(file, "knee", vector=QueryVector(SPACE, _vector(1, 0)))
    assert both[0].matches == ("words", "meaning")


@pytest.mark.parametrize(
    "vector",
    [QueryVector(Space("fake", "2"), _vector(1, 0)), QueryVector(SPACE, _vector(1, 0, 0))],
    ids=["another space", "another length"],
)
def test_a_vector_that_is_not_comparable_adds_nothing(tmp_path: Path, vector: QueryVector) -> None:
    """While the warehouse is busy, the index may still be that of the model of before."""
    file = index_file(tmp_path, "ann")
    write_index(file, Index(DOCUMENTS, "en", SPACE, _vectors(*[_vector(1, 0)] * 4)))
    hits = find(file, "deadlift", vector=vector)
    assert [(each.key["number"], each.matches) for each in hits] == [(2, ("words",))]


def test_a_removed_text_is_in_no_byte_of_the_file(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    index = Index(DOCUMENTS, "en", SPACE, _vectors(*[_vector(0.125, 7)] * 4))
    write_index(file, index)
    assert b"swapping" in file.read_bytes()
    write_index(file, index.without("fct_set[number=3]"))
    assert b"swapping" not in file.read_bytes()
    left = read_index(file)
    assert left is not None
    assert [each.key["number"] for each in left.documents] == [1, 2, 4]
    assert DOCUMENTS[2].digest not in left.vectors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["search"]


def test_an_index_without_texts_has_no_hits(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    write_index(file, Index((), "en", SPACE))
    assert read_index(file) == Index((), "en", SPACE)
    assert find(file, "knee", vector=QueryVector(SPACE, _vector(1, 0))) == ()


def test_an_equal_index_is_not_written_again(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    write_index(file, Index(DOCUMENTS, "en"))
    before = file.stat().st_ino
    write_index(file, Index(DOCUMENTS, "en"))
    assert file.stat().st_ino == before
    write_index(file, Index(DOCUMENTS, "de"))
    assert file.stat().st_ino != before


def test_a_damaged_file_is_written_anew(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    file.parent.mkdir()
    file.write_bytes(b"x" * 5_000)
    assert read_index(file) is None
    write_index(file, Index(DOCUMENTS, "en"))
    assert _numbers(find(file, "grip")) == [2]


def test_german_words_have_the_stemmer_of_german(tmp_path: Path) -> None:
    file = index_file(tmp_path, "ann")
    write_index(file, Index((_document(1, "Kniebeugen waren müde"),), "de"))
    assert _numbers(find(file, "Kniebeuge")) == [1]
    assert _numbers(find(file, "mude")) == [1]


@pytest.mark.long
def test_the_right_notes_are_among_five(tmp_path: Path) -> None:
    """The recall that docs/search.md states: 18 of 32 by words, 26 with the model."""
    raw = tomllib.loads(Path(__file__).with_name("notes.toml").read_text())
    assert len(raw["questions"]) == 30
    numbers = {name: place for place, name in enumerate(raw["notes"])}
    documents = tuple(
        _document(at, raw["notes"][name][1], title=raw["notes"][name][0])
        for name, at in numbers.items()
    )
    model = LocalEmbedder()
    rows = model.embed([each.content for each in documents])
    vectors = {each.digest: row.tobytes() for each, row in zip(documents, rows, strict=True)}
    file = index_file(tmp_path, "ann")
    write_index(file, Index(documents, "en", Space.of(model), vectors))
    by_words = by_both = 0
    for question in raw["questions"]:
        right = {numbers[each] for each in question["right"]}
        by_words += len(right & set(_numbers(find(file, question["text"]))))
        [vector] = model.embed([question["text"]])
        hits = find(file, question["text"], vector=QueryVector(Space.of(model), vector))
        by_both += len(right & set(_numbers(hits)))
    assert (by_words, by_both) == (18, 26)
