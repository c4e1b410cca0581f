"""Titles in other languages lead to Hevy's exercises."""
# ruff: noqa: RUF001 - letters of other scripts are the subject.

import csv
import tomllib
from itertools import groupby
from pathlib import Path

import pytest

from hevy_connector.csv_imports import alias_proposals, title_words
from hevy_connector.csv_imports.alias_proposals import (
    CatalogueExercise,
    TitleUse,
    propose_aliases,
)
from hevy_connector.exercise_templates import built_in_templates
from tests.profiles import count, randomized

TABLE = tomllib.loads(Path(title_words.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CATALOGUE = tuple(
    CatalogueExercise(
        each["title"],
        (each["primary_muscle_group"], *each["secondary_muscle_groups"]),
        "weight" in each["type"],
        equipment=each["equipment"],
    )
    for each in built_in_templates()
)
EQUIPMENT = {"barbell", "dumbbell", "machine", "cable", "smith machine", "kettlebell"}
MODIFIERS = TABLE.pop("modifiers")
NO_EXERCISE = {*EQUIPMENT, *MODIFIERS.values(), "incline bench"}


def proposed(title: str, median_kg: float | None = 20.0) -> str | None:
    [found] = propose_aliases([TitleUse(title, 1, median_kg)], CATALOGUE)
    return found.exercise


@pytest.mark.parametrize(
    ("title", "exercise"),
    [
        ("Press de Banca (barra)", "Bench Press (Barbell)"),
        ("Press inclinado con mancuernas", "Incline Bench Press (Dumbbell)"),
        ("Peso muerto rumano", "Romanian Deadlift (Barbell)"),
        ("Jalón al pecho", "Lat Pulldown (Machine)"),
        ("Sentadilla", "Squat (Barbell)"),
        ("Bankdrücken", "Bench Press (Barbell)"),
        ("SCHRÄGBANKDRÜCKEN Kurzhantel", "Incline Bench Press (Dumbbell)"),
        ("Langhantel-Kniebeuge", "Squat (Barbell)"),
        ("Seitheben am Kabel", "Lateral Raise (Cable)"),
        ("Développé couché", "Bench Press (Barbell)"),
        ("Soulevé de terre roumain", "Romanian Deadlift (Barbell)"),
        ("Tirage vertical", "Lat Pulldown (Machine)"),
        ("Supino inclinado com halteres", "Incline Bench Press (Dumbbell)"),
        ("Agachamento livre", "Squat (Barbell)"),
        ("Tríceps testa", "Skullcrusher (Barbell)"),
        ("Panca piana", "Bench Press (Barbell)"),
        ("Stacco da terra", "Deadlift (Barbell)"),
        ("Spazieren", None),
        ("Mein Workout", None),
        ("Estiramientos", None),
    ],
)
def test_a_title_in_another_language_has_a_proposal(title: str, exercise: str | None) -> None:
    assert proposed(title) == exercise


def test_sets_without_a_load_are_of_the_body() -> None:
    assert proposed("Trazioni alla sbarra", None) == "Pull Up"
    assert proposed("Sentadilla", None) == "Squat (Bodyweight)"


@pytest.mark.long
@randomized
@pytest.mark.parametrize("language", TABLE)
def test_the_words_of_every_exercise_lead_to_one(language: str) -> None:
    missing = [
        words
        for words, english in list(TABLE[language].items())[:: count(quick=2, thorough=1)]
        if english not in NO_EXERCISE
        and proposed(words.replace("*", "")) is proposed(words.replace("*", ""), None) is None
    ]
    assert missing == []


def test_proposals_for_english_titles_do_not_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = [each.title for each in CATALOGUE[::7]]
    found = [proposed(title) for title in titles]
    monkeypatch.setattr(alias_proposals, "languages_of", lambda _: ())
    assert [proposed(title) for title in titles] == found


def test_a_word_for_equipment_means_what_it_does_in_the_language_of_the_titles() -> None:
    """In Turkish files "halter", a barbell, was read as the Portuguese dumbbell, and was sure."""

    def found(*titles: str) -> list[tuple[str | None, bool]]:
        uses = [TitleUse(title, 10 - place, 40.0) for place, title in enumerate(titles)]
        return [(one.exercise, one.is_sure) for one in propose_aliases(uses, CATALOGUE)]

    assert found("Bench Press (Halter)", "Kalça İtme (Halter)", "Yana Açış (Dambıl)") == [
        ("Bench Press (Barbell)", True),
        ("Hip Thrust (Barbell)", True),
        ("Lateral Raise (Dumbbell)", True),
    ]
    assert found("Bench Press (halter)", "Rosca (halter)")[0] == ("Bench Press (Dumbbell)", True)
    assert found("Bench Press (Halter)") == [(None, False)]


def test_titles_in_many_languages_lead_to_the_exercise_that_they_mean() -> None:
    """Files in Polish, Dutch, Russian, Czech, Chinese, Japanese and Korean had no proposals.

    `exercises` has each that a lifter may mean, "-" for none or too many. The titles of a language
    are those of one file.
    """
    path = Path(__file__).with_name("titles_in_languages.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    has_load = {one.title: one.has_load for one in CATALOGUE}
    proposals = {
        (language, one.title): one
        for language, of_language in groupby(rows, lambda row: row["language"])
        for one in propose_aliases(
            [
                TitleUse(row["title"], 1, median_kg=40.0 if has_load.get(meant, True) else None)
                for row in of_language
                for meant in row["exercises"].split("|")[:1]
            ],
            CATALOGUE,
        )
    }
    right, wrong, sure, possible = 0, [], 0, 0
    for row in rows:
        found, meant = proposals[row["language"], row["title"]], row["exercises"].split("|")
        is_right = found.exercise in meant
        assert is_right or not found.is_sure, row
        possible += meant != ["-"]
        right += is_right
        sure += found.is_sure
        wrong += [] if found.exercise is None or is_right else [row["title"]]
    assert len(wrong) <= 0.02 * right, wrong
    assert right >= 0.95 * possible
    assert sure >= 0.9 * possible


@pytest.mark.parametrize("title", ["Row", "Press", "Roeien", "划船"])
def test_a_word_of_many_exercises_is_not_sure(title: str) -> None:
    [found] = propose_aliases([TitleUse(title, 1, 40.0)], CATALOGUE)
    assert not found.is_sure


@pytest.mark.parametrize(
    "title", ["Wyciskanie żołnierskie", "wyciskanie zolnierskie", "WYCISKANIE - ŻOŁNIERSKIE"]
)
def test_letters_and_marks_of_a_keyboard_do_not_matter(title: str) -> None:
    assert proposed(title) == "Standing Military Press (Barbell)"
