"""Proposals of an exercise for an unknown title: words, muscles and loads."""

import pytest

from hevy_connector.csv_imports.alias_proposals import (
    CatalogueExercise,
    TitleUse,
    propose_aliases,
)

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
