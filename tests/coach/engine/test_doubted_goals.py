"""A doubted set keeps its goal: it is not the lower end of the range."""

import pytest

from coach_agent.engine.history.attempts import Answer, Attempt
from coach_agent.engine.history.filter import CredibleAttempts, Outlier
from tests.coach.situations import planned

BENCH = "Bench Press (Barbell)"
BEFORE = "3*80x8, 3*80x9, 3*80x10"


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param("80x10 80x10 800x10", [10, 10, 10], id="load of the last set"),
        pytest.param("800x10 80x10 80x10", [10, 10, 10], id="load of the first set"),
        pytest.param("80x10 80x10 80x101", [10, 10, 10], id="repetitions"),
        pytest.param("80x9 80x8 800x8", [9, 8, 9], id="no more than the other sets"),
        pytest.param("3*800x10", [10, 10, 10], id="all sets"),
    ],
)
def test_a_doubted_set_keeps_its_goal(last: str, expected: list[int]) -> None:
    """The goals were 10, 10 and 8 after 10, 10 and a doubted set."""
    found = planned(f"[3*80x8-12] {BEFORE}, {last}", title=BENCH)
    assert found.loads() == [80] * 3
    assert found.reps() == expected
    assert "typing error" in found.text


def test_another_load_before_gives_no_goal() -> None:
    found = planned("[3*80x8-12] 3*75x12, 3*77.5x12, 80x9 80x9 800x9", title=BENCH)
    assert found.reps() == [9, 9, 8]


def test_repetitions_without_a_load_are_kept() -> None:
    found = planned("[3*x8-12] 3*x8, 3*x9, 3*x10, x10 x10 x100", title="Pull Up")
    assert found.reps() == [10, 10, 10]


def test_a_bad_day_keeps_the_goal_as_well() -> None:
    said = {"energy": 2, "soreness": 2}
    found = planned(f"[3*80x8-12] {BEFORE}, 80x10 80x10 800x10", title=BENCH, said=said)
    assert set(found.reps()) == {10}


@pytest.mark.parametrize("before", [1, 2, 4])
def test_workouts_may_have_other_numbers_of_sets(before: int) -> None:
    """A workout of another number of sets stopped the plan."""
    done = Answer(5, 100.0, None, None, None, 100.0, 5, 5, None)
    last = Attempt((done, done, None), is_complete=True)
    older = Attempt((done,) * before, is_complete=True)
    held = CredibleAttempts((last, older), (Outlier("suspected_typo", 1000.0),)).held
    assert held.answers == (done, done, done if before > 2 else None)
