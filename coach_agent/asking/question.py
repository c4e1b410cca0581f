"""Recognise what a question about training asks for, by rules.

A question is understood only if every word has a meaning for its intent: a word that is not known
could change what was asked, and a wrong answer is worse than none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal

from rapidfuzz.distance import OSA

from coach_agent.asking.exercises import Match, Titles, expanded, stem
from coach_agent.asking.vocabulary import (
    Intent,
    IntentWords,
    Phrase,
    Topic,
    Vocabulary,
    vocabulary,
    words_of,
)
from coach_agent.domain.values import Value

LONGEST_QUESTION = 300
"""Characters; a longer text is no question."""

# Shorter words differ from too many others by one letter.
_LEAST_TYPO_LETTERS = 5
_TWO_TYPOS_LETTERS = 9
_LONGEST_TITLE_WORDS = 6
_MOST_REPS = 50


class Understood(Value):
    """The meaning of a question.

    Without an intent it is not understood: `unknown` has the words without a meaning, `possible`
    the intents if several are. `declined` is a topic that is never answered. Several `exercises`
    are ambiguous; without `is_exact` they only contain the words.
    """

    intent: Intent | None = None
    possible: tuple[Intent, ...] = ()
    declined: Topic | None = None
    exercises: tuple[str, ...] = ()
    is_exact: bool = True
    muscles: tuple[str, ...] = ()
    week: Literal["this", "last"] | None = None
    reps: int | None = None
    unknown: tuple[str, ...] = ()


def understand(text: str, trained: Sequence[str], others: Sequence[str]) -> Understood:
    """Return the meaning of a question.

    `trained` are the titles of the athlete's exercises, `others` those of the catalogue.
    """
    table = vocabulary()
    known = (Titles(trained), Titles(others))
    words = _corrected(words_of(text[:LONGEST_QUESTION]), table, known)
    if topic := _declined(words, table):
        return Understood(declined=topic)
    named, match = _exercise_in(words, table, known)
    readings = [
        reading
        for intent, phrases in table.intents.items()
        if (reading := _reading(words, intent, phrases, table, named, match, known)) is not None
    ]
    complete = {each.intent: each for each in readings if not each.unknown}
    beaten = {loser for each in complete if each for loser in table.intents[each].beats}
    left = [each for intent, each in complete.items() if intent not in beaten]
    if len(left) == 1:
        return left[0]
    if left:
        return Understood(possible=tuple(each.intent for each in left if each.intent))
    titles = match.titles if match else ()
    unknown = min((each.unknown for each in readings), key=len, default=())
    return Understood(exercises=titles, unknown=unknown)


def searched_text(text: str) -> str | None:
    """Return the words that a question searches for in notes; None for another question."""
    found = _search_pattern().fullmatch(" ".join(text.split()))
    return None if found is None else found["rest"]


@cache
def _search_pattern() -> re.Pattern[str]:
    # The rest keeps its accents and letters of other scripts, unlike the words of other questions.
    starts = "|".join(" ".join(map(re.escape, each)) for each in vocabulary().searches)
    return re.compile(
        rf"(?:please )?(?:{starts})[ :]+[\"“]?(?P<rest>.*\w.*?)[\"”?!. ]*", re.IGNORECASE
    )


def named_exercise(text: str, trained: Sequence[str], others: Sequence[str]) -> Match | None:
    """Return the titles that a name in the words of the gym means; None without one."""
    known = (Titles(trained), Titles(others))
    words = _corrected(words_of(text[:LONGEST_QUESTION]), vocabulary(), known)
    return _resolved(words, known)


def named_muscles(text: str) -> tuple[str, ...]:
    """Return Hevy's muscle groups of the names of muscles in a text; empty without one."""
    return _muscles_in(words_of(text[:LONGEST_QUESTION]), vocabulary())[0]


def _reading(
    words: Sequence[str],
    intent: Intent,
    phrases: IntentWords,
    table: Vocabulary,
    named: frozenset[int],
    match: Match | None,
    known: tuple[Titles, Titles],
) -> Understood | None:
    """Return the question as one with this intent; None without a phrase of it."""
    explained: set[int] = set()
    reps = None
    if "reps" in phrases.subjects and (found := _reps_in(words)) is not None:
        reps, places = found
        explained |= places
    own = list(phrases.phrases)
    own += phrases.with_exercise if match else ()
    own += phrases.with_reps if reps is not None and match else ()
    spoken = _places(words, own)
    if not spoken:
        return None
    week: Literal["this", "last"] | None = None
    if "week" in phrases.subjects:
        for name, each in table.weeks.items():
            if places := _places(words, each):
                week, explained = name, explained | places
    if "day" in phrases.subjects:
        explained |= _places(words, table.days)
    if "load" in phrases.subjects:
        explained |= {at for at, word in enumerate(words) if word[0].isdigit()}
    explained |= spoken | _places(words, table.filler_phrases)
    is_known = table.fillers | phrases.extra
    rest = [at for at, word in enumerate(words) if at not in explained and word not in is_known]
    muscles, of_muscles = _muscles_in(words, table) if "muscle" in phrases.subjects else ((), set())
    if muscles and set(rest) <= of_muscles | {at for at in rest if words[at] == "and"}:
        return Understood(intent=intent, muscles=muscles, week=week)
    if match is None or "exercise" not in phrases.subjects:
        is_complete = not rest and match is None and "exercise" not in phrases.needs
        unknown = tuple(words[at] for at in rest) or (() if is_complete else words[:1])
        return Understood(intent=intent, week=week, reps=reps, unknown=tuple(unknown))
    whole = [words[at] for at in sorted(named | set(rest))]
    resolved = _resolved(whole, known)
    if resolved is None:
        return Understood(intent=intent, unknown=tuple(words[at] for at in rest if at not in named))
    return Understood(
        intent=intent, exercises=resolved.titles, is_exact=resolved.is_exact, week=week, reps=reps
    )


def _exercise_in(
    words: Sequence[str], table: Vocabulary, known: tuple[Titles, Titles]
) -> tuple[frozenset[int], Match | None]:
    """Return the places of the longest name of an exercise, and the titles with it.

    The name of a muscle alone is no exercise.
    """
    for length in range(min(_LONGEST_TITLE_WORDS, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            span = words[first : first + length]
            if all(_is_general(word, table) for word in span):
                continue
            muscles, places = _muscles_in(span, table)
            match = _resolved(span, known)
            if match is None or (muscles and len(places) == length and not match.is_exact):
                continue
            return frozenset(range(first, first + length)), match
    return frozenset(), None


def _resolved(words: Sequence[str], known: tuple[Titles, Titles]) -> Match | None:
    """Match trained exercises, then the catalogue.

    A trained one that only contains the words is not exact if the catalogue has the named one.
    """
    trained, others = known
    own, other = trained.matching(words), others.matching(words)
    if own is None:
        return other
    if own.is_exact or (len(own.titles) == 1 and (other is None or not other.is_exact)):
        return Match(own.titles, True)
    return own


def _is_general(word: str, table: Vocabulary) -> bool:
    """Return whether the word alone never names an exercise."""
    return (
        word in table.fillers
        or not word.isalpha()
        or any(word in each.extra or (word,) in each.phrases for each in table.intents.values())
    )


def _muscles_in(words: Sequence[str], table: Vocabulary) -> tuple[tuple[str, ...], set[int]]:
    found: dict[int, tuple[str, ...]] = {}
    places: set[int] = set()
    for phrase in sorted(table.muscles, key=lambda each: -len(each)):
        for place in _starts(words, phrase):
            own = set(range(place, place + len(phrase)))
            if not own & places:
                places |= own
                found[place] = table.muscles[phrase]
    in_order = (muscle for place in sorted(found) for muscle in found[place])
    return tuple(dict.fromkeys(in_order)), places


def _reps_in(words: Sequence[str]) -> tuple[int, set[int]] | None:
    """Return a number of repetitions and its places: `5 reps`, `5 rm`, `for 5`.

    One repetition is a maximum, not a record for repetitions.
    """
    for at, word in enumerate(words):
        if not (word.isdigit() and 2 <= int(word) <= _MOST_REPS):
            continue
        after = words[at + 1] if at + 1 < len(words) else ""
        if after in {"rep", "reps", "x"}:
            return int(word), {at, at + 1}
        if after == "rm" or (at and words[at - 1] in {"for", "of"}):
            return int(word), {at}
    return None


def _declined(words: Sequence[str], table: Vocabulary) -> Topic | None:
    for topic, phrases in table.declined.items():
        for phrase in phrases:
            for first in range(len(words) - len(phrase) + 1):
                span = words[first : first + len(phrase)]
                if all(map(_is_stem_of, phrase, span)):
                    return topic
    return None


def _is_stem_of(pattern: str, word: str) -> bool:
    if pattern.endswith("*"):
        return word.startswith(pattern[:-1])
    return word == pattern


def _places(words: Sequence[str], phrases: Iterable[Phrase]) -> set[int]:
    """Return the places of all words in any of the phrases."""
    return {
        place
        for phrase in phrases
        for first in _starts(words, phrase)
        for place in range(first, first + len(phrase))
    }


def _starts(words: Sequence[str], phrase: Phrase) -> Iterator[int]:
    for first in range(len(words) - len(phrase) + 1):
        if tuple(words[first : first + len(phrase)]) == phrase:
            yield first


def _corrected(
    words: Sequence[str], table: Vocabulary, known: tuple[Titles, Titles]
) -> tuple[str, ...]:
    """Correct words that are not known, if exactly one known word is near."""
    content = {word for phrase in (*table.muscles, *table.exercises) for word in phrase}
    content |= known[0].words
    for each in table.intents.values():
        for phrase in (*each.phrases, *each.with_exercise, *each.with_reps):
            content |= set(phrase)
    general = {word for phrases in table.weeks.values() for phrase in phrases for word in phrase}
    general |= {word for phrase in (*table.days, *table.filler_phrases) for word in phrase}
    general |= table.fillers | known[1].words | {"and"}
    general |= {word for each in table.intents.values() for word in each.extra}
    declined = {word for each in table.declined.values() for phrase in each for word in phrase}
    content |= {word.rstrip("*") for word in declined}
    return tuple(
        word
        if word in content or word in general or stem(word) in content | general
        else _nearest(word, content)
        for word in words
    )


def _nearest(word: str, content: Iterable[str]) -> str:
    """Return the only word of the least number of typing errors; the word itself without one."""
    if not word.isalpha():
        return word
    near: dict[str, int] = {}
    for each in content:
        letters = min(len(word), len(each))
        allowed = 2 if letters >= _TWO_TYPOS_LETTERS else 1
        if max(len(word), len(each)) >= _LEAST_TYPO_LETTERS:
            distance = OSA.distance(word, each, score_cutoff=allowed)
            if distance <= allowed:
                near[each] = distance
    least = [each for each, distance in near.items() if distance == min(near.values())]
    # "curl" and "curls" are the same word.
    return min(least) if len({expanded([each]) for each in least}) == 1 else word
