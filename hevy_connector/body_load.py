"""Titles of exercises that name help or weight added to the body, such as "Pull Up (Assisted)"."""

import csv
import re
import unicodedata
from functools import cache
from importlib.resources import files

_NO_WORD = re.compile(r"[\W_]+")


def body_load_type(title: str) -> str | None:
    """Return the exercise type that a title names in any language of body_load_words.csv.

    "bodyweight_assisted": less help is more load; "bodyweight_weighted": the load is added to the
    body. None if it names neither. Equal to the macro body_load_types in the warehouse.
    """
    padded = f" {_NO_WORD.sub(' ', folded(title)).strip()} "
    found = (
        kind
        for kind, part, others in _parts()
        if part in padded and not any(other in padded for other in others)
    )
    return min(found, default=None)


def names_assistance(title: str) -> bool:
    """Return whether a title names help."""
    return body_load_type(title) == "bodyweight_assisted"


def folded(text: str) -> str:
    """Return the text in lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@cache
def _parts() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return exercise types with the part of a padded title that names each, and exceptions."""
    text = files(__package__).joinpath("body_load_words.csv").read_text(encoding="utf-8")
    patterns = {"whole": " {} ", "start": " {}", "anywhere": "{}"}
    return tuple(
        (
            row["exercise_type"],
            patterns[row["place"]].format(folded(row["word"])),
            tuple(folded(other) for other in row["unless"].split("|") if other),
        )
        for row in csv.DictReader(text.splitlines())
    )
