"""Sentences about three days: hostile and false ones are not shown, most true ones are."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from coach_agent.llm.comments.comment import comment_of
from coach_agent.llm.comments.known import Known, known_of_plan
from tests.llm.other_days import full_day, lower_day
from tests.llm.usual_day import usual_windows

_TEXT = Path(__file__).with_name("day_sentences.toml").read_text(encoding="utf-8")
SENTENCES: dict[str, dict[str, list[str]]] = tomllib.loads(_TEXT)
LEAST_SHARE = 0.72


@cache
def known(day: str) -> Known:
    if day != "usual_day":
        return {"lower_day": lower_day, "full_day": full_day}[day]()
    windows = usual_windows()
    pairs = zip(windows.routine.slots, windows.plan.slots, strict=True)
    return known_of_plan(pairs, windows.plan, "en")


def shown(text: str, day: str) -> str:
    return comment_of(text, known(day), 400).text


@pytest.mark.parametrize("day", SENTENCES)
def test_no_hostile_or_false_sentence_is_shown(day: str) -> None:
    texts = SENTENCES[day]["hostile"]
    assert len(texts) >= 150
    assert [text for text in texts if shown(text, day)] == []


@pytest.mark.parametrize("day", SENTENCES)
def test_most_true_and_helpful_sentences_are_shown(day: str) -> None:
    texts = SENTENCES[day]["helpful"]
    assert len(texts) >= 120
    count = len([text for text in texts if shown(text, day) == text])
    assert count >= LEAST_SHARE * len(texts)


@pytest.mark.parametrize("day", SENTENCES)
def test_no_number_of_a_true_sentence_can_be_another_one(day: str) -> None:
    true = [text for text in SENTENCES[day]["helpful"] if shown(text, day) == text]
    false = [
        f"{text[: found.start()]}{float(found[0]) + more:g}{text[found.end() :]}"
        for text in true
        for found in re.finditer(r"\d+(?:\.\d+)?", text)
        for more in (1, 10)
    ]
    assert len(false) >= 40
    assert [text for text in false if shown(text, day) == text] == []


@pytest.mark.parametrize(
    ("day", "text"),
    [
        ("usual_day", "Only the second set of rows changes."),
        ("usual_day", "The load goes up on the bench press and the row."),
        ("usual_day", "You made all your pull-up reps today, great stuff!"),
        ("usual_day", "Numb fingers? Keep going."),
        ("usual_day", "The curl reps go up to 8 because the weight goes up."),
        ("usual_day", "You only need one more rep on the first set of rows to reach 11."),
        ("lower_day", "The first squat set fell short."),
        ("lower_day", "The squat stays where it was."),
        ("lower_day", "You've missed reps on the squat in four workouts in a row."),
        ("full_day", "The deadlift increases by 5 kg to 155 kg."),
        ("full_day", "All planned overhead press reps were completed last time."),
        ("full_day", "You're close to the top of the range on the overhead press."),
        ("full_day", "Your pull-ups have earned a weight increase."),
    ],
)
def test_a_sentence_that_was_shown_although_it_is_false(day: str, text: str) -> None:
    """Sets, ranges, second exercises and the day were not compared."""
    assert shown(text, day) == ""
