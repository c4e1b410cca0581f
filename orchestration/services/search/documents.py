"""Texts of one athlete that a search covers: notes, memories and weekly reviews.

Notes are the athlete's or an import's words: data to quote, never instructions.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, date
from typing import Any, Literal, get_args

import duckdb

from coach_agent.domain.days import local_date
from coach_agent.domain.own_notes import without_marks
from coach_agent.domain.values import Value
from coach_agent.llm.prompting import untrusted
from coach_agent.planning.weekly_review import WeeklyReview
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.memories import read_memories
from coach_agent.store.tables import has_table
from orchestration.text.memory import statement_text

DocumentKind = Literal["note", "memory", "review"]
Key = dict[str, str | int]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)

LONGEST_TEXT = 2_000
"""Characters of a text that are read; a longer one is cut."""

_MEMORIES = "coach.memories"
_WORKOUTS = "staging.stg_hevy__workouts"

# The staging view has no description, so it is read from the payload of the same version.
_WORKOUT_NOTES = """
select
    workouts.workout_id, workouts.workout_date, workouts.title,
    any_value(records.payload ->> '$.description') as note
from marts.fct_workout as workouts
inner join staging.stg_hevy__workouts as entries using (athlete_id, workout_id)
inner join raw.hevy_workouts as records
    on
        entries.athlete_id = records.athlete_id
        and entries.workout_id = records.record_id
        and entries.payload_sha256 = records.payload_sha256
where workouts.athlete_id = $1 and not entries.is_deleted
group by all
having note <> ''
order by workouts.workout_date, workouts.workout_id
"""
_EXERCISE_NOTES = """
with exercises as (
    select
        workouts.workout_id, workouts.workout_date,
        unnest(entries.exercises) as exercise,
        generate_subscripts(entries.exercises, 1) - 1 as exercise_index
    from marts.fct_workout as workouts
    inner join staging.stg_hevy__workouts as entries using (athlete_id, workout_id)
    where workouts.athlete_id = $1 and not entries.is_deleted
)

select workout_id, exercise_index, workout_date, exercise.title, exercise.notes
from exercises
where exercise.notes <> ''
order by workout_date, workout_id, exercise_index
"""
_CHECK_IN_NOTES = """
select note_id, noted_at, note from coach.check_in_notes
where athlete_id = $1 and note <> ''
order by noted_at, note_id
"""
_REVIEWS = """
select subject, said from coach.remarks
where athlete_id = $1 and kind = 'weekly_review'
order by subject
"""


class Document(Value):
    """A text with its source row: `mart[key]`. `title` is the workout or the exercise of a note."""

    kind: DocumentKind
    mart: str
    key: Key
    day: date
    title: str
    text: str

    @property
    def source(self) -> str:
        """Return the source row."""
        return source_text(self.mart, self.key)

    @property
    def content(self) -> str:
        """Return the title and the text, which a search compares."""
        return f"{self.title}. {self.text}" if self.title else self.text

    @property
    def digest(self) -> str:
        """Return the hash of the content: equal contents share a vector."""
        return hashlib.sha256(self.content.encode()).hexdigest()


def read_documents(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, today: date
) -> tuple[Document, ...]:
    """Read the athlete's texts, oldest first; memories are those that are current on that date.

    Hevy copies the notes of a routine into each of its workouts: of equal notes the newest counts.
    A table that does not exist yet has no text.
    """
    found = [
        *_notes(con, profile),
        *_memories(con, profile, today),
        *_reviews(con, profile),
    ]
    newest = {(each.kind, each.content): each for each in sorted(found, key=_place)}
    return tuple(sorted(newest.values(), key=_place))


def _place(document: Document) -> tuple[date, str]:
    return document.day, document.source


def _notes(con: duckdb.DuckDBPyConnection, profile: AthleteProfile) -> Iterator[Document]:
    for workout_id, day, title, note in _rows(con, _WORKOUT_NOTES, profile.id):
        key = {"workout_id": workout_id}
        yield from _note(_WORKOUTS, key, day, title, note)
    for workout_id, place, day, title, note in _rows(con, _EXERCISE_NOTES, profile.id):
        key = {"workout_id": workout_id, "exercise_index": place}
        yield from _note(_WORKOUTS, key, day, title, note)
    for note_id, noted_at, note in _rows(con, _CHECK_IN_NOTES, profile.id):
        day = local_date(noted_at.replace(tzinfo=UTC), profile.timezone)
        yield from _note("coach.check_in_notes", {"note_id": note_id}, day, "Check-in", note)


def _note(mart: str, key: Key, day: date, title: str | None, note: str) -> Iterator[Document]:
    if text := untrusted(without_marks(note), LONGEST_TEXT):
        shown = untrusted(title or "", 80)
        yield Document(kind="note", mart=mart, key=key, day=day, title=shown, text=text)


def _memories(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, today: date
) -> Iterator[Document]:
    if not has_table(con, "coach.memories"):
        return
    for each in read_memories(con, profile.id, today):
        yield Document(
            kind="memory",
            mart=_MEMORIES,
            key=_memory_key(each.number),
            day=each.memory.last_seen,
            title="",
            text=untrusted(statement_text(each.memory), LONGEST_TEXT),
        )


def memory_source(number: int) -> str:
    """Return the source of a memory, as in its document."""
    return source_text(_MEMORIES, _memory_key(number))


def source_text(mart: str, key: Key) -> str:
    """Format a source row: `coach.memories[memory_number=1]`."""
    return f"{mart}[{', '.join(f'{name}={value}' for name, value in key.items())}]"


def _memory_key(number: int) -> Key:
    return {"memory_number": number}


def _reviews(con: duckdb.DuckDBPyConnection, profile: AthleteProfile) -> Iterator[Document]:
    for subject, said in _rows(con, _REVIEWS, profile.id):
        review = WeeklyReview.model_validate_json(said)
        text = " ".join([review.summary, *review.highlights, review.focus])
        yield Document(
            kind="review",
            mart="coach.remarks",
            key={"kind": "weekly_review", "subject": subject},
            day=review.week_start,
            title="Weekly review",
            text=untrusted(text, LONGEST_TEXT),
        )


def _rows(con: duckdb.DuckDBPyConnection, query: str, athlete_id: str) -> Iterable[tuple[Any, ...]]:
    """Return the rows; none if the warehouse does not have the tables yet."""
    try:
        return con.execute(query, [athlete_id]).fetchall()
    except duckdb.CatalogException:
        return ()
