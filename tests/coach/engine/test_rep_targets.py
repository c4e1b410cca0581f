"""Repetition goals of sets in a range, here 8 to 12."""

from collections.abc import Sequence

import pytest

from tests.coach.builders import CURL, Done, exposure, loads, prescribe_slot, ranged, reps, slot

RANGE = ranged(3, 24, 8, 12)


def goals_after(*workouts: Sequence[Done]) -> list[int | None]:
    """Return the next goals; the workouts are given oldest first."""
    done = [
        exposure(each, RANGE, days_ago=number + 1) for number, each in enumerate(reversed(workouts))
    ]
    return reps(prescribe_slot(slot(CURL, RANGE, done)))


def at(load: float, *repetitions: int) -> list[Done]:
    return [(load, each) for each in repetitions]


@pytest.mark.parametrize(
    ("workouts", "expected"),
    [
        ([at(24, 8, 8, 8)], [9, 8, 8]),
        ([at(24, 8, 8, 8), at(24, 9, 8, 8)], [11, 10, 10]),
        ([at(24, 8, 8, 8), at(24, 9, 8, 7)], [10, 8, 8]),
        ([at(24, 9, 9, 9), at(24, 10, 9, 9), at(24, 11, 10, 9)], [12, 10, 9]),
        ([at(24, 8, 8, 8), at(24, 8, 8, 8), at(24, 9, 8, 8)], [10, 9, 9]),
    ],
    ids=[
        "nothing to compare with: the first set",
        "reached: two more on each",
        "below the range",
        "short of what was asked: the first set alone",
        "reached after falling short: one more on each",
    ],
)
def test_what_is_asked_next(workouts: list[Sequence[Done]], expected: list[int]) -> None:
    assert goals_after(*workouts) == expected


def test_nobody_is_asked_for_more_than_the_rpe_leaves() -> None:
    before: list[Done] = at(24, 8, 8, 8)
    rated: list[Done] = [(24, 9, 8.0), (24, 8, 9.0), (24, 8, 10.0)]
    assert goals_after(before, rated) == [11, 9, 8]


def test_after_another_load_a_set_goes_to_what_that_one_proves() -> None:
    """25 kg x 12 are 35 kg e1RM: with 26 kg 10 repetitions; the third set did not hold."""
    assert goals_after(at(25, 12, 12, 12), at(26, 8, 8, 7)) == [10, 10, 8]


def test_a_workout_that_was_not_finished_is_no_reason_for_more() -> None:
    short = exposure(at(24, 9, 8), RANGE, days_ago=1, skipped=[2])
    before = exposure(at(24, 8, 8, 8), RANGE, days_ago=3)
    assert reps(prescribe_slot(slot(CURL, RANGE, [short, before]))) == [10, 8, 8]


def test_the_reason_tells_which_sets_get_how_many_more() -> None:
    done = [exposure(at(24, 9, 8, 8), RANGE, days_ago=1), exposure(at(24, 8, 8, 8), RANGE)]
    decided = prescribe_slot(slot(CURL, RANGE, done))
    assert loads(decided) == [24] * 3
    assert decided.reason == (
        "Not all sets reached 12 reps: repeat 24 kg, two more on sets 1, 2 and 3."
    )
