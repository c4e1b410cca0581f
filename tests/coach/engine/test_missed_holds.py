"""A missed time or distance is repeated until it is reached, also where no plan is known."""

import pytest

from coach_agent.engine.history.file_routines import complete_file_routine
from tests.coach.builders import PLANK, prescribe_slot, routine, slot, timed_exposure
from tests.coach.situations import planned

WALK = "Farmers Walk"


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


def test_the_last_time_of_a_file_is_no_plan() -> None:
    """A file's routine had 50 s after a miss, so that 55 s reached the goal."""
    exposures = [
        timed_exposure([60, 60, 55], [60, 60, 50]),
        timed_exposure([60, 60, 50], [60, 60, 60], days_ago=4),
        timed_exposure([60, 60, 60], days_ago=8),
    ]
    own = slot(PLANK, [{"duration_s": each} for each in (60, 60, 55)], exposures)
    [of_file] = complete_file_routine(routine(own)).slots
    assert [each.duration_s for each in prescribe_slot(own).sets] == [65, 65, 60]
    assert [each.duration_s for each in prescribe_slot(of_file).sets] == [60, 60, 60]


@pytest.mark.parametrize(
    ("history", "loads", "metres"),
    [
        pytest.param("3*32/40m, 32/40m 32/40m 32/30m", [32] * 3, [40] * 3, id="missed"),
        pytest.param("3*32/40m, 3*32/40m", [34] * 3, [40] * 3, id="reached"),
        pytest.param("2*32/40m, 32/40m 32/400m, 2*32/40m", [34] * 2, [40] * 2, id="mistyped once"),
        pytest.param("2*24/80m, 2*32/40m, 2*32/40m", [34] * 2, [40] * 2, id="lighter before"),
    ],
)
def test_a_missed_distance_is_repeated(history: str, loads: list[float], metres: list[int]) -> None:
    """The last carry of 30 m was a goal of its own, and its load went up."""
    found = planned(history, title=WALK)
    assert found.loads() == loads
    assert [each.distance_m for each in found.working()] == metres
