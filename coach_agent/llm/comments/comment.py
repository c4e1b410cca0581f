"""Comments of a model: sentences that parse, with every claim verified by the facts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from coach_agent.llm.comments.claims import CheckedClause, is_told_of_last_time, problem_of
from coach_agent.llm.comments.grammar import Clause, Grammar, Reading, grammar
from coach_agent.llm.comments.known import Known, Lift
from coach_agent.llm.comments.sentences import (
    LONGEST_SENTENCE,
    has_only_plain_characters,
    sentences,
    tokens,
)

SUMMARY, SENTENCE, REASONING = 400, 200, 600
"""Maximum characters of each kind of text."""

Reason = Literal[
    "language",
    "characters",
    "unknown_word",
    "wording",
    "number",
    "direction",
    "claim",
    "exercise",
    "too_long",
    "cue",
    "fact",
]
"""Reason to reject a sentence, or a code of a note."""

_MOST_READINGS = 200
_NAME = r"@\d+ (?:(?:and|or|,|the|your) )*"
_BARE_NAMES = re.compile(rf"(?:(?:both|the|your|all|and|or|,) )*(?:{_NAME})+")
_SEVERITY: Sequence[Reason] = ("number", "direction", "claim", "exercise", "wording")


@dataclass(frozen=True)
class Rejected:
    """A rejected sentence in its original form, and the first reason."""

    reason: Reason
    sentence: str


@dataclass(frozen=True)
class RejectedText:
    """A rejected sentence or code, with its field of the answer."""

    field: str
    reason: Reason
    sentence: str


@dataclass(frozen=True)
class Comment:
    """The accepted sentences of a text, and the rejected ones."""

    text: str
    rejected: tuple[Rejected, ...] = ()


def comment_of(text: str, known: Known, limit: int) -> Comment:
    """Validate the sentences of a text; returns plain text of at most `limit` characters."""
    kept: list[str] = []
    rejected: list[Rejected] = []
    topic: tuple[Lift, ...] = ()
    names = exercise_names(known)
    is_answer = False
    for sentence in sentences(text):
        judged = _judge(sentence, known, names, topic)
        if judged.reason is None and is_answer:
            # "Does it hurt? Keep going." is another sentence without its question.
            judged = _Judged("wording")
        is_answer = judged.reason is not None and sentence.rstrip("\"')").endswith("?")
        topic = judged.topic
        if judged.reason is not None:
            rejected.append(Rejected(judged.reason, sentence))
        elif len(" ".join((*kept, sentence))) > limit:
            rejected.append(Rejected("too_long", sentence))
        else:
            kept.append(sentence)
    return Comment(" ".join(kept), tuple(rejected))


@dataclass(frozen=True)
class _Judged:
    reason: Reason | None
    topic: tuple[Lift, ...] = ()


def comment_language(language: str) -> str:
    """Return the language of comments for an athlete: English as the default without a grammar."""
    return language if grammar(language) is not None else "en"


Names = tuple[tuple[str, tuple[int, ...]], ...]


def exercise_names(known: Known) -> Names:
    """Return lower-case names of the exercises with their possible indexes, longest first.

    Titles are the athlete's words: only titles built from exercise words can be named.
    """
    rules = grammar(known.language)
    if rules is None:
        return ()
    names: dict[str, list[int]] = {}
    for index, lift in enumerate(known.lifts):
        for name in _names_of(lift.title, rules):
            names.setdefault(name, []).append(index)
    full: dict[str, list[int]] = {}
    for index, lift in enumerate(known.lifts):
        full.setdefault(_words(lift.title), []).append(index)
    # "Bench press" is the exercise of that name, even if another one is an incline bench press.
    names |= {name: found for name, found in full.items() if name in names}
    ordered = sorted(names.items(), key=lambda each: (-len(each[0]), each[0]))
    return tuple((name, tuple(indexes)) for name, indexes in ordered)


def _judge(sentence: str, known: Known, names: Names, topic: tuple[Lift, ...]) -> _Judged:
    rules = grammar(known.language)
    if rules is None:
        return _Judged("language")
    if any(sentence in sentences(each) for each in known.statements):
        return _Judged(None)
    if len(sentence) > LONGEST_SENTENCE:
        return _Judged("too_long")
    if not has_only_plain_characters(sentence):
        return _Judged("characters")
    found = tokens(sentence, names, rules.vocabulary)
    if found is None:
        return _Judged("characters")
    if rules.unknown_words(found):
        return _Judged("unknown_word")
    named = tuple(
        dict.fromkeys(known.lifts[index] for mention in found.mentions for index in mention)
    )
    problems: list[Reason] = []
    for reading in islice(rules.readings(found), _MOST_READINGS):
        problem = _problem(reading, known, named or topic)
        if problem is None:
            return _Judged(None, named or topic)
        problems.append(problem)
    worst: Reason = next((each for each in _SEVERITY if each in problems), "wording")
    return _Judged(worst)


def _problem(reading: Reading, known: Known, named: tuple[Lift, ...]) -> Reason | None:
    """Return the reason of the first clause without a true reading."""
    latest: tuple[Lift, ...] = ()
    listed: tuple[Lift, ...] = ()
    is_past = False
    claimed: Clause | None = None
    for at, clauses in enumerate(reading):
        ends_today = reading[at + 1 : at + 2] and _is_today(reading[at + 1])
        problems = []
        for stated in clauses:
            clause = stated.in_the_past() if is_past else stated
            own = _lifts(clause, known)
            # "Both the row and the curl go up" claims it of both: a name alone is no clause.
            own = tuple(dict.fromkeys((*listed, *own))) if own else own
            lifts = own or latest or (named if len(named) == 1 else ())
            checked = CheckedClause(clause, lifts or known.trained, bool(lifts))
            problem = problem_of(checked, known)
            if problem is None and ends_today and is_told_of_last_time(clause):
                problem = "claim"  # today is still to come
            is_name = bool(_BARE_NAMES.fullmatch(clause.text))
            if problem is None and is_name and claimed is not None and own and not listed:
                # "The load goes up on the row and the curl" claims it of the curl, too.
                problem = problem_of(CheckedClause(claimed, own, is_named=True), known)
            if problem is None:
                claimed = claimed if is_name else clause
                latest = own or latest
                is_past = clause.is_past
                listed = own if _BARE_NAMES.fullmatch(clause.text) else ()
                break
            problems.append(problem)
        else:
            return problems[0]
    return None


def _is_today(clauses: Sequence[Clause]) -> bool:
    return any(f"{each.text.strip(' ,')} ,".startswith("today ,") for each in clauses)


def _lifts(clause: Clause, known: Known) -> tuple[Lift, ...]:
    return tuple(
        dict.fromkeys(known.lifts[index] for mention in clause.mentions for index in mention)
    )


def _names_of(title: str, rules: Grammar) -> Iterable[str]:
    base = _words(title)
    words = base.split()
    known = rules.exercise_words
    if not words or any(word not in known for word in (*words, *_equipment(title).split())):
        return
    is_short = words[-1] in rules.exercise_heads
    shorter = [base, *(" ".join(words[at:]) for at in range(1, len(words)) if is_short)]
    equipment = _equipment(title)
    shorter += [f"{equipment} {name}" for name in list(shorter) if equipment]
    shorter += [short for name in list(shorter) for short in rules.short_names.get(name, ())]
    for name in dict.fromkeys(shorter):
        yield name
        yield from _plurals(name)
    if equipment:
        yield f"{base} ({equipment})"


def _plurals(name: str) -> Iterable[str]:
    if name.endswith(("s", "x", "sh", "ch")):
        yield f"{name}es"
    elif name.endswith("y"):
        yield f"{name[:-1]}ies"
    yield f"{name}s"


def _words(title: str) -> str:
    """Return a title in lower case without the equipment in brackets."""
    base = re.sub(r"\([^()]*\)", " ", title)
    return " ".join(re.sub(r"[-–]", " ", base.lower()).split())  # noqa: RUF001


def _equipment(title: str) -> str:
    found = re.search(r"\(([^()]*)\)", title)
    return " ".join(found[1].lower().replace("-", " ").split()) if found else ""
