"""Names of exercises in sentences: titles, their short forms, and translations."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from coach_agent.llm.comments.sentences import fold

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl")
"""Languages that sentences can be in."""


@dataclass(frozen=True)
class Names:
    """Exercise names of a language: `pattern` has a group for each, `indexes` its exercises.

    A name without indexes is an exercise that is not in the facts.
    """

    pattern: re.Pattern[str]
    indexes: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=64)
def exercise_names(titles: tuple[str, ...], language: str) -> Names:
    """Return the names by which a sentence can mention exercises, the longest first.

    Titles are the athlete's words: only titles built from exercise words, or a translated name,
    can be mentioned.
    """
    translations, words = _data()
    found: dict[str, tuple[int, ...]] = {}
    keys = {index: tuple(_keys(title, words)) for index, title in enumerate(titles)}
    for key, by_language in translations.items():
        # "Bench press" is the exercise of that name, even if another one is an incline bench press.
        full = tuple(at for at, forms in keys.items() if forms[:1] == (key,))
        indexes = full or tuple(at for at, forms in keys.items() if key in forms)
        for name in (*_plurals(key), *by_language.get("en", ()), *by_language.get(language, ())):
            if indexes or name not in found:
                found[name] = indexes
    for at, forms in keys.items():
        for form in forms:
            if form in translations:
                continue
            full = tuple(other for other, each in keys.items() if each[:1] == (form,))
            indexes = full or tuple(other for other, each in keys.items() if form in each)
            for name in _plurals(form):
                if not found.get(name):
                    found[name] = indexes or (at,)
    ordered = sorted(found, key=lambda name: (-len(name), name))
    alternatives = "|".join(f"({_expression(name)})" for name in ordered)
    return Names(re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)"), tuple(found[n] for n in ordered))


def _expression(name: str) -> str:
    """Return the regular expression of a name, in which `*` stands for any ending."""
    return re.escape(name).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")


def _keys(title: str, words: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the forms of a title in English, the full one first."""
    base = " ".join(fold(re.sub(r"\([^()]*\)", " ", title)).replace("-", " ").split())
    for key, by_language in _data()[0].items():
        names = (name for each in by_language.values() for name in each)
        if base != key and any(re.fullmatch(_expression(name), base) for name in names):
            yield key
    parts = base.split()
    if not parts or any(part not in words["words"] for part in parts):
        return
    is_short = parts[-1] in words["heads"]
    yield from (" ".join(parts[at:]) for at in range(len(parts) if is_short else 1))


def _plurals(name: str) -> Sequence[str]:
    if name.endswith(("s", "x", "sh", "ch")):
        return name, f"{name}es"
    if name.endswith("y"):
        return name, f"{name[:-1]}ies"
    return name, f"{name}s"


@cache
def _data() -> tuple[Mapping[str, Mapping[str, tuple[str, ...]]], Mapping[str, frozenset[str]]]:
    data = tomllib.loads((files(__package__) / "exercises.toml").read_text(encoding="utf-8"))
    words = {name: frozenset(text.split()) for name, text in data.pop("titles").items()}
    words["words"] |= words["heads"]
    return {
        key: {language: tuple(_split(text)) for language, text in each.items()}
        for key, each in data.items()
    }, words


def _split(text: str) -> Iterable[str]:
    return (fold(each).replace("_", " ") for each in text.split())
