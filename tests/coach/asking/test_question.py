"""A question is understood only if each of its words is."""

import pytest

from coach_agent.asking.question import Understood, searched_text, understand
from coach_agent.asking.vocabulary import vocabulary, words_of

TRAINED = ("Bench Press (Barbell)", "Incline Bench Press (Dumbbell)", "Pull Up", "Chest Press")
CATALOGUE = ("Squat (Barbell)", "Front Squat", "Overhead Press (Barbell)")
BENCH = ("Bench Press (Barbell)",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's next?", Understood(intent="next_workout")),
        ("bench pr", Understood(intent="records", exercises=BENCH)),
        ("best bench for 5", Understood(intent="records", exercises=BENCH, reps=5)),
        ("one rep max bench", Understood(intent="strength", exercises=BENCH)),
        ("chest volume last week", Understood(intent="volume", muscles=("chest",), week="last")),
        ("biceps and chest volume", Understood(intent="volume", muscles=("biceps", "chest"))),
        ("chest press volume", Understood(intent="volume", exercises=("Chest Press",))),
        ("ohp progress", Understood(intent="progress", exercises=("Overhead Press (Barbell)",))),
        ("is my pull up not going up", Understood(intent="progress", exercises=("Pull Up",))),
        ("pull-ups: streak?", Understood(exercises=("Pull Up",), unknown=("pull", "ups"))),
        ("bench pr in 2019", Understood(exercises=BENCH, unknown=("2019",))),
        ("protien for bench", Understood(declined="diet")),
        ("sore from squats", Understood(declined="medical")),
        ("", Understood()),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_question_is_read_by_its_words(text: str, expected: Understood) -> None:
    assert understand(text, TRAINED, CATALOGUE) == expected


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What did I write about my left knee?", "my left knee"),
        ("when did I  mention плечо", "плечо"),
        ('notes on "sleep"', "sleep"),
        ("Did I ever write anything about müde?!", "müde"),
        ("what did I write about ?", None),
        ("what's next", None),
        ("why did you write notes about squats", None),
    ],
)
def test_a_search_keeps_the_searched_words(text: str, wanted: str | None) -> None:
    assert searched_text(text) == wanted


@pytest.mark.parametrize("text", ["bnech pr", "benhc press pr", "bench recrod", "BENCH PRÉSS PR!"])
def test_one_typing_error_in_a_word_is_corrected(text: str) -> None:
    found = understand(text, TRAINED, CATALOGUE)
    assert (found.intent, found.exercises) == ("records", BENCH)


@pytest.mark.parametrize("text", ["bnch", "bxxch pr", "bach pr", "prs of bunch"])
def test_other_words_are_not_bent_into_an_exercise(text: str) -> None:
    assert understand(text, ("Squat (Barbell)",), ()).intent is None


def test_words_have_no_accents_apostrophes_or_joined_units() -> None:
    assert words_of("What\u2019s my 5RM at 82.5kg, Zo\u00eb?") == (
        *("whats", "my", "5", "rm", "at", "82.5", "kg", "zoe"),
    )
    assert words_of("1RM e1rm") == ("1rm", "e1rm")


def test_each_phrase_of_the_table_is_in_the_form_of_its_words() -> None:
    """Otherwise it could never be found in a question."""
    table = vocabulary()
    phrases = [
        *(each for words in table.intents.values() for each in words.phrases),
        *(each for words in table.intents.values() for each in words.with_exercise),
        *(each for words in table.intents.values() for each in words.with_reps),
        *((each,) for words in table.intents.values() for each in words.extra),
        *((each,) for each in table.fillers),
        *(each for phrases in table.weeks.values() for each in phrases),
        *table.filler_phrases,
        *table.days,
        *table.muscles,
        *table.exercises,
    ]
    assert [each for each in phrases if words_of(" ".join(each)) != each] == []
