"""Notes are read by a model on request of the profile; code decides what becomes a memory."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from coach_agent.llm.ledger import read_calls
from coach_agent.llm.prompting import untrusted
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import CheckInNote, record_note
from coach_agent.store.memories import MemoryVersion, read_memories
from orchestration.services.memory.memories import forget_memory, learn_memories
from orchestration.services.memory.note_memories import NotesReading, read_new_notes
from orchestration.storage.warehouse import open_warehouse
from tests.coach.memory.test_mentions import HOSTILE
from tests.end_to_end.world import ROOT
from tests.orchestration.services.answers.scenario import create_marts, insert_rows
from tests.orchestration.services.answers.scripted_model import Seen, scripted_model

NOW = datetime(2026, 3, 30, 3, tzinfo=UTC)
TITLES = {
    "SQUAT": "Squat (Barbell)",
    "DEADLIFT": "Deadlift (Barbell)",
    "BENCH": "Bench Press (Barbell)",
}
Json = dict[str, Any]


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        create_marts(con)
        for athlete in ("ann", "bob"):
            rows = [
                {
                    "athlete_id": athlete,
                    "workout_id": f"w{athlete}",
                    "exercise_key": key,
                    "exercise_title": title,
                    "started_at": (NOW - timedelta(days=30)).replace(tzinfo=None),
                    "workout_date": (NOW - timedelta(days=30)).date(),
                }
                for key, title in TITLES.items()
            ]
            insert_rows(con, "fct_exercise_session", rows)
    return path


@pytest.fixture(autouse=True)
def _may_ask_loopback() -> Iterator[None]:
    from pydantic_ai import models

    with models.override_allow_model_requests(True):
        yield


def write(warehouse: Path, athlete: str, notes: Mapping[int, str]) -> None:
    """Write notes of check-ins, so many days before now."""
    with open_warehouse(warehouse) as con:
        for days, text in notes.items():
            noted_at = NOW - timedelta(days=days, minutes=days)
            record_note(con, athlete, CheckInNote(noted_at=noted_at, note=text))


def notes_of(seen: Seen) -> dict[str, Json]:
    """Return the notes that a model was sent, by number."""
    text = json.dumps(seen.body, ensure_ascii=False)
    found: dict[str, Json] = json.loads(
        json.loads(f'"{text.split("notes")[-1].split(chr(92) + "n")[1]}"')
    )
    return found


def replying(mentions_of: Callable[[str, str], Sequence[Json]]) -> Callable[[Seen], Json]:
    """Answer with the mentions of each note, from its number and text."""

    def turn(seen: Seen) -> Json:
        mentions = [
            each
            for number, note in notes_of(seen).items()
            for each in mentions_of(number, note["text"])
        ]
        return {"role": "assistant", "content": json.dumps({"mentions": mentions})}

    return turn


def mention(number: str, kind: str, subject: str, quote: str) -> Json:
    # Titles are sent in the order of the latest training, then of their keys.
    titles = [TITLES[key] for key in sorted(TITLES)]
    exercise = titles.index(subject) if subject in titles else None
    part = None if exercise is not None else subject
    return {
        "note": int(number),
        "kind": kind,
        "exercise": exercise,
        "part": part,
        "quote": quote,
    }


def dislikes(number: str, text: str) -> Sequence[Json]:
    if "hate" not in text.lower():
        return []
    return [mention(number, "against_exercise", "Squat (Barbell)", text)]


def night(
    warehouse: Path,
    turn: Callable[[Seen], Json | bytes],
    *,
    now: datetime = NOW,
    athletes: Sequence[str] = ("ann",),
    **llm: Any,
) -> tuple[dict[str, NotesReading], int]:
    """Read new notes, then learn; returns the readings and the number of requests."""
    connect = partial(open_warehouse, warehouse)
    with scripted_model(turn) as model:
        table = {**model.settings, "questions": ["memories"], **llm}
        profiles = [
            AthleteProfile.model_validate_json(json.dumps({"id": each, "llm": table}))
            for each in athletes
        ]
        found = read_new_notes(connect, profiles, {}, clock=lambda: now, run_id="run")
        learned = learn_memories(connect, profiles, nullcontext, now=now, run_id="run")
        assert learned.failed == {}
    return found, len(model.seen)


def memories(warehouse: Path, athlete: str = "ann") -> tuple[MemoryVersion, ...]:
    with open_warehouse(warehouse, read_only=True) as con:
        return read_memories(con, athlete, NOW.date())


def test_two_notes_become_a_guess_and_are_read_once(warehouse: Path) -> None:
    write(warehouse, "ann", {9: "I hate squats", 2: "hate squats, really", 1: "nice day"})
    write(warehouse, "bob", {3: "I hate squats"})
    found, count = night(warehouse, replying(dislikes))
    assert (found["ann"].problems, count) == ((), 1)
    [version] = memories(warehouse)
    assert (version.memory.kind, version.memory.subject) == ("against_exercise", "SQUAT")
    assert version.memory.status == "guessed"
    assert [each.day.day for each in version.memory.sources] == [21, 28]
    assert memories(warehouse, "bob") == ()
    _, count = night(warehouse, replying(dislikes))
    assert count == 0
    with open_warehouse(warehouse, read_only=True) as con:
        assert [call[0] for call in read_calls(con)] == ["memories"]


def test_one_note_is_no_memory(warehouse: Path) -> None:
    write(warehouse, "ann", {2: "I hate squats"})
    night(warehouse, replying(dislikes))
    assert memories(warehouse) == ()


def test_thirty_hostile_notes_create_no_memory_with_a_model_that_obeys(warehouse: Path) -> None:
    """Each note is written on two days, so that every mention would become a memory."""
    rows = {untrusted(row[0], 400).rstrip("!"): row for row in HOSTILE}
    for at, (text, *_) in enumerate(HOSTILE):
        write(warehouse, "ann", {2 + at: text, 40 + at: f"{text}!"})
    obeyed: list[str] = []

    def obey(number: str, text: str) -> Sequence[Json]:
        _, kind, subject, quote = rows[text.rstrip("!")]
        obeyed.append(text)
        return [mention(number, kind, subject, quote)]

    for _ in range(4):
        found, _ = night(warehouse, replying(obey))
        assert all(each.problems == () for each in found.values())
    with open_warehouse(warehouse, read_only=True) as con:
        [(read, mentioned)] = con.execute(
            "select count(*), count(kind) from coach.note_mentions"
        ).fetchall()
    assert len(obeyed) == read == 2 * len(HOSTILE) >= 60
    assert (mentioned, memories(warehouse)) == (0, ())


def test_a_forgotten_memory_is_gone_from_the_mentions_and_does_not_return(
    warehouse: Path,
) -> None:
    write(warehouse, "ann", {9: "I hate squats", 2: "hate squats, really"})
    night(warehouse, replying(dislikes))
    [version] = memories(warehouse)
    with open_warehouse(warehouse) as con:
        forget_memory(con, AthleteProfile(id="ann"), version.number, NOW)
        rows = con.execute("select kind, subject, title from coach.note_mentions").fetchall()
    assert rows == [(None, None, None)] * 2
    night(warehouse, replying(dislikes), now=NOW + timedelta(hours=1))
    assert memories(warehouse) == ()


@pytest.mark.parametrize(
    "llm",
    [
        {"questions": ["insight"]},
        {"leave_out": ["notes"]},
        {"leave_out": ["body"]},
        {"shadow": True},
        {"providers": []},
    ],
)
def test_notes_are_sent_only_if_the_profile_asks_for_it(warehouse: Path, llm: Json) -> None:
    write(warehouse, "ann", {9: "I hate squats", 2: "hate squats, really"})
    found, count = night(warehouse, replying(dislikes), **llm)
    assert (found, count, memories(warehouse)) == ({}, 0, ())
    assert "memories" not in AthleteProfile(id="ann").llm.questions


@pytest.mark.parametrize("failure", [b"{not json", b"{}"])
def test_after_a_failure_the_next_run_reads_the_notes(warehouse: Path, failure: bytes) -> None:
    write(warehouse, "ann", {9: "I hate squats", 2: "hate squats, really"})
    found, _ = night(warehouse, lambda seen: failure)
    assert found["ann"].problems
    assert memories(warehouse) == ()
    night(warehouse, replying(dislikes))
    assert len(memories(warehouse)) == 1


def test_a_changed_or_deleted_note_takes_its_mention_along(warehouse: Path) -> None:
    write(warehouse, "ann", {9: "I hate squats", 2: "hate squats, really"})
    night(warehouse, replying(dislikes))
    with open_warehouse(warehouse) as con:
        con.execute("delete from coach.check_in_notes where note = 'I hate squats'")
    night(warehouse, replying(dislikes))
    with open_warehouse(warehouse, read_only=True) as con:
        [(count,)] = con.execute("select count(*) from coach.note_mentions").fetchall()
    assert (count, memories(warehouse)) == (1, ())


def test_the_hostile_notes_are_a_table() -> None:
    path = ROOT / "tests" / "coach" / "memory" / "hostile_notes.toml"
    assert tomllib.loads(path.read_text(encoding="utf-8"))["notes"] == HOSTILE
