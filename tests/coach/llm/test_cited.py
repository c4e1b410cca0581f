"""A model's claim agrees with the lines that it cites, or is rejected."""

import pytest

from coach_agent.llm.cited import Problem, claim_problem

LINE = "Bench Press: 2 sets of 8 at 100 kg on 5 March 2026, 12 sets a week, 0.5 kg more, 40 %."
TITLES = ("Bench Press (Barbell)", "Squat (Barbell)")


@pytest.mark.parametrize(
    "says",
    [
        "You benched 100 kg for 8.",
        "You benched 220.5 lb.",
        "You did it twice.",
        "Double sets, a dozen a week.",
        "Half a kilo more on 2026-03-05.",
        "You benched on 5 March 2026.",
        "Forty percent.",
    ],
)
def test_a_claim_that_repeats_its_line_is_accepted(says: str) -> None:
    assert claim_problem(says, LINE, TITLES) is None


@pytest.mark.parametrize(
    ("says", "problem"),
    [
        ("You benched 101 kg.", "number"),
        ("You benched 100 lb.", "number"),
        ("You benched 8 kg.", "number"),
        ("Triple the work.", "number"),
        ("A quarter of it.", "number"),
        ("A thousand sets.", "number"),
        ("Thirty sets.", "number"),
        ("On 4 March 2026.", "number"),
        ("In April 2026.", "number"),
        ("You squatted 100 kg.", "exercise"),
        ("See https://video.example.", "characters"),
        ("You benched ＋5.", "characters"),
        ("I have chest pain when I bench.", "red_flag"),
    ],
)
def test_a_claim_that_says_something_else_is_rejected(says: str, problem: Problem) -> None:
    assert claim_problem(says, LINE, TITLES) == problem
