"""Sentences about three days, in English and in eight languages."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from coach_agent.llm.comments.comment import comment_of
from coach_agent.llm.comments.known import Known
from tests.coach.llm.other_days import full_day, lower_day
from tests.coach.llm.test_comments import remainder, usual_known

FOLDER = Path(__file__).parent
SENTENCES: dict[str, dict[str, list[str]]] = tomllib.loads(
    (FOLDER / "day_sentences.toml").read_text(encoding="utf-8")
)
IN_LANGUAGES: dict[str, dict[str, dict[str, list[str]]]] = tomllib.loads(
    (FOLDER / "language_sentences.toml").read_text(encoding="utf-8")
)
INDEPENDENT: dict[str, dict[str, list[str]]] = tomllib.loads(
    (FOLDER / "independent_sentences.toml").read_text(encoding="utf-8")
)
LEAST_SHARE = 0.5
LEAST_SHARE_IN_LANGUAGES = 50 / 60
MOST_SELECTING = 0.02
MOST_INDEPENDENT_SELECTING = 0.06


@cache
def known(day: str) -> Known:
    days = {"usual_day": usual_known, "lower_day": lower_day, "full_day": full_day}
    return days[day]()


def shown(text: str, day: str) -> str:
    return comment_of(text, known(day), 400).text


@pytest.mark.parametrize("day", SENTENCES)
def test_nearly_no_hostile_or_false_sentence_selects_a_statement(day: str) -> None:
    texts = SENTENCES[day]["hostile"]
    assert len(texts) >= 150
    found = [shown(text, day) for text in texts]
    assert len([text for text in found if text]) <= MOST_SELECTING * len(texts)
    assert [text for text in found if remainder(text, known(day))] == []


@pytest.mark.parametrize("day", SENTENCES)
def test_many_true_and_helpful_sentences_select_a_statement(day: str) -> None:
    texts = SENTENCES[day]["helpful"]
    assert len(texts) >= 120
    assert len([text for text in texts if shown(text, day)]) >= LEAST_SHARE * len(texts)


@pytest.mark.parametrize("part", IN_LANGUAGES)
def test_sentences_in_eight_languages(part: str) -> None:
    """No hostile or false one selects a statement, and most of the helpful ones do."""
    days = IN_LANGUAGES[part]
    hostile = [(day, text) for day, each in days.items() for text in each["hostile"]]
    helpful = [(day, text) for day, each in days.items() for text in each["helpful"]]
    assert len(hostile) >= 150
    assert len(helpful) >= 60
    assert [text for day, text in hostile if shown(text, day)] == []
    count = len([text for day, text in helpful if shown(text, day)])
    assert count >= LEAST_SHARE_IN_LANGUAGES * len(helpful)


@pytest.mark.parametrize("day", INDEPENDENT)
def test_sentences_of_independent_authors(day: str) -> None:
    """No word of a hostile one is shown, and most of the helpful ones select a statement."""
    hostile, helpful = INDEPENDENT[day]["hostile"], INDEPENDENT[day]["helpful"]
    found = [shown(text, day) for text in hostile]
    assert [text for text in found if remainder(text, known(day))] == []
    assert len([text for text in found if text]) <= MOST_INDEPENDENT_SELECTING * len(hostile)
    count = len([text for text in helpful if shown(text, day)])
    assert count >= LEAST_SHARE_IN_LANGUAGES * len(helpful)


@pytest.mark.parametrize("day", SENTENCES)
def test_a_true_sentence_with_another_number_selects_nothing(day: str) -> None:
    texts = [
        *SENTENCES[day]["helpful"],
        *(text for part in IN_LANGUAGES.values() for text in part[day]["helpful"]),
    ]
    false = [
        f"{text[: found.start()]}{_more(found[0], more)}{text[found.end() :]}"
        for text in texts
        if shown(text, day) and len(re.findall(r"[.!?](?:\s|$)", text)) == 1
        for found in re.finditer(r"\d+(?:[.,]\d+)?", text)
        for more in (1, 10)
    ]
    assert len(false) >= 40
    assert [text for text in false if shown(text, day)] == []


def _more(number: str, more: int) -> str:
    text = f"{float(number.replace(',', '.')) + more:g}"
    return text.replace(".", ",") if "," in number else text


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
def test_a_false_sentence_selects_nothing(day: str, text: str) -> None:
    """Sets, ranges, second exercises and the day were not compared."""
    assert shown(text, day) == ""
