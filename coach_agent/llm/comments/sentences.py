"""Sentences of a text in visible form."""

import re
import unicodedata

LONGEST_SENTENCE = 260
"""Characters; a longer sentence is not matched."""

_MARKS = re.compile(r"^\s*(?:[#>*•–-]+\s+)+|[*_`]+(?=\S)|(?<=\S)[*_`]+")  # noqa: RUF001
_STAR_TIMES = re.compile(r"(?<=\d)\s*\*\s*(?=\d)")
_END = re.compile(r"(?<=[.!?])[\"')»]*\s+|\s*\n+\s*")
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2026": "."})
_FOLDED = str.maketrans({"ł": "l", "ß": "ss", "ø": "o", "œ": "oe", "æ": "ae"})
_PROSE = frozenset(" .,;:!?¡¿'\"()%×+@/–—-«»„à→")  # noqa: RUF001


def plain(text: str) -> str:
    """Normalize the text to its visible form: no invisible characters, one line."""
    text = unicodedata.normalize("NFKC", text)
    return re.sub(r"\s+", " ", "".join(map(_visible, text))).strip()


def sentences(text: str) -> list[str]:
    """Split a text into sentences in visible form, without Markdown emphasis."""
    lines = [
        plain(_MARKS.sub("", _STAR_TIMES.sub("×", line)))
        for line in text.translate(_QUOTES).splitlines()
    ]
    return [part.strip() for part in _END.split("\n".join(lines)) if part.strip()]


def has_only_plain_characters(sentence: str) -> bool:
    """Return whether a sentence has only Latin letters, digits and marks of prose."""
    return all(
        char in _PROSE
        or (char.isascii() and char.isalnum())
        or unicodedata.name(char, "").startswith("LATIN SMALL LETTER")
        or unicodedata.name(char, "").startswith("LATIN CAPITAL LETTER")
        for char in sentence
    )


def fold(text: str) -> str:
    """Return the text in lower case without accents, as words are compared."""
    decomposed = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cf", "Me", "Co", "Cn", "Cs"} or 0xFE00 <= ord(char) <= 0xFE0F:
        return ""
    return " " if category.startswith(("C", "Z")) else char
