"""Read new notes by the athlete's language model, for memories.

A model only marks notes; code decides by the note itself whether a mention counts. The warehouse is
closed while a model reads.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from coach_agent.domain.days import local_date
from coach_agent.domain.model_calls import CallRecord
from coach_agent.llm.ledger import record_calls
from coach_agent.llm.note_reading import MOST_NOTES, Note, mentions_in, notes_call
from coach_agent.llm.traces import Tracing
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.note_mentions import (
    ReadNote,
    delete_read_notes,
    move_read_note,
    read_hashes,
    record_read_notes,
)
from orchestration.runs.infrastructure_errors import is_catalog_lost
from orchestration.services.planning.refine import Clock, chain_of, problems_of
from orchestration.services.search.documents import read_documents
from orchestration.storage.warehouse import Connect

_EXERCISES = """
    select exercise_key, any_value(exercise_title) from marts.fct_exercise_session
    where athlete_id = $1 group by exercise_key
    order by max(started_at) desc, exercise_key limit 60
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NotesReading:
    """The requests of one athlete, and the problems for the operator."""

    records: tuple[CallRecord, ...] = ()
    problems: tuple[str, ...] = ()


def read_new_notes(
    connect: Connect,
    profiles: Sequence[AthleteProfile],
    keys: Mapping[str, str],
    *,
    clock: Clock,
    run_id: str,
    tracing: Callable[[AthleteProfile], Tracing | None] = lambda profile: None,
) -> dict[str, NotesReading]:
    """Read the newest unread notes of each athlete whose profile has "memories" in the questions.

    A failure is isolated to its athlete, whose notes are read by the next run.

    Raises:
        CatalogLostError, duckdb.Error: the lake lost its catalog, which concerns all athletes.
    """
    found = {}
    for profile in profiles:
        if not _may_read(profile, keys):
            continue
        try:
            found[profile.id] = _read(connect, profile, keys, clock, run_id, tracing(profile))
        except Exception as error:
            if is_catalog_lost(error):
                raise
            _log.exception("The notes of %s are not read", profile.id)
            found[profile.id] = NotesReading(problems=(f"{type(error).__name__}: {error}",))
    return found


def _may_read(profile: AthleteProfile, keys: Mapping[str, str]) -> bool:
    llm = profile.llm
    is_left_out = bool({"notes", "body"} & set(llm.leave_out))
    is_asked = "memories" in llm.questions and not llm.shadow and not is_left_out
    return is_asked and bool(usable_providers(llm, keys))


def _read(
    connect: Connect,
    profile: AthleteProfile,
    keys: Mapping[str, str],
    clock: Clock,
    run_id: str,
    tracing: Tracing | None,
) -> NotesReading:
    now = clock()
    with connect() as con:
        documents = read_documents(con, profile, local_date(now, profile.timezone))
        exercises = dict(con.execute(_EXERCISES, [profile.id]).fetchall())
        read = read_hashes(con, profile.id)
        notes = {
            (each.mart, each.source): Note(each.mart, each.source, each.day, each.title, each.text)
            for each in documents
            if each.kind == "note"
        }
        hashes = set(read.values())
        copied = [
            note for place, note in notes.items() if place not in read and _sha256(note) in hashes
        ]
        for note in copied:
            sha256 = _sha256(note)
            move_read_note(con, profile.id, sha256, mart=note.mart, key=note.key, day=note.day)
        read = read_hashes(con, profile.id)
        delete_read_notes(con, profile.id, sorted(read.keys() - notes.keys()))
    new = [note for place, note in notes.items() if read.get(place) != _sha256(note)]
    chosen = new[-MOST_NOTES:]
    if not chosen:
        return NotesReading()
    call = notes_call(chosen, exercises)
    with chain_of(connect, profile, usable_providers(profile.llm, keys), clock, tracing) as chain:
        outcome = chain.ask(call)
    with connect() as con:
        record_calls(con, profile.id, outcome.records, asked_at=now, run_id=run_id)
        if outcome.answer is not None:
            mentions = mentions_in(outcome.answer, chosen, exercises)
            rows = [
                ReadNote(
                    mart=note.mart,
                    key=note.key,
                    day=note.day,
                    text_sha256=_sha256(note),
                    mention=mentions.get(at),
                    read_by=outcome.decided_by,
                )
                for at, note in enumerate(chosen)
            ]
            record_read_notes(con, profile.id, rows, now=now)
    return NotesReading(outcome.records, tuple(problems_of(outcome.records)))


def _sha256(note: Note) -> str:
    return hashlib.sha256(f"{note.title}\0{note.text}".encode()).hexdigest()
