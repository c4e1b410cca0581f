"""A simulated lifter adds load after a good session and takes some off after a bad one."""

import pytest

from hevy_connector.simulator.api.bodies import WorkoutSetBody
from hevy_connector.simulator.athletes.programme import BARBELL, SetPlan
from hevy_connector.simulator.athletes.training import _next_load, _Performed


def performed(reps: tuple[int, ...], reserve: float) -> list[_Performed]:
    """Three sets of 8, and a warm-up that does not count."""
    sets = [(SetPlan(reps=8), count) for count in reps]
    warmup = (SetPlan(type="warmup", reps=8), 1)
    return [
        _Performed(plan, WorkoutSetBody(type=plan.type, reps=count), reserve)
        for plan, count in (warmup, *sets)
    ]


@pytest.mark.parametrize(
    ("reps", "reserve", "level", "following"),
    [
        pytest.param((8, 8, 8), 2.0, 100, 102.5, id="all sets, and the next load is possible"),
        pytest.param((8, 8, 8), 0.0, 100, 100, id="all sets, but the next load would fail"),
        pytest.param((8, 8, 7), 2.0, 100, 100, id="one repetition is missing"),
        pytest.param((8, 7, 7), 0.0, 100, 100, id="two repetitions are missing"),
        pytest.param((8, 7, 6), 0.0, 100, 97.5, id="three repetitions are missing"),
        pytest.param((9, 8, 5), 0.0, 100, 97.5, id="more in one set does not make up for another"),
        pytest.param((5, 5, 5), 0.0, 20, 20, id="an empty bar is the least"),
    ],
)
def test_the_next_load_follows_from_the_session(
    reps: tuple[int, ...], reserve: float, level: float, following: float
) -> None:
    assert _next_load(BARBELL, level, performed(reps, reserve)) == following
