"""A missed time is repeated until it is reached, also where no plan is known."""

import pytest

from tests.coach.situations import planned


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        pytest.param("3*60s, 3*60s, 60s 60s 50s", [60] * 3, id="the last set"),
        pytest.param("3*60s, 65s 60s 55s", [60] * 3, id="more in the first set"),
        pytest.param("3*60s, 60s 60s 50s, 60s 60s 55s", [60] * 3, id="twice"),
        pytest.param("3*60s, 60s 60s 50s, 3*60s", [65] * 3, id="reached again"),
        pytest.param("3*60s, 3*65s", [70] * 3, id="reached"),
        pytest.param("3*60s, 3*(60s 50s 45s), 60s 50s 45s", [65, 55, 50], id="three in a row"),
        pytest.param("d40: 3*90s, d8: 3*60s, d4: 3*60s", [65] * 3, id="after a break"),
        pytest.param("60s", [65], id="one workout"),
    ],
)
def test_a_missed_time_is_repeated(history: str, expected: list[int]) -> None:
    """60, 60 and 50 s were taken for the goal: 65, 65 and 55 s followed, with a chance of 20 %."""
    found = planned(history, title="Plank")
    assert [each.duration_s for each in found.working()] == expected


def test_a_heavier_hold_is_no_miss() -> None:
    found = planned("2*20/60s, 2*30/45s", title="Plank (Weighted)")
    assert [each.duration_s for each in found.working()] == [50, 50]


def test_a_missed_time_is_named() -> None:
    found = planned("3*60s, 3*60s, 60s 60s 50s", title="Plank")
    assert found.slot().reason == "Missed the goal on set 3: repeat."
