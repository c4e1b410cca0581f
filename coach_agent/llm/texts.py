"""Texts of a model, made safe to show: plain, short, and with no number that no data has."""

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from coach_agent.llm.facts import Facts
from coach_agent.llm.forbidden import forbidden, has_load_without_digits
from coach_agent.llm.numbers import stated_numbers, with_digits

SUMMARY, NOTE, SENTENCE, REASONING = 400, 200, 200, 600
"""The most characters of each kind of text."""

_EFFORT = re.compile(r"\b(?:rpe|rir)\b", re.IGNORECASE)
_MARKS = re.compile(r"^\s*(?:[#>*•-]+\s+)+|[*_`~|\\#^]+")
_STAR_TIMES = re.compile(r"(?<=\d)\s*\*\s*(?=\d)")
# After a point no small letter begins a sentence: "28.02. war".
_END = re.compile(
    r"(?<=[!?…])[\"'”»)\]]*\s+|(?<=[.])[\"'”»)\]]*\s+(?=[^\w\s]*(?:[^\W_a-zäöüß]))|(?<=。)|\s*\n+\s*"
)
_ORDINAL_BEFORE = re.compile(
    r"\b(?:im|am|der|die|das|dem|den|des|vom|zum|beim|ab|bis|ein|eine|einen)\s+\d{1,2}\.$",
    re.IGNORECASE,
)
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")


@dataclass(frozen=True)
class CleanText:
    """What is left of a text, and why each sentence that is gone was dropped."""

    text: str
    dropped: tuple[str, ...] = ()


def clean(
    text: str,
    facts: Facts,
    limit: int,
    titles: Iterable[str] = (),
    about: Mapping[str, Facts] | None = None,
) -> CleanText:
    """The sentences of a text that may be shown, as plain text of at most `limit` characters.

    `titles` are exercises whose names may have digits of their own. With `about`, facts by title, a
    sentence that names such exercises is judged by theirs.
    """
    kept: list[str] = []
    dropped: list[str] = []
    maskable = [plain(title) for title in titles]
    for sentence in _sentences(html.unescape(html.unescape(text))):
        shown = plain(_MARKS.sub(" ", _STAR_TIMES.sub("×", sentence)))
        # Also as it came: a mark that is gone may have hidden what it was.
        known = _known_of(shown, facts, about or {})
        reason = problem_of(shown, known, maskable) or forbidden(sentence)
        if reason is not None:
            dropped.append(reason)
        elif not shown:
            continue
        elif len(" ".join((*kept, shown))) > limit:
            dropped.append("it is too long")
        else:
            kept.append(shown)
    return CleanText(" ".join(kept), tuple(dropped))


def problem_of(sentence: str, facts: Facts, titles: Iterable[str] = ()) -> str | None:
    """Why a sentence may not be shown; None if it may."""
    shown = plain(sentence)
    if hidden := forbidden(shown):
        return hidden
    if any(map(_is_mixed, re.findall(r"[^\W\d_]+", shown))):
        return "a word of mixed scripts"
    if _EFFORT.search(shown) and not facts.has_rpe:
        return "an effort that is not noted"
    told = _without(shown, titles).rstrip(".!?… ")
    if has_load_without_digits(with_digits(told, facts.language)):
        return "a load without its number"
    for each in stated_numbers(told, facts.language):
        if not facts.holds(each):
            return f"the number {each.text.strip()} is not in the data"
    return None


def _known_of(sentence: str, facts: Facts, about: Mapping[str, Facts]) -> Facts:
    """The facts of the exercises that a sentence names; all of them where it names none."""
    told = sentence.casefold()
    named = [each for title, each in about.items() if plain(title).casefold() in told]
    return named[0].joined(*named[1:]) if named else facts


def plain(text: str) -> str:
    """The text as it reads: normalised, without invisible characters, on one line."""
    text = unicodedata.normalize("NFKC", text)
    chars = (_visible(char) for char in text)
    return re.sub(r"\s+", " ", "".join(chars)).strip()


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cf", "Me", "Co", "Cn", "Cs"} or 0xFE00 <= ord(char) <= 0xFE0F:
        return ""
    return " " if category.startswith(("C", "Z")) else char


def _sentences(text: str) -> list[str]:
    text = "\n".join(plain(line) for line in text.splitlines())
    parts: list[str] = []
    for part in _END.split(text):
        if parts and _ORDINAL_BEFORE.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part.strip())
    return parts


def _without(text: str, titles: Iterable[str]) -> str:
    """The text without names of exercises, of which the digits are no claims."""
    for title in sorted(titles, key=len, reverse=True):
        if _is_harmless(title):
            text = re.sub(re.escape(title), " ", text, flags=re.IGNORECASE)
    return text


def _is_harmless(title: str) -> bool:
    """Whether the digits of a title are surely no load: anybody may name an exercise."""
    numbers = re.findall(r"\d+", title)
    has_unit = re.search(r"\d\s*(?:kg|kilo|lb|pound|%|x|×|rep|set|min|s\b)", title, re.IGNORECASE)
    has_letters = re.search(r"[^\W\d_]{3,}", title)
    return bool(has_letters) and not has_unit and all(len(number) <= 2 for number in numbers)


def _is_mixed(word: str) -> bool:
    """Whether letters of several alphabets stand in one word, as in imitations."""
    names = {unicodedata.name(char, "").split(" ")[0] for char in word}
    return len(names & set(_SCRIPTS)) > 1
