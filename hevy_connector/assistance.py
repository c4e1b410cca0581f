"""Titles of exercises that name help, such as "Pull Up (Assisted)": less of it is more load."""

import csv
import re
import unicodedata
from functools import cache
from importlib.resources import files

_NO_WORD = re.compile(r"[\W_]+")


def names_assistance(title: str) -> bool:
    """Return whether a title names help, in any language of assistance_words.csv.

    Equal to the macro of this name in the warehouse.
    """
    padded = f" {_NO_WORD.sub(' ', folded(title)).strip()} "
    return any(
        part in padded and not any(other in padded for other in others) for part, others in _parts()
    )


def folded(text: str) -> str:
    """Return the text in lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@cache
def _parts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the parts of a padded title that name help, with those that rule it out."""
    text = files(__package__).joinpath("assistance_words.csv").read_text(encoding="utf-8")
    patterns = {"whole": " {} ", "start": " {}", "anywhere": "{}"}
    return tuple(
        (
            patterns[row["place"]].format(folded(row["word"])),
            tuple(folded(other) for other in row["unless"].split("|") if other),
        )
        for row in csv.DictReader(text.splitlines())
    )
