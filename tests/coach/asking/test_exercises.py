"""Titles of exercises are matched by their words, strictly."""

import pytest

from coach_agent.asking.exercises import Match, Titles

TITLES = Titles(
    (
        *("Bench Press (Barbell)", "Bench Press (Dumbbell)", "Incline Bench Press (Dumbbell)"),
        *("Squat (Barbell)", "Front Squat", "Romanian Deadlift (Barbell)", "Cable Fly", "Chin Up"),
    )
)


@pytest.mark.parametrize(
    ("words", "titles", "is_exact"),
    [
        ("bench", ("Bench Press (Barbell)", "Bench Press (Dumbbell)"), True),
        ("barbell bench press", ("Bench Press (Barbell)",), True),
        ("bb bench", ("Bench Press (Barbell)",), True),
        ("incline bench", ("Incline Bench Press (Dumbbell)",), True),
        ("incline", ("Incline Bench Press (Dumbbell)",), False),
        ("squats", ("Squat (Barbell)",), True),
        ("back squat", ("Squat (Barbell)",), True),
        ("rdl", ("Romanian Deadlift (Barbell)",), True),
        ("flies", ("Cable Fly",), False),
        ("chinups", ("Chin Up",), True),
    ],
)
def test_the_words_name_their_titles(words: str, titles: tuple[str, ...], is_exact: bool) -> None:
    assert TITLES.matching(words.split()) == Match(titles, is_exact)


@pytest.mark.parametrize("words", ["", "bench squat", "hack squat", "press up", "b"])
def test_words_of_no_title_match_nothing(words: str) -> None:
    assert TITLES.matching(words.split()) is None
