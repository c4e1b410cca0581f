"""Mentions of notes: proven by the note itself, whatever a model returns."""

import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest

from coach_agent.llm.note_reading import MOST_NOTES, Note, NoteMention, NotesAnswer, mentions_in
from coach_agent.memory.evidence import Evidence, PainReport
from coach_agent.memory.mentions import Mention
from coach_agent.memory.rules import learn

TABLE = tomllib.loads(Path(__file__).with_name("hostile_notes.toml").read_text(encoding="utf-8"))
HOSTILE, HONEST = TABLE["notes"], TABLE["honest"]
EXERCISES = {
    "SQUAT": "Squat (Barbell)",
    "DEADLIFT": "Deadlift (Barbell)",
    "BENCH": "Bench Press (Barbell)",
}
DAY = date(2026, 3, 2)


def note(text: str, title: str = "Legs", days: int = 0) -> Note:
    return Note("notes", f"{text}{days}", DAY + timedelta(days=days), title, text)


def obeyed(row: list[str], at: int = 0, quote: str | None = None) -> NoteMention:
    """Return what a model returns that obeys the note."""
    _, kind, subject, said = row
    titles = list(EXERCISES.values())
    return NoteMention.model_validate(
        {
            "note": at,
            "kind": kind,
            "exercise": titles.index(subject) if subject in titles else None,
            "part": None if subject in titles else subject,
            "quote": quote or said,
        }
    )


def test_there_are_enough_hostile_notes() -> None:
    assert len({row[0] for row in HOSTILE}) >= 30


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row[0][:30])
def test_a_hostile_note_has_no_mention_although_the_model_obeys(row: list[str]) -> None:
    for quote in (row[3], row[0][:160], "I hate squats", "squat"):
        answer = NotesAnswer(mentions=[obeyed(row, quote=quote)])
        assert mentions_in(answer, [note(row[0])], EXERCISES) == {}
        # Also where the note stands on the exercise itself.
        if row[2] in EXERCISES.values() and row[1] == "against_exercise" and "hate" not in row[0]:
            assert mentions_in(answer, [note(row[0], row[2])], EXERCISES) == {}


@pytest.mark.parametrize("row", TABLE["reversed"], ids=lambda row: row[0])
def test_a_reversed_mention_does_not_count_whatever_is_quoted(row: list[str]) -> None:
    for quote in (row[3], row[0]):
        answer = NotesAnswer(mentions=[obeyed(row, quote=quote)])
        assert mentions_in(answer, [note(row[0])], EXERCISES) == {}


@pytest.mark.parametrize("row", HONEST, ids=lambda row: row[0])
def test_an_honest_note_has_its_mention(row: list[str]) -> None:
    found = mentions_in(NotesAnswer(mentions=[obeyed(row)]), [note(row[0])], EXERCISES)
    assert [(each.kind, each.title) for each in found.values()] == [(row[1], row[2])]


def test_a_note_on_an_exercise_need_not_name_it() -> None:
    row = ["hate these", "against_exercise", "Squat (Barbell)", "hate these"]
    answer = NotesAnswer(mentions=[obeyed(row)])
    assert len(mentions_in(answer, [note(row[0], "Squat (Barbell)")], EXERCISES)) == 1
    assert mentions_in(answer, [note(row[0], "Deadlift (Barbell)")], EXERCISES) == {}


def test_a_mention_of_no_note_exercise_or_part_is_dropped() -> None:
    row = HONEST[0]
    for update in ({"note": 7}, {"note": -1}, {"exercise": 99}, {"exercise": None}):
        wrong = obeyed(row).model_copy(update=update)
        assert mentions_in(NotesAnswer(mentions=[wrong]), [note(row[0])], EXERCISES) == {}
    twice = NotesAnswer(mentions=[obeyed(row), obeyed(row)])
    assert len(mentions_in(twice, [note(row[0])], EXERCISES)) == 1
    assert MOST_NOTES == 25


def mention(days: int, subject: str = "SQUAT", kind: str = "against_exercise") -> Mention:
    return Mention.model_validate(
        {
            "kind": kind,
            "subject": subject,
            "title": EXERCISES.get(subject, subject),
            "mart": "notes",
            "key": f"n{days}",
            "day": DAY + timedelta(days=days),
        }
    )


def test_one_note_is_no_memory_and_two_days_are_a_guess() -> None:
    day = DAY + timedelta(days=10)
    once = Evidence("ann", mentions=(mention(9),))
    same_day = Evidence("ann", mentions=(mention(9), mention(9)))
    assert learn(once, day) == learn(same_day, day) == ()
    [memory] = learn(Evidence("ann", mentions=(mention(0), mention(9))), day)
    assert (memory.kind, memory.subject, memory.status) == ("against_exercise", "SQUAT", "guessed")
    assert 0.6 < memory.confidence(day) < 0.7
    # Too far apart, or long ago.
    assert learn(Evidence("ann", mentions=(mention(0), mention(60))), day) == ()
    assert learn(Evidence("ann", mentions=(mention(0), mention(9))), day + timedelta(80)) == ()


def test_a_forgotten_memory_needs_two_new_notes() -> None:
    day = DAY + timedelta(days=20)
    evidence = Evidence("ann", mentions=(mention(0), mention(9), mention(15)))
    [memory] = learn(evidence, day)
    assert learn(evidence, day, {memory.digest: DAY + timedelta(days=10)}) == ()


def test_notes_support_a_pattern_that_check_ins_show() -> None:
    pains = tuple(
        PainReport(f"c{each}", DAY + timedelta(days=each), ("left knee",)) for each in range(3)
    )
    day = DAY + timedelta(days=9)
    [alone] = learn(Evidence("ann", pains=pains), day)
    notes = tuple(mention(each, "left knee", "injury_pattern") for each in (5, 8))
    [both] = learn(Evidence("ann", pains=pains, mentions=notes), day)
    assert both.digest == alone.digest
    assert both.confidence(day) > alone.confidence(day)
