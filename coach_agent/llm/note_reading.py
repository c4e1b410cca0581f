"""The question to a model about notes: which of them state a preference or a pain."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from coach_agent.asking.exercises import stem
from coach_agent.asking.vocabulary import vocabulary, words_of
from coach_agent.domain.model_calls import Prompt, TypedCall
from coach_agent.llm.answer_schema import Answer
from coach_agent.llm.prompting import data_block, instructions, prompt_version, untrusted
from coach_agent.memory.mentions import (
    LONGEST_QUOTE,
    Mention,
    MentionKind,
    is_mentioned,
    known_part,
)

MOST_NOTES = 25
"""Notes of one question."""

_LONGEST_NOTE = 400
_PARENTHESES = re.compile(r"\([^)]*\)")


@dataclass(frozen=True)
class Note:
    """A note with its row; `title` is that of its exercise or workout."""

    mart: str
    key: str
    day: date
    title: str
    text: str


class NoteMention(Answer):
    """A mention that a model found."""

    note: int = Field(description="number of the note")
    kind: MentionKind
    exercise: int | None = Field(description="number of the exercise, null for a pain")
    part: Annotated[str, Field(max_length=40)] | None = Field(description="null for an exercise")
    quote: Annotated[str, Field(max_length=LONGEST_QUOTE)] = Field(description="verbatim")


class NotesAnswer(Answer):
    """All mentions that a model found."""

    mentions: list[NoteMention] = Field(max_length=MOST_NOTES)


def notes_call(notes: Sequence[Note], exercises: Mapping[str, str]) -> TypedCall[NotesAnswer]:
    """Build the question about up to `MOST_NOTES` notes; `exercises` are titles by key."""
    titles = list(exercises.values())
    blocks = {
        "exercises": {str(at): untrusted(title, 80) for at, title in enumerate(titles)},
        "notes": {
            str(at): {
                "text": untrusted(note.text, _LONGEST_NOTE),
                **({"about": titles.index(note.title)} if note.title in titles else {}),
            }
            for at, note in enumerate(notes)
        },
    }
    return TypedCall(
        name="memories",
        tier="cheap",
        prompt=Prompt(
            static=instructions("memories"),
            profile=data_block("exercises", blocks["exercises"]),
            recent=f"{data_block('notes', blocks['notes'])}\nAnswer now.",
        ),
        output=NotesAnswer,
        # What does not hold is dropped: the notes have no better answer.
        check=lambda answer: (),
        prompt_version=prompt_version("memories", NotesAnswer),
    )


def mentions_in(
    answer: NotesAnswer, notes: Sequence[Note], exercises: Mapping[str, str]
) -> dict[int, Mention]:
    """Return the mentions that the notes prove, at most one by note; others are dropped."""
    keys = list(exercises)
    found: dict[int, Mention] = {}
    for each in answer.mentions:
        if not 0 <= each.note < len(notes) or each.note in found:
            continue
        note = notes[each.note]
        if each.kind == "injury_pattern":
            subject = None if each.part is None else known_part(each.part)
            names, title, is_about = _part_names(subject or ""), subject or "", False
        else:
            at = each.exercise
            subject = None if at is None or not 0 <= at < len(keys) else keys[at]
            title = "" if subject is None else exercises[subject]
            names, is_about = _exercise_names(title), note.title == title
        if subject is None or not is_mentioned(
            each.kind, each.quote, note.text, names, is_about=is_about
        ):
            continue
        found[each.note] = Mention(
            kind=each.kind,
            subject=subject,
            title=title,
            mart=note.mart,
            key=note.key,
            day=note.day,
        )
    return found


def _exercise_names(title: str) -> list[str]:
    """Return the names of an exercise: its title without its equipment, and those of the gym."""
    bare = _PARENTHESES.sub(" ", title).strip()
    words = frozenset(stem(word) for word in words_of(bare))
    gym = [
        " ".join(name) for name, full in vocabulary().exercises.items() if frozenset(full) == words
    ]
    plural = [f"{each}s" for each in (bare, *gym)]
    return [bare, *gym, *plural]


def _part_names(part: str) -> list[str]:
    bare = part.removeprefix("left ").removeprefix("right ")
    return [part, bare, f"{bare}s"]
