"""Proposals of an exercise for an unknown title: words, muscles and loads."""

import csv
from pathlib import Path

import pytest

from hevy_connector.csv_imports.alias_proposals import (
    AliasProposal,
    CatalogueExercise,
    TitleUse,
    propose_aliases,
)
from hevy_connector.exercise_templates import built_in_templates

CATALOGUE = (
    CatalogueExercise("Bench Press (Barbell)", ("chest",), has_load=True, median_kg=80.0),
    CatalogueExercise("Bench Press (Dumbbell)", ("chest",), has_load=True, median_kg=26.0),
    CatalogueExercise("Bench Dip", ("triceps",), has_load=False),
    CatalogueExercise("Squat (Barbell)", ("quadriceps",), has_load=True),
    CatalogueExercise("Lateral Raise (Dumbbell)", ("shoulders",), has_load=True),
    CatalogueExercise("Front Raise (Dumbbell)", ("shoulders",), has_load=True),
)


@pytest.mark.parametrize(
    ("title", "median_kg", "exercise"),
    [
        pytest.param("Bench Pres", 82.5, "Bench Press (Barbell)", id="typing error"),
        pytest.param("Bench Press", 24.0, "Bench Press (Dumbbell)", id="loads of dumbbells"),
        pytest.param("Barbell Squat", 100.0, "Squat (Barbell)", id="order of words"),
        pytest.param("Dumbbell lateral raises", 8.0, "Lateral Raise (Dumbbell)", id="plural"),
        pytest.param("DB Bench Press", None, "Bench Press (Dumbbell)", id="abbreviation"),
        pytest.param("Back Squat", 100.0, "Squat (Barbell)", id="another name"),
        pytest.param("Squat high bar", 100.0, "Squat (Barbell)", id="place of the bar"),
        pytest.param("Benchpress", 82.5, "Bench Press (Barbell)", id="without a blank"),
        pytest.param("Bench Dip (Machine)", None, "Bench Dip", id="equipment of one"),
        pytest.param("Bench Dips", None, "Bench Dip", id="no load"),
        pytest.param("Wyciskanie", 80.0, None, id="another language"),
        pytest.param("???", 80.0, None, id="no words"),
    ],
)
def test_a_title_gets_the_nearest_exercise_or_none(
    title: str, median_kg: float | None, exercise: str | None
) -> None:
    [proposal] = propose_aliases([TitleUse(title, 3, median_kg)], CATALOGUE)
    assert (proposal.title, proposal.exercise) == (title, exercise)


def test_a_title_without_equipment_is_the_usual_one() -> None:
    """The exercise with the shortest word for equipment was proposed: the cable."""
    catalogue = [
        CatalogueExercise(f"Bench Press ({one})", ("chest",), has_load=True)
        for one in ("Cable", "Dumbbell", "Barbell")
    ]
    [proposal] = propose_aliases([TitleUse("Bench Pres", 1, 60.0)], catalogue)
    assert proposal.exercise == "Bench Press (Barbell)"
    own = CatalogueExercise("Bench Press (Cable)", ("chest",), has_load=True, median_kg=50.0)
    [proposal] = propose_aliases([TitleUse("Bench Pres", 1, 60.0)], [*catalogue[1:], own])
    assert proposal.exercise == "Bench Press (Cable)"


def test_each_title_has_one_proposal_with_the_most_sets_first() -> None:
    uses = [TitleUse("Sqat", 3, 100.0), TitleUse("Bench Pres", 9, 80.0)]
    assert [(one.title, one.set_count) for one in propose_aliases(uses, CATALOGUE)] == [
        ("Bench Pres", 9),
        ("Sqat", 3),
    ]


def test_the_score_is_the_share_of_similar_letters() -> None:
    # Title: squat 5 letters at 100, barbell 7 * 0.5 at 100: 100. The same the other way round.
    [proposal] = propose_aliases([TitleUse("squat barbell", 1, 60.0)], CATALOGUE)
    assert proposal.score == 100.0


@pytest.mark.parametrize(
    ("title", "exercise"),
    [
        ("Lat pull down wide", "Lat Pulldown (Machine)"),
        ("Tricep push down rope", "Triceps Rope Pushdown"),
        ("Pullups", "Pull Up"),
        ("Row Erg", "Rowing Machine"),
    ],
)
def test_words_written_apart_or_together_are_the_same(title: str, exercise: str) -> None:
    catalogue = [
        CatalogueExercise(one, (), has_load=one[0] not in "P")
        for one in (
            "Lat Pulldown (Machine)",
            "Pull Up",
            "Rowing Machine",
            "Dumbbell Row",
            "Triceps Rope Pushdown",
            "Triceps Extension (Barbell)",
        )
    ]
    [proposal] = propose_aliases([TitleUse(title, 3, None)], catalogue)
    assert proposal.exercise == exercise


BUILT_IN = tuple(
    CatalogueExercise(
        each["title"],
        (each["primary_muscle_group"],),
        "weight" in each["type"],
        equipment=each["equipment"],
    )
    for each in built_in_templates()
)


def built_in(title: str, median_kg: float | None) -> AliasProposal:
    [found] = propose_aliases([TitleUse(title, 1, median_kg)], BUILT_IN)
    return found


@pytest.mark.long
def test_titles_of_lifters_get_the_exercise_that_they_mean() -> None:
    """Of 159 such titles 23 had another exercise, and all of these were joined by --all.

    `exercises` has each that a lifter may mean, "-" for none of the catalogue.
    """
    path = Path(__file__).with_name("titles_of_lifters.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    meant = {row["title"]: row["exercises"].split("|") for row in rows}
    uses = [TitleUse(row["title"], 1, float(row["kg"]) if row["kg"] else None) for row in rows]
    proposals = [one for one in propose_aliases(uses, BUILT_IN) if one.exercise is not None]
    wrong = [one.title for one in proposals if one.exercise not in meant[one.title]]
    sure = [one.title for one in proposals if one.is_sure]
    possible = sum(exercises != ["-"] for exercises in meant.values())
    assert len(wrong) <= 0.02 * len(proposals), wrong
    assert not set(wrong) & set(sure)
    assert len(proposals) - len(wrong) >= 0.95 * possible
    assert len(sure) >= 0.85 * possible


@pytest.mark.parametrize(
    ("title", "median_kg", "exercise"),
    [
        pytest.param("Leg curl", 40.0, "Seated Leg Curl (Machine)", id="lying or seated"),
        pytest.param("Spider curls", 10.0, "Spider Curl (Barbell)", id="equipment"),
        pytest.param("Decline sit ups", None, "Sit Up", id="a word too many"),
        pytest.param("Pull ups", 10.0, "Pull Up (Weighted)", id="loads of the body or added"),
    ],
)
def test_a_title_that_may_mean_another_exercise_is_not_sure(
    title: str, median_kg: float | None, exercise: str
) -> None:
    found = built_in(title, median_kg)
    assert (found.exercise, found.is_sure) == (exercise, False)


@pytest.mark.parametrize(
    ("title", "median_kg", "exercise"),
    [
        ("Eleiko Squat", 120.0, "Squat (Barbell)"),
        ("Panatta leg extension", 60.0, "Leg Extension (Machine)"),
        ("Klimmzüge unterstützt", 30.0, "Pull Up (Assisted)"),
        ("Pull ups (assisted)", 30.0, "Pull Up (Assisted)"),
        ("Bench press 5x5", 80.0, "Bench Press (Barbell)"),
        ("Row DB one arm", 30.0, "Dumbbell Row"),
    ],
)
def test_brands_help_and_the_order_of_words_are_read(
    title: str, median_kg: float, exercise: str
) -> None:
    found = built_in(title, median_kg)
    assert (found.exercise, found.is_sure) == (exercise, True)
