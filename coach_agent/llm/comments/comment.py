"""Comments of a model: each sentence selects permitted statements, and those are shown."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from coach_agent.language.messages import DEFAULT
from coach_agent.llm.comments.known import Known
from coach_agent.llm.comments.messages import languages
from coach_agent.llm.comments.selection import Problem, Selected, select_statements
from coach_agent.llm.comments.sentences import (
    LONGEST_SENTENCE,
    has_only_plain_characters,
    sentences,
)
from coach_agent.llm.comments.statements import Statement, comment_text
from coach_agent.llm.comments.words import read_words

SUMMARY, SENTENCE, REASONING = 400, 200, 600
"""Maximum characters of each kind of text."""

MOST_STATEMENTS = 8
"""Statements of one text: about two for each of four exercises."""

Reason = Literal[Problem, "fact", "red_flag"]
"""Reason to reject a sentence, a code of a note, or a claim of an answer."""


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
    """The text of the selected statements, the new ones among them, and the rejected sentences."""

    text: str
    rejected: tuple[Rejected, ...] = ()
    statements: tuple[Statement, ...] = ()

    @property
    def is_informative(self) -> bool:
        """True if a statement does more than to encourage."""
        return any(each.kind != "keep_going" for each in self.statements)


def comment_of(text: str, known: Known, limit: int, told: Collection[Statement] = ()) -> Comment:
    """Return the permitted statements that the sentences of a text express.

    No word of the text is in the result. It has at most `limit` characters, and none of the
    statements in `told`, which were shown before.
    """
    kept: list[Statement] = []
    rejected: list[Rejected] = []
    topic: tuple[int, ...] = ()
    is_answer = False
    for sentence in sentences(text):
        selected = _selected(sentence, known, topic)
        reason: Reason | None = selected.problem
        if reason is None and is_answer:
            # "Does it hurt? Keep going." is another sentence without its question.
            reason = "wording"
        is_answer = reason is not None and sentence.rstrip("\"')").endswith("?")
        topic = selected.topic
        new = [each for each in selected.statements if each not in told and each not in kept]
        if reason is None and (
            len(kept) + len(new) > MOST_STATEMENTS
            or len(comment_text((*kept, *new), known)) > limit
        ):
            reason = "too_long"
        if reason is not None:
            rejected.append(Rejected(reason, sentence))
        else:
            kept += new
    return Comment(comment_text(kept, known), tuple(rejected), tuple(kept))


def comment_language(language: str) -> str:
    """Return the language of comments for an athlete: English as the default without messages."""
    return language if language in languages() else DEFAULT


def _selected(sentence: str, known: Known, topic: tuple[int, ...]) -> Selected:
    if any(sentence in sentences(each) for each in known.statements):
        return Selected((Statement("rule", sentence=sentence),))
    if len(sentence) > LONGEST_SENTENCE:
        return Selected(problem="too_long")
    if not has_only_plain_characters(sentence):
        return Selected(problem="characters")
    titles = tuple(each.title for each in known.lifts)
    return select_statements(read_words(sentence, titles, known.language), known, topic)
